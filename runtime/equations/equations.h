// SPDX-License-Identifier: Apache-2.0
// The equations of motion as a solver sees them: arrays, one call per function, by compiled code or by the interpreter.
//
//   y = [q; u; s]   coordinates, speeds, first-order states (those of the model, two work integrals); sizes in layout()
//   rhs(t, y, dy)   dy = [q'; u'; s'], 0 or k > 0 when dy[k-1] is not finite
//
// Three ways to the accelerations, all on the same rows:
//   fast     the kernel's own elimination of S = A M^-1 A^T, for well-conditioned rows
//   robust   assembled rows, Householder QR of the certified ones, for rows that are nearly dependent
//   literal  the generalised inverse of seed 003 eq. 3 as written, rank decided on the spot
// Everything is allocated by the constructor; rhs in fast mode allocates nothing.
#pragma once
#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <vector>

#include "base/archive.h"
#include "kernel/interpreter.h"
#include "kernel/kernel.h"
#include "kernel/layout.h"
#include "kernel/native_slot.h"
#include "runtime/equations/independent_speeds.h"
#include "runtime/rows/generalised_inverse.h"
#include "runtime/rows/mass_scaling.h"

namespace mbc::runtime {

enum class SolveMode : std::uint8_t { fast, robust, literal };

// M, f, A, b at a state, dense; errors in units of eps (interpret_with_error).
struct Assembled {
  Eigen::MatrixXd A, A_error;
  Eigen::VectorXd b, b_error, f, f_error;
  Eigen::MatrixXd M;
  // What is solved with: M + A^T D A and f + A^T D b where M alone is singular (layout: inertia_rows), else M and f.
  Eigen::MatrixXd solved_mass;
  Eigen::VectorXd solved_force;
  MassScaling scaling;  // of solved_mass

  // The accelerations without the multipliers, M^-1 f = L^-T (L^-1 f)
  [[nodiscard]] Eigen::VectorXd free_acceleration() const {
    return scaling.from_scaled(scaling.scale_rows(solved_force.transpose()).transpose());
  }
};

struct SparseSolution {
  std::vector<double> acceleration, multiplier;
};

// Native code for a function, or null (then it stays interpreted). Called when a function has earned it.
using Compiler = std::function<kernel::KernelFunction(const kernel::Function&)>;

class Equations {
 public:
  // `compiler` may be empty: then everything is interpreted. Kernel and layout outlive the object. rhs is compiled at
  // once, the others when they have been called often: compiling a function costs as much as interpreting it a few
  // thousand times, a large one fewer, and both give the same bits.
  Equations(const kernel::Kernel& kernel, const kernel::SystemLayout& layout, Compiler compiler);
  // In place of a compiler: everything is interpreted at first, and a function changes over to native code once that is
  // there. It is asked for when it is expected to be there before the calls end (calls_worth_compiling).
  void compile_in_background(kernel::NativeStarter starter);
  // That many right-hand sides are about to be asked for.
  void expect_calls(double rhs_calls);

  // For the right-hand sides by the kernel since forget_engine() or the constructor; where there were none, for the
  // next.
  [[nodiscard]] kernel::EnginesUsed engines_used() const;
  void forget_engine() { interpreted_rhs_ = native_rhs_ = false; }

  [[nodiscard]] const kernel::SystemLayout& layout() const { return layout_; }
  [[nodiscard]] const kernel::Kernel& kernel() const { return kernel_; }
  // As after the constructor, but for parameters, inputs and what has been compiled: a run that follows does not depend
  // on the one before.
  void forget();
  void set_params(const std::vector<double>& params) {
    std::copy(params.begin(), params.end(), params_.begin());
    ++param_changes_;
  }
  // Counts up: whoever has copied the parameters knows by it when to do so again.
  [[nodiscard]] std::uint64_t param_changes() const { return param_changes_; }
  // Of a kernel with Baumgarte's terms; 0 and 0 leave the rows as they are. Nothing without them.
  void set_gains(double alpha, double beta);
  [[nodiscard]] const std::vector<double>& params() const { return params_; }
  void set_input(std::uint32_t index, double value) { inputs_[index] = value; }
  // The model's; a test's own values, which come after them, stay.
  void set_inputs(const std::vector<double>& inputs) { std::copy(inputs.begin(), inputs.end(), inputs_.begin()); }
  [[nodiscard]] std::span<double> inputs() { return inputs_; }
  // All that later evaluations depend on; the reader is of the same kernel.
  void transfer(Archive& archive);

  std::int32_t rhs(double t, const double* y, double* dy);
  // The derivatives of rhs and nothing else, in less time: true when dy is what rhs gives (which returned 0) and no row
  // is nearly dependent. Bit for bit, but for long systems in lanes, where it is to round-off (and the same whatever
  // the engine). What work holds belongs to an earlier call of rhs then. False: rhs is needed.
  bool lean_rhs(double t, const double* y, double* dy) {
    if (lean_code_ == nullptr || lean_wait_ > 0 || mode != SolveMode::fast) return lean_slowly(t, y, dy);
    if (lean_code_(t, y, params_.data(), inputs_.data(), mask.data(), work_.data(), dy) != 0) return lean_refused();
    lean_pause_ = 1;
    return true;
  }
  // Forgets earlier refusals of lean_rhs: a run does not depend on the one before.
  void restart_lean() {
    lean_wait_ = 0;
    lean_pause_ = 1;
  }

