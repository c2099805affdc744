// SPDX-License-Identifier: Apache-2.0
// KernelRunner owns the arrays that the functions of a kernel read and write (kernel/kernel.h), and calls these. It
// names the values that a function leaves in `work` (kernel/layout.h says where). Views into `work` stay valid as long
// as the object. Their values are those of the last function that wrote them. All numbers are in SI units. The sizes
// n_rows, n_speeds, ... are those of the layout.
//
// Threads: one thread at a time may use a runner, and everything that a runner writes is its own. Any number of runners
// on any threads may share a kernel and a layout, which nobody changes, and the functions of a NativeSource. Each
// runner calls these functions, so they must be thread-safe.
#pragma once
#include <Eigen/Core>
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <span>
#include <vector>

#include "base/archive.h"
#include "base/stop_flag.h"
#include "kernel/layout.h"
#include "kernel/problem/discrete_state.h"
#include "runtime/equations/kernel_engines.h"

namespace mbc::runtime {

class KernelRunner {
 public:
  using enum KernelEngines::FunctionIndex;
  using FunctionIndex = KernelEngines::FunctionIndex;

  // All values start at zero, and all rows take part. Kernel and layout must outlive the object.
  KernelRunner(const kernel::Kernel& kernel, const kernel::SystemLayout& layout, NativeSource source);

  [[nodiscard]] const kernel::Kernel& kernel() const { return kernel_; }
  [[nodiscard]] const kernel::SystemLayout& layout() const { return layout_; }

  // ---- parameters and inputs
  // `params` has one value for each parameter of the model. The gains of Baumgarte's terms, which follow them, do not
  // change.
  void set_params(const std::vector<double>& params) {
    std::copy(params.begin(), params.end(), params_.begin());
    ++param_changes_;
  }
  // Sets the gains of a kernel with Baumgarte's terms. Gains of zero leave the rows as they are. A kernel without such
  // terms ignores the call.
  void set_gains(double alpha, double beta) {
    if (!layout_.gains) return;
    params_[*layout_.gains] = alpha;
    params_[*layout_.gains + 1] = beta;
    ++param_changes_;
  }
  [[nodiscard]] const std::vector<double>& params() const { return params_; }
  // This counter increases with every change, so that users of a copy know when to renew it.
  [[nodiscard]] std::uint64_t param_changes() const { return param_changes_; }
  void set_input(std::uint32_t index, double value) { inputs_[index] = value; }
  // Sets the inputs of the model. The values that checks of a test have set, which follow them, do not change.
  void set_inputs(const std::vector<double>& inputs) { std::copy(inputs.begin(), inputs.end(), inputs_.begin()); }
  [[nodiscard]] std::span<double> inputs() { return inputs_; }
  [[nodiscard]] std::span<const double> inputs() const { return inputs_; }
  // The discrete state is a part of the inputs. `events` must belong to the problem of the kernel and outlive the
  // result.
  [[nodiscard]] problem::DiscreteState discrete_state(const problem::Events& events) {
    return {events.discrete, inputs_};
  }

  // The mask has n_rows entries: 1 for the rows of the certified independent set, else 0. Only the certification
  // changes it.
  std::vector<double> mask;

  // ---- results of the functions
  [[nodiscard]] const std::vector<double>& work() const { return work_; }
  [[nodiscard]] std::span<double> work_to_write() { return work_; }
  // `assemble` writes the values of A in the order of layout().column and those of M in the order of layout().mass.
  [[nodiscard]] const double* row_values() const { return work_.data() + layout_.A; }
  [[nodiscard]] const double* mass_values() const { return work_.data() + layout_.M; }
  // `residuals` writes e and e', n_rows entries each. An entry is zero if the row has no position level.
  [[nodiscard]] const double* position_residual() const { return work_.data() + layout_.position_residual; }
  [[nodiscard]] const double* velocity_residual() const { return work_.data() + layout_.velocity_residual; }
  [[nodiscard]] const double* residual(bool position) const {
    return position ? position_residual() : velocity_residual();
  }
  // The corrections write n_speeds entries.
  [[nodiscard]] const double* correction() const { return work_.data() + layout_.correction; }
  // `rhs` writes n_rows entries each: the multipliers, and the pivot d_k and diagonal entry S_kk of the elimination of
  // S = A M^-1 A^T.
  [[nodiscard]] const double* lambda() const { return work_.data() + layout_.lambda; }
  [[nodiscard]] const double* pivot() const { return work_.data() + layout_.pivot; }
  [[nodiscard]] const double* pivot_scale() const { return work_.data() + layout_.pivot_scale; }
  // These are the multipliers without the loads of `nonideal` blocks. The result is null if the model has no such
  // blocks.
  [[nodiscard]] const double* ideal() const { return layout_.ideal ? work_.data() + *layout_.ideal : nullptr; }
  // Sets n_rows multipliers for the outputs that follow.
  void set_lambda(const Eigen::VectorXd& values) {
    std::copy(values.begin(), values.end(), work_.begin() + layout_.lambda);
  }
  // `outputs` writes these values.
  [[nodiscard]] double kinetic() const { return work_[layout_.kinetic]; }
  [[nodiscard]] double potential() const { return work_[layout_.potential]; }
  [[nodiscard]] const double* output_values() const { return work_.data() + layout_.outputs; }

