// SPDX-License-Identifier: Apache-2.0
// The arrays that the functions of a kernel read and write (kernel/kernel.h), those of one thread, and names for what a
// function leaves in `work` (kernel/layout.h says where). Views into `work` stay valid as long as the object; their
// values are those of the last function that wrote them. Numbers are in SI units; n_rows, n_speeds, ... are those of
// the layout.
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
  // All zero, all rows taking part. The layout outlives the object.
  KernelArrays(const kernel::Kernel& kernel, const kernel::SystemLayout& layout)
      : mask(layout.n_rows, 1.0),
        layout_(layout),
        params_(kernel.n_params),
        inputs_(kernel.n_inputs),
        work_(kernel.n_work) {}

  [[nodiscard]] const kernel::SystemLayout& layout() const { return layout_; }

  // ---- parameters and inputs
  // As many values as the model has parameters; Baumgarte's gains, which come after them, stay.
  void set_params(const std::vector<double>& params) {
    std::copy(params.begin(), params.end(), params_.begin());
    ++param_changes_;
  }
  // Of a kernel with Baumgarte's terms; 0 and 0 leave the rows as they are. Without such terms nothing is done.
  void set_gains(double alpha, double beta) {
    if (!layout_.gains) return;
    params_[*layout_.gains] = alpha;
    params_[*layout_.gains + 1] = beta;
    ++param_changes_;
  }
  [[nodiscard]] const std::vector<double>& params() const { return params_; }
  // Counts up: whoever has copied the parameters knows by it when to do so again.
  [[nodiscard]] std::uint64_t param_changes() const { return param_changes_; }
  void set_input(std::uint32_t index, double value) { inputs_[index] = value; }
  // The model's; values that the checks of a test have set, which come after them, stay.
  void set_inputs(const std::vector<double>& inputs) { std::copy(inputs.begin(), inputs.end(), inputs_.begin()); }
  [[nodiscard]] std::span<double> inputs() { return inputs_; }
  [[nodiscard]] std::span<const double> inputs() const { return inputs_; }
  // Among the inputs. events: of the problem that the kernel is of; they outlive what is returned.
  [[nodiscard]] problem::DiscreteState discrete_state(const problem::Events& events) {
    return {events.discrete, inputs_};
  }

  // n_rows: 1 for rows of the certified independent set, else 0. Changed by the certification only.
  std::vector<double> mask;

  // ---- what the functions leave behind
  [[nodiscard]] const std::vector<double>& work() const { return work_; }
  [[nodiscard]] std::span<double> work_to_write() { return work_; }
  // assemble: the values of A in the order of layout().column, those of M in the order of layout().mass
  [[nodiscard]] const double* row_values() const { return work_.data() + layout_.A; }
  [[nodiscard]] const double* mass_values() const { return work_.data() + layout_.M; }
  // residuals, n_rows each: e and e' (zero where a row has no position level)
  [[nodiscard]] const double* position_residual() const { return work_.data() + layout_.position_residual; }
  [[nodiscard]] const double* velocity_residual() const { return work_.data() + layout_.velocity_residual; }
  // corrections: n_speeds
  [[nodiscard]] const double* correction() const { return work_.data() + layout_.correction; }
  // rhs, n_rows each: multipliers; pivot d_k and diagonal entry S_kk of the elimination of S = A M^-1 A^T
  [[nodiscard]] const double* lambda() const { return work_.data() + layout_.lambda; }
  [[nodiscard]] const double* pivot() const { return work_.data() + layout_.pivot; }
  [[nodiscard]] const double* pivot_scale() const { return work_.data() + layout_.pivot_scale; }
  // the multipliers without the loads of `nonideal` blocks; null where there are none
  [[nodiscard]] const double* ideal() const { return layout_.ideal ? work_.data() + *layout_.ideal : nullptr; }
  // for the outputs that follow; n_rows
  void set_lambda(const Eigen::VectorXd& values) {
    std::copy(values.begin(), values.end(), work_.begin() + layout_.lambda);
  }
  // outputs
  [[nodiscard]] double kinetic() const { return work_[layout_.kinetic]; }
  [[nodiscard]] double potential() const { return work_[layout_.potential]; }
  [[nodiscard]] const double* output_values() const { return work_.data() + layout_.outputs; }

  // All of it; the reader is of the same kernel.
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
