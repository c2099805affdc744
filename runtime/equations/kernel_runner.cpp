// SPDX-License-Identifier: Apache-2.0
#include "runtime/equations/kernel_runner.h"

namespace mbc::runtime {

KernelRunner::KernelRunner(const kernel::Kernel& kernel, const kernel::SystemLayout& layout, NativeSource source)
    : mask(layout.n_rows, 1.0),
      layout_(layout),
      params_(kernel.n_params),
      inputs_(kernel.n_inputs),
      work_(kernel.n_work),
      kernel_(kernel),
      scratch_(kernel.n_state),
      engines_(kernel, layout.laned, std::move(source)) {}

std::int32_t KernelRunner::call(FunctionIndex which, double t, const double* state, const double* rows, double* deriv) {
  poll();
  return engines_.call(which, arguments(t, state, rows, deriv));
}

std::optional<kernel::Failure> KernelRunner::failure(FunctionIndex which, double t, const double* state) {
  return find_failure(kernel_, function(which), arguments(t, state));
}

std::optional<Span> KernelRunner::jump_between(FunctionIndex which, double t, const double* state, double t_after,
                                               const double* after) {
  if (!can_switch(function(which))) return {};
  return find_switch(kernel_, function(which), arguments(t, state), arguments(t_after, after));
}

std::optional<Span> KernelRunner::growth_between(FunctionIndex which, double t, const double* state, double t_after,
                                                 const double* after, double grown) {
  return find_growth(kernel_, function(which), arguments(t, state), arguments(t_after, after), grown);
}

void KernelRunner::clear_work() {
  std::fill(mask.begin(), mask.end(), 1.0);
  std::fill(work_.begin(), work_.end(), 0.0);
  std::fill(scratch_.begin(), scratch_.end(), 0.0);
}

}  // namespace mbc::runtime
