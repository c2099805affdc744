// SPDX-License-Identifier: Apache-2.0
// Equations presents the equations of motion to a solver as arrays and one call per function. Compiled code or the
// interpreter evaluates them.
//
//   y = [q; u; s]   coordinates, speeds, first-order states (those of the model, two work integrals); sizes in layout()
//   rhs(t, y, dy)   dy = [q'; u'; s']; returns 0, or k > 0 if dy[k-1] is not finite
//
// All arrays y and dy have layout().n_y() entries in SI units. Vectors have components in the axes that the model uses
// for them. Four methods find the accelerations, all from the same rows (SolveMode):
//   fast     the kernel's elimination of S = A M^-1 A^T, for well-conditioned rows
//   robust   Householder QR of the certified rows, for rows that are nearly dependent
//   truncated  the leading singular directions of all rows, as many as the generic rank, near singular positions
//   literal  the generalised inverse of all rows, with a rank found at each state (dense_rows.h)
//
// Threads: one thread at a time may use an object. Several objects on any threads may share a kernel, a layout and a
// source of native code (kernel_engines.h); they share nothing else. The constructor allocates all memory; rhs and
// fast_rhs allocate nothing in the mode fast.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "runtime/equations/backoff.h"
#include "runtime/equations/dense_rows.h"
#include "runtime/equations/kernel_runner.h"
#include "runtime/equations/quasi_equations.h"
#include "runtime/equations/reaction_dependent_forces.h"
#include "runtime/equations/sparse_rows.h"

namespace mbc::runtime {

class Equations : public KernelRunner {
 public:
  // Kernel and layout must outlive the object. `params` are the values for set_params(); without them the parameters
  // are zero.
  Equations(const kernel::Kernel& kernel, const kernel::SystemLayout& layout, NativeSource native = {},
            const std::vector<double>& params = {});
  Equations(const Equations&) = delete;  // The members refer to each other.
  Equations& operator=(const Equations&) = delete;

  // Restores the state after construction, except for parameters, inputs and compiled code. A run that follows does not
  // depend on the one before.
  void forget();
  // Transfers everything that later evaluations depend on, except compiled code. The reader must belong to the same
  // kernel.
  void transfer(Archive& archive) {
    KernelRunner::transfer(archive);
    archive(mode_, literal_tolerance_, fast_pause_, dense_, quasi_, determined_rows_, determined_speeds_);
    archive.expect(mode_ <= SolveMode::literal);
    for (const std::uint32_t k : determined_rows_) archive.expect(k < layout_.n_rows);
    for (const std::uint32_t j : determined_speeds_) archive.expect(j < layout_.n_speeds);
  }

  std::int32_t rhs(double t, const double* y, double* dy) { return rhs_in(mode_, t, y, dy); }
  // Evaluates the rates in the given mode instead of the current one.
  std::int32_t rhs_in(SolveMode mode, double t, const double* y, double* dy);
  // Evaluates the rates with the reaction-dependent forces that the discrete state holds; the caller finds them.
  std::int32_t rhs_of_given_forces(double t, const double* y, double* dy) { return explicit_rhs(mode_, t, y, dy); }
  // Computes only the derivatives of rhs, in less time. The result is true if rhs would return 0 with the same dy and
  // no row is nearly dependent; otherwise the caller must use rhs. The values equal those of rhs bit for bit, except in
  // long systems in lanes, where they agree to round-off and do not depend on the engine. Afterwards work still holds
  // the values of an earlier call of rhs.
  bool fast_rhs(double t, const double* y, double* dy) {
    if (dependent_forces_.act(inputs_) || !determined_rows_.empty()) return false;
    if (fast_code_ == nullptr || !fast_pause_.idle() || mode_ != SolveMode::fast) return fast_rhs_considered(t, y, dy);
    if (fast_code_(t, y, params_.data(), inputs_.data(), mask.data(), work_.data(), dy) != 0) {
      fast_pause_.refused();
      return false;
    }
    fast_pause_.succeeded();
    return true;
  }
  // Computes the rate of a state in independent speeds (quasi_equations.h).
  std::int32_t rhs_of_quasi_state(double t, const double* z, double* dz);
  // Returns the loads whose sizes depend on the multipliers; rhs finds these sizes.
  [[nodiscard]] ReactionDependentForces& reaction_dependent() { return dependent_forces_; }
  // Forgets earlier refusals of fast_rhs, so that a run does not depend on the one before.
  void restart_fast_rhs() { fast_pause_.restart(); }

  // Chooses multipliers where they are not unique. Without it, loads use those of the independent rows.
  struct SharedMultipliers {
    // Sets the ones that loads depend on, after each evaluation.
    std::function<void(double t, const double* y)> smallest;
    // If these are more than frictions at rest can hold, sets sizes of the loads and returns the multipliers that
    // belong to them. An empty vector means that there are none, nothing that none are looked for.
    std::function<std::optional<Eigen::VectorXd>(double t, const double* y)> with_loads;
  };
  void share_by(SharedMultipliers shared) { shared_ = std::move(shared); }