  // Transfers all arrays. The reader must belong to the same kernel.
  void transfer(Archive& archive) {
    archive.fixed(mask, params_, inputs_);
    archive.results(work_);
    for (const double takes_part : mask) archive.expect(takes_part == 0 || takes_part == 1);
    ++param_changes_;
  }

  // ---- calls
  [[nodiscard]] KernelEngines& engines() { return engines_; }
  [[nodiscard]] bool has(FunctionIndex which) const { return engines_.function(which) != nullptr; }
  // The function `which` must exist.
  [[nodiscard]] const kernel::Function& function(FunctionIndex which) const { return *engines_.function(which); }
  // `state` and `deriv` have the n_state entries of the kernel, `rows` has n_rows. The result is the status of the
  // function (kernel_engines.h).
  std::int32_t call(FunctionIndex which, double t, const double* state, const double* rows, double* deriv);
  // Lets this flag interrupt call() and poll(), or none. Both throw Interrupted.
  void interrupt_by(const volatile std::sig_atomic_t* stop) { interruption_.watch(stop); }
  void poll() { interruption_.poll(); }
  // Returns n_state entries for derivatives that nobody reads.
  [[nodiscard]] double* scratch() { return scratch_.data(); }
  // Leaves M, f, A and b of a state in work, and the rates of coordinates and states in scratch().
  void assemble(double t, const double* state) { call(k_assemble, t, state, mask.data(), scratch_.data()); }
  // Calls a function with the rows of the mask and bounds the rounding errors of what it leaves in work and scratch(),
  // by place, in units of eps. Each vector has the size of its array or of the part that is written. With `sizes` of
  // the state it measures the terms of these values (kernel/interpreter.h).
  void call_with_error(FunctionIndex which, double t, const double* state, std::vector<double>& work_error,
                       std::vector<double>& deriv_error, const double* sizes = nullptr) {
    engines_.call_with_error(which, arguments(t, state), work_error.data(), deriv_error.data(), sizes);
  }
  // Explains why a function is not finite at a state. The derivatives are in scratch(), before and after.
  std::optional<kernel::Failure> failure(FunctionIndex which, double t, const double* state);
  [[nodiscard]] bool can_jump(FunctionIndex which) const { return kernel::can_switch(function(which)); }
  // Returns an operation of a function that jumps between two states. Afterwards work holds the values of the second
  // state.
  std::optional<Span> jump_between(FunctionIndex which, double t, const double* state, double t_after,
                                   const double* after);
  // Returns an operation whose result grows by this factor though no operand does.
  std::optional<Span> growth_between(FunctionIndex which, double t, const double* state, double t_after,
                                     const double* after, double grown);

 protected:
  void clear_work();

  const kernel::SystemLayout& layout_;
  std::vector<double> params_, inputs_, work_;

 private:
  [[nodiscard]] kernel::Arguments arguments(double t, const double* state, const double* rows, double* deriv) {
    return {.t = t,
            .state = state,
            .params = params_.data(),
            .inputs = inputs_.data(),
            .mask = rows,
            .work = work_.data(),
            .deriv = deriv};
  }

  [[nodiscard]] kernel::Arguments arguments(double t, const double* state) {
    return arguments(t, state, mask.data(), scratch_.data());
  }

  const kernel::Kernel& kernel_;
  std::uint64_t param_changes_ = 0;
  std::vector<double> scratch_;
  Interruption interruption_;
  KernelEngines engines_;
};

}  // namespace mbc::runtime