  SolveMode mode = SolveMode::fast;
  double literal_tolerance = 1e-10;
  // 1 for rows of the certified independent set. Changed by the certification only.
  std::vector<double> mask;
  // Row skipped by a vanishing pivot in the last rhs, in any mode.
  [[nodiscard]] bool skipped_row() const;

  // Whether the mass matrix, with the rows added to it, is positive definite at a state; if not, it is left in `out`.
  bool has_inertia(double t, const double* y, Assembled& out);
  // A cheap part of it: every speed has inertia of its own (false as well when rows are added to M).
  bool own_inertia(double t, const double* y);

  // ---- large systems (equations_sparse.cpp), looked at without full matrices; and those of which no full matrix may
  // be made, not by assemble() either.
  [[nodiscard]] bool large() const;
  [[nodiscard]] bool beyond_dense() const;
  // Speeds of a block of M that is not positive definite at a state, as has_inertia().
  std::vector<std::uint32_t> without_inertia(double t, const double* y);
  // M, f, A, b left in work, and their rounding errors in units of eps, by place in work.
  std::vector<double> assemble_errors(double t, const double* y);
  // After either assemble(): M u' = force + A^T lambda with A u' = right_side on `rows`; f and b in work are
  // overwritten, pivots left there. False when M is not positive definite.
  bool solve_sparse(const std::vector<double>& rows, const std::vector<double>& force,
                    const std::vector<double>& right_side, SparseSolution& out);

  // M, f, A, b at a state, left in work; the values of A in the order of layout().column, those of M of layout().mass.
  void assemble(double t, const double* y) { call(k_assemble, t, y, mask.data(), scratch_dy_.data()); }
  [[nodiscard]] const double* row_values() const { return work_.data() + layout_.A; }
  [[nodiscard]] const double* mass_values() const { return work_.data() + layout_.M; }

  // ---- formulations in independent speeds (layout().quasi; equations_quasi.cpp). They are chosen at the first rhs,
  // and anew when the mask has changed or the choice has become singular.
  //
  // Whether the state to be integrated is z = [q; y; s]: quasi-velocities in the first places of the speeds, then
  // zeros.
  [[nodiscard]] bool in_quasi_velocities() const { return layout_.quasi && layout_.quasi->state; }
  std::int32_t rhs_quasi(double t, const double* z, double* dz);
  // From the state to z and back; 0 or the failed entry.
  std::int32_t to_quasi(double t, const double* y, double* z);
  std::int32_t to_speeds(double t, const double* z, double* y);
  // dz that belongs to the rate dy that rhs has just given.
  void quasi_rate(const double* dy, double* dz) const;
  // A choice for the state y, taken when it is clearly better than the one at hand. Whether it was changed; then the
  // last rhs belongs to it.
  bool renew_speeds(double t, const double* y, double* dy);
  // Keeps the momenta of this state (conserved ones as rows).
  void hold_momenta(double t, const double* y);
  [[nodiscard]] const SpeedChoice& speed_choice() const { return choice_; }
  // Counts up with every change of the choice: before and after, z means different things.
  [[nodiscard]] std::uint64_t speed_choices() const { return choices_; }
  // Rows of the choice at hand that depend on the others at a state (of either kind).
  std::vector<std::size_t> lost_rows(double t, const double* y);
  // The last evaluation found no independent speeds.
  [[nodiscard]] bool speeds_lost() const { return layout_.quasi && work_[layout_.quasi->quality] == 0; }

  // Position- and velocity-level residuals at a state; views into work.
  void residuals(double t, const double* y);
  [[nodiscard]] const double* position_residual() const { return work_.data() + layout_.position_residual; }
  [[nodiscard]] const double* velocity_residual() const { return work_.data() + layout_.velocity_residual; }

  // One Newton step of the projection: w with A w = -residual on the rows of `rows`; residual and |G|^2 are in work.
  void correct(bool position, double t, const double* y, const std::vector<double>& rows);
  [[nodiscard]] const double* correction() const { return work_.data() + layout_.correction; }
  [[nodiscard]] const std::vector<double>& work() const { return work_; }  // as layout() says
  [[nodiscard]] const double* lambda() const { return work_.data() + layout_.lambda; }
  // the multipliers without the loads of `nonideal` blocks; null where there are none
  [[nodiscard]] const double* ideal() const { return layout_.ideal ? work_.data() + *layout_.ideal : nullptr; }
  void set_lambda(const Eigen::VectorXd& values);  // for the outputs that follow
  [[nodiscard]] const double* pivot() const { return work_.data() + layout_.pivot; }
  [[nodiscard]] const double* pivot_scale() const { return work_.data() + layout_.pivot_scale; }