  [[nodiscard]] SolveMode mode() const { return mode_; }
  // Sets the mode of all evaluations that follow.
  void solve_by(SolveMode mode) { mode_ = mode; }
  // Selects the mode `literal`. The tolerance of the rank is relative to the largest pivot of the scaled rows.
  void solve_literally(double tolerance) {
    mode_ = SolveMode::literal;
    literal_tolerance_ = tolerance;
  }
  // Sets rows that leave none of these speeds free. If they ask for no acceleration, A u' = b = 0 gives u' = 0. rhs
  // then returns zero instead of the rounding of balanced forces.
  void set_determined(std::vector<std::uint32_t> rows, std::vector<std::uint32_t> speeds) {
    determined_rows_ = std::move(rows);
    determined_speeds_ = std::move(speeds);
    std::sort(determined_speeds_.begin(), determined_speeds_.end());
  }
  [[nodiscard]] const std::vector<std::uint32_t>& determined_speeds() const { return determined_speeds_; }
  [[nodiscard]] bool is_determined(std::uint32_t speed) const {
    return std::binary_search(determined_speeds_.begin(), determined_speeds_.end(), speed);
  }
  // Returns whether the last rhs in the current mode skipped a row because of a vanishing pivot or as dependent.
  [[nodiscard]] bool skipped_row() const;

  // Returns whether the mass matrix, with the inertia rows added, is positive definite at a state. If it is not, `out`
  // holds the system.
  bool has_inertia(double t, const double* y, Assembled& out);
  // Returns true if every speed has inertia of its own. This test is cheaper than has_inertia(). It returns false if
  // rows are added to M.
  bool own_inertia(double t, const double* y);

  // ---- Large systems are examined without full matrices. Systems beyond dense must not be turned into full matrices.
  [[nodiscard]] bool large() const { return large_; }
  [[nodiscard]] bool beyond_dense() const { return beyond_dense_; }
  [[nodiscard]] SparseRows sparse() { return SparseRows(*this); }

  // ---- These functions serve formulations in independent speeds.
  [[nodiscard]] QuasiEquations& quasi() { return quasi_; }
  [[nodiscard]] const QuasiEquations& quasi() const { return quasi_; }

  // Leaves M, f, A and b of a state in work.
  using KernelRunner::assemble;
  // Fills matrices as DenseRows::assemble does, with rounding errors if `errors` is set.
  std::int32_t assemble(double t, const double* y, Assembled& out, bool errors) {
    return dense_.assemble(t, y, out, errors);
  }
  // Returns the parts and their generic ranks, for the mode `truncated` and for other users.
  [[nodiscard]] TruncatedInverse& truncated() { return dense_.truncated(); }
  [[nodiscard]] const Assembled& assembled() const { return dense_.assembled(); }
  // Writes q' of a state to dq[0 .. n_coordinates). The rest of dq is overwritten.
  void rates(double t, const double* y, double* dq) { call(k_assemble, t, y, mask.data(), dq); }
  // Leaves the residuals of positions and velocities of a state in work.
  void residuals(double t, const double* y) { call(k_residuals, t, y, mask.data(), scratch()); }
  // Computes A u' - b of every row for the accelerations in dy. `out` gets n_rows entries.
  void row_defects(double t, const double* y, const double* dy, std::vector<double>& out);
  // Makes one Newton step of the projection: correction() is the w with A w = -residual and the smallest |w|_M, on the
  // rows of `rows` (1 or 0 each, n_rows). Residuals and |G|^2 (pivot_scale) stay in work.
  void correct(bool position, double t, const double* y, const std::vector<double>& rows);
  // Computes energies and outputs. It reads dy and the multipliers of the preceding call of rhs.
  void outputs(double t, const double* y, double* dy) { call(k_outputs, t, y, mask.data(), dy); }

  // The first two functions are assemble() and residuals() with the rows of contacts, which those two leave out if the
  // equations keep contacts apart. A and b of these rows stay until clear_rows(). The last one computes the energies of
  // outputs().
  void assemble_contacts(double t, const double* y);
  void contact_residuals(double t, const double* y);
  void clear_rows(const std::vector<std::uint32_t>& rows);
  void energies(double t, const double* y, double* dy);

  // The first function explains why the last evaluation at this state is not finite. The second explains why an output
  // is not finite with the accelerations in dy.
  std::optional<kernel::Failure> failure(double t, const double* y);
  std::optional<kernel::Failure> output_failure(double t, const double* y, const double* dy);

 private:
  std::int32_t explicit_rhs(SolveMode mode, double t, const double* y, double* dy);
  std::int32_t rhs_with_dependent_forces(SolveMode mode, double t, const double* y, double* dy);
  std::vector<double> rounding_of_multipliers(double t, const double* y, const double* dy);
  bool find_dependent_forces(SolveMode mode, double t, const double* y, double* dy, std::int32_t& failed);
  bool fast_rhs_considered(double t, const double* y, double* dy);
  void rest_where_determined(double t, const double* y, double* dy);
  // Returns whether `rows` are exactly the rows that the functions in lanes solve for.
  [[nodiscard]] bool rows_of_lanes(const std::vector<double>& rows) const;

  bool large_, beyond_dense_;
  SolveMode mode_ = SolveMode::fast;
  double literal_tolerance_ = 1e-10;
  kernel::KernelFunction fast_code_ = nullptr;  // native code of k_fast_rhs, if it gives the bits of rhs
  Backoff fast_pause_;
  DenseRows dense_;
  QuasiEquations quasi_;
  ReactionDependentForces dependent_forces_;
  SharedMultipliers shared_;
  std::vector<std::uint32_t> determined_rows_, determined_speeds_;
  std::vector<double> speeds_state_, aside_;  // buffers of rhs_of_quasi_state with reaction-dependent forces
};

}  // namespace mbc::runtime
