// SPDX-License-Identifier: Apache-2.0
#include "runtime/equations/implicit_loads.h"

#include <algorithm>

#include "runtime/rows/fixed_point.h"

namespace mbc::runtime {

bool ImplicitLoads::act(std::span<const double> inputs) const {
  return std::any_of(loads_.begin(), loads_.end(), [inputs](const ImplicitLoad& load) {
    return std::any_of(load.acts.begin(), load.acts.end(), [inputs](std::uint32_t k) { return inputs[k] != 0; });
  });
}

bool ImplicitLoads::solve(std::span<double> inputs, const std::function<const double*()>& evaluate) {
  acting_.clear();
  for (std::uint32_t k = 0; k < loads_.size(); ++k)
    if (std::any_of(loads_[k].acts.begin(), loads_[k].acts.end(), [inputs](std::uint32_t i) { return inputs[i] != 0; }))
      acting_.push_back(k);
  bool defined = true;
  const auto map = [&](const Eigen::VectorXd& x, Eigen::VectorXd& g) {
    for (std::size_t k = 0; k < acting_.size(); ++k) inputs[loads_[acting_[k]].input] = x[static_cast<Eigen::Index>(k)];
    const double* outputs = evaluate();
    defined = outputs != nullptr;
    for (std::size_t k = 0; defined && k < acting_.size(); ++k)
      g[static_cast<Eigen::Index>(k)] = outputs[loads_[acting_[k]].output];
    return defined;
  };
  const bool found = fixed_point(static_cast<Eigen::Index>(acting_.size()), map).found;
  if (!found && defined) unsolved_ = acting_[0];
  return found;
}

}  // namespace mbc::runtime
