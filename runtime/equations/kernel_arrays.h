// SPDX-License-Identifier: Apache-2.0
// KernelArrays owns the arrays that the functions of a kernel read and write (kernel/kernel.h), for one thread. It
// names the values that a function leaves in `work` (kernel/layout.h says where). Views into `work` stay valid as long
// as the object. Their values are those of the last function that wrote them. All numbers are in SI units. The sizes
// n_rows, n_speeds, ... are those of the layout.
#pragma once
#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/archive.h"
#include "kernel/kernel.h"
#include "kernel/layout.h"
#include "kernel/problem/discrete_state.h"

namespace mbc::runtime {

class KernelArrays {
 public:
  // All values start at zero, and all rows take part. The layout must outlive the object.
  KernelArrays(const kernel::Kernel& kernel, const kernel::SystemLayout& layout)
      : mask(layout.n_rows, 1.0),
        layout_(layout),
        params_(kernel.n_params),
        inputs_(kernel.n_inputs),
        work_(kernel.n_work) {}

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

 protected:
  const kernel::SystemLayout& layout_;
  std::vector<double> params_, inputs_, work_;

 private:
  std::uint64_t param_changes_ = 0;
};

}  // namespace mbc::runtime
