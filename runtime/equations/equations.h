// SPDX-License-Identifier: Apache-2.0
// The equations of motion as a solver sees them: arrays, one call per function, by compiled code or by the interpreter.
//
//   y = [q; u; s]   coordinates, speeds, first-order states (those of the model, two work integrals); sizes in layout()
//   rhs(t, y, dy)   dy = [q'; u'; s']; 0, or k > 0 when dy[k-1] is not finite
//
// All arrays y, dy have layout().n_y() entries, in SI units; vectors are in the axes the model writes them in. Four
// ways lead to the accelerations, all on the same rows (SolveMode):
//   fast     the kernel's own elimination of S = A M^-1 A^T, for well-conditioned rows
//   robust   assembled rows, Householder QR of the certified ones, for rows that are nearly dependent
//   counted  the leading singular directions of all rows, as many as were counted before, beside singular positions
//   literal  the generalised inverse as written, rank decided on the spot (dense_rows.h)
//
// Threads: an object belongs to one thread at a time. Several may be used by as many threads over one kernel, one
// layout and one source of native code (kernel_runner.h); nothing else is shared. Everything is allocated by the
// constructor; rhs and fast_rhs in fast mode allocate nothing.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "runtime/equations/backoff.h"
#include "runtime/equations/dense_rows.h"
#include "runtime/equations/implicit_loads.h"
#include "runtime/equations/kernel_runner.h"
#include "runtime/equations/quasi_equations.h"
#include "runtime/equations/sparse_rows.h"

namespace mbc::runtime {

class Equations : public KernelRunner {
 public:
  // Kernel and layout outlive the object. `params`: set_params(); zeros where there are none.
  Equations(const kernel::Kernel& kernel, const kernel::SystemLayout& layout, NativeSource native = {},
            const std::vector<double>& params = {});
  Equations(const Equations&) = delete;  // its parts refer to each other
  Equations& operator=(const Equations&) = delete;

  // As after the constructor, but for parameters, inputs and what has been compiled: a run that follows does not depend
  // on the one before.
  void forget();
  // All that later evaluations depend on, but for what has been compiled; the reader is of the same kernel.
  void transfer(Archive& archive) {
    KernelArrays::transfer(archive);
    archive(mode_, literal_tolerance_, fast_pause_, dense_, quasi_);
    archive.expect(mode_ <= SolveMode::literal);
  }

  std::int32_t rhs(double t, const double* y, double* dy) { return rhs_in(mode_, t, y, dy); }
  // The same in another mode than the one at hand.
  std::int32_t rhs_in(SolveMode mode, double t, const double* y, double* dy);
  // With reaction-dependent forces as they stand in the discrete state, where others find them.
  std::int32_t rhs_of_given_forces(double t, const double* y, double* dy) { return explicit_rhs(mode_, t, y, dy); }
  // The derivatives of rhs and nothing else, in less time: true when dy is what rhs gives (which returned 0) and no row
  // is nearly dependent. Bit for bit, but for long systems in lanes, where it is to round-off (and the same whatever
  // the engine). What work holds belongs to an earlier call of rhs then. False: rhs is needed.
  bool fast_rhs(double t, const double* y, double* dy) {
    if (implicit_.act(inputs_)) return false;
    if (fast_code_ == nullptr || !fast_pause_.idle() || mode_ != SolveMode::fast) return fast_rhs_considered(t, y, dy);
    if (fast_code_(t, y, params_.data(), inputs_.data(), mask.data(), work_.data(), dy) != 0) {
      fast_pause_.refused();
      return false;
    }
    fast_pause_.succeeded();
    return true;
  }
  // The rate of a state in independent speeds (quasi_equations.h).
  std::int32_t rhs_of_quasi_state(double t, const double* z, double* dz);
  // Loads whose size depends on the multipliers: rhs finds it.
  [[nodiscard]] ImplicitLoads& implicit_loads() { return implicit_; }
  // Forgets earlier refusals of fast_rhs: a run does not depend on the one before.
  void restart_fast_rhs() { fast_pause_.restart(); }

  // Of multipliers that are not unique those that loads depend on: sets them, behind an evaluation. None: those that
  // the independent rows have.
  std::function<void(double t, const double* y)> share;