  // Energies and outputs; reads dy and the multipliers of the rhs call before.
  void outputs(double t, const double* y, double* dy);
  [[nodiscard]] double kinetic() const { return work_[layout_.kinetic]; }
  [[nodiscard]] double potential() const { return work_[layout_.potential]; }
  [[nodiscard]] const double* output_values() const { return work_.data() + layout_.outputs; }

  // M, f, A, b as matrices; with their rounding errors when asked for. 0 or the failed entry.
  std::int32_t assemble(double t, const double* y, Assembled& out, bool errors);

  // q' at a state, in dq[0 .. n_coordinates); the rest of dq is overwritten.
  void rates(double t, const double* y, double* dq) { call(k_assemble, t, y, mask.data(), dq); }

  // A u' - b of every row, for the accelerations in dy.
  void row_defects(double t, const double* y, const double* dy, std::vector<double>& out);

  // Why the last evaluation at this state is not finite; why an output is not, with the accelerations in dy.
  std::optional<kernel::Failure> failure(double t, const double* y);
  std::optional<kernel::Failure> output_failure(double t, const double* y, const double* dy);

 private:
  enum FunctionIndex {
    k_rhs,
    k_assemble,
    k_power,
    k_residuals,
    k_correct_position,
    k_correct_velocity,
    k_outputs,
    k_nonideal,  // this and the following only where the layout has them
    k_rates,
    k_expand,
    k_rhs_quasi,
    k_stage,
    k_stage_position,  // in lanes: the corrections where all rows are asked for and stand apart
    k_stage_velocity,
    k_stage_full,  // in lanes: what rhs leaves, where all rows are certified and stand apart
    k_count
  };
  void start(FunctionIndex which);
  bool stage_is_faster();
  void consider_native(FunctionIndex which);
  bool lean_slowly(double t, const double* y, double* dy);
  bool lean_refused();
  static constexpr std::uint64_t kLongestCode = 100'000;  // instructions
  [[nodiscard]] bool too_long(int which) const;
  // Evaluated at accepted states.
  [[nodiscard]] FunctionIndex main_rhs() const {
    if (functions_[k_stage_full]) return k_stage_full;
    return functions_[k_rhs_quasi] ? k_rhs_quasi : k_rhs;
  }
  // The rows that functions in lanes solve for, and no others.
  [[nodiscard]] bool rows_of_lanes(const std::vector<double>& rows) const;
  std::int32_t call(FunctionIndex which, double t, const double* y, const double* mask_values, double* dy);
  std::int32_t rhs_by_rows(double t, const double* y, double* dy);
  void solve_rows(Eigen::VectorXd& acceleration, Eigen::VectorXd& multipliers);  // from assembled_
  void add_inertia_rows(Assembled& out) const;

  std::int32_t rhs_by_quasi_velocities(double t, const double* y, double* dy);
  void set_choice(const SpeedChoice& choice);

  // Calls, or operations interpreted, after which a function is compiled.
  static constexpr std::uint32_t kWorthCompiling = 5000;
  static constexpr std::uint64_t kWorthOperations = 10'000'000;
  // Calls of the compiled rhs that cost more than they need to by as much as compiling `stage` costs.
  static constexpr std::uint32_t kWorthLeanCode = 100'000;
  static constexpr std::uint32_t kLongestPause = 1024;
  static constexpr std::uint32_t kAsked = 0xffff'ffff;  // in place of calls: native code has been asked for

  const kernel::Kernel& kernel_;
  const kernel::SystemLayout& layout_;
  Compiler compiler_;              // either this
  kernel::NativeStarter starter_;  // or that
  std::array<std::uint32_t, k_count> calls_{}, worth_{};
  std::array<std::uint32_t, k_count> worth_opening_{};  // of those other than rhs, when nothing is compiled yet
  std::array<std::shared_ptr<const kernel::NativeSlot>, k_count> slots_{};
  bool any_started_ = false, interpreted_rhs_ = false, native_rhs_ = false;
  std::array<const kernel::Function*, k_count> functions_{};
  std::array<kernel::KernelFunction, k_count> compiled_{};
  kernel::Registers registers_;
  std::vector<double> params_, inputs_, work_, scratch_dy_;
  Assembled assembled_;
  RobustSolver robust_;
  bool robust_skipped_ = false;
  SpeedChoice choice_;              // of formulations in independent speeds
  std::vector<double> chosen_for_;  // the mask it was made for
  bool chosen_ = false;
  double chosen_quality_ = 0;
  std::uint64_t choices_ = 0, param_changes_ = 0;
  bool lean_bits_ = true;                         // `stage` gives the bits of rhs
  kernel::KernelFunction lean_code_ = nullptr;    // that of `stage`, where it gives the bits of rhs
  std::uint32_t lean_wait_ = 0, lean_pause_ = 1;  // calls of lean_rhs to go without an attempt; after the next failure
};

}  // namespace mbc::runtime