  [[nodiscard]] SolveMode mode() const { return mode_; }
  // From now on.
  void solve_by(SolveMode mode) { mode_ = mode; }
  // tolerance: of the rank, relative to the largest pivot of the scaled rows.
  void solve_literally(double tolerance) {
    mode_ = SolveMode::literal;
    literal_tolerance_ = tolerance;
  }
  // A row was skipped, by a vanishing pivot or as dependent, in the last rhs in the mode at hand.
  [[nodiscard]] bool skipped_row() const;

  // Whether the mass matrix, with the rows added to it, is positive definite at a state; if not, it is left in `out`.
  bool has_inertia(double t, const double* y, Assembled& out);
  // A cheap part of it: every speed has inertia of its own (false as well when rows are added to M).
  bool own_inertia(double t, const double* y);

  // ---- large systems are looked at without full matrices; of those beyond dense no full matrix may be made
  [[nodiscard]] bool large() const { return large_; }
  [[nodiscard]] bool beyond_dense() const { return beyond_dense_; }
  [[nodiscard]] SparseRows sparse() { return SparseRows(*this); }

  // ---- formulations in independent speeds
  [[nodiscard]] QuasiEquations& quasi() { return quasi_; }
  [[nodiscard]] const QuasiEquations& quasi() const { return quasi_; }

  // M, f, A, b at a state, left in work
  using KernelRunner::assemble;
  // The same as matrices; with their rounding errors when asked for. As DenseRows::assemble.
  std::int32_t assemble(double t, const double* y, Assembled& out, bool errors) {
    return dense_.assemble(t, y, out, errors);
  }
  // Rows that belong together and their ranks, for the mode `counted` and for what else needs them.
  [[nodiscard]] CountedInverse& counted() { return dense_.counted(); }
  [[nodiscard]] const Assembled& assembled() const { return dense_.assembled(); }
  // q' at a state, in dq[0 .. n_coordinates); the rest of dq is overwritten.
  void rates(double t, const double* y, double* dq) { call(k_assemble, t, y, mask.data(), dq); }
  // Position- and velocity-level residuals at a state, left in work.
  void residuals(double t, const double* y) { call(k_residuals, t, y, mask.data(), scratch()); }
  // A u' - b of every row, for the accelerations in dy; out gets n_rows entries.
  void row_defects(double t, const double* y, const double* dy, std::vector<double>& out);
  // One Newton step of the projection: correction() is w with A w = -residual, |w|_M smallest, on the rows of `rows`
  // (1 or 0 each, n_rows); residuals and |G|^2 (pivot_scale) are left in work.
  void correct(bool position, double t, const double* y, const std::vector<double>& rows);
  // Energies and outputs; reads dy and the multipliers of the rhs call before.
  void outputs(double t, const double* y, double* dy) { call(k_outputs, t, y, mask.data(), dy); }

  // assemble() and residuals() with the rows of contacts, which those two leave out in equations that keep them apart;
  // A and b of them stay until clear_rows(). The energies of outputs().
  void assemble_contacts(double t, const double* y);
  void contact_residuals(double t, const double* y);
  void clear_rows(const std::vector<std::uint32_t>& rows);
  void energies(double t, const double* y, double* dy);

  // Why the last evaluation at this state is not finite; why an output is not, with the accelerations in dy.
  std::optional<kernel::Failure> failure(double t, const double* y);
  std::optional<kernel::Failure> output_failure(double t, const double* y, const double* dy);

 private:
  std::int32_t explicit_rhs(SolveMode mode, double t, const double* y, double* dy);
  std::int32_t rhs_with_implicit_loads(SolveMode mode, double t, const double* y, double* dy);
  std::vector<double> rounding_of_multipliers(double t, const double* y, const double* dy);
  bool find_implicit_loads(SolveMode mode, double t, const double* y, double* dy, std::int32_t& failed);
  bool fast_rhs_considered(double t, const double* y, double* dy);
  // The rows that functions in lanes solve for, and no others.
  [[nodiscard]] bool rows_of_lanes(const std::vector<double>& rows) const;

  bool large_, beyond_dense_;
  SolveMode mode_ = SolveMode::fast;
  double literal_tolerance_ = 1e-10;
  kernel::KernelFunction fast_code_ = nullptr;  // native code of k_fast_rhs, where that gives the bits of rhs
  Backoff fast_pause_;
  DenseRows dense_;
  QuasiEquations quasi_;
  ImplicitLoads implicit_;
  std::vector<double> speeds_state_, aside_;  // of rhs_of_quasi_state with implicit loads
};

}  // namespace mbc::runtime
