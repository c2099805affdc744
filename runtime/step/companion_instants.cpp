// SPDX-License-Identifier: Apache-2.0
// Carries the errors of a run across events and discontinuities.
#include <algorithm>
#include <cmath>

#include "runtime/step/companion_steps.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

bool CompanionSteps::follows_events() const {
  return looks_ && sizes_ && is_told() && state_.info().events.frictions.empty();
}

// The step that ends here is the last one of its window. What a method neglects in a step that was cut is not known.
void CompanionSteps::reach(double t) {
  before_rate_ = state_.dy();
  if (!is_open_) return;
  ++done_;
  times_.push_back(t);
  if (!nothing_happened()) return drop();
  length_ = done_;
  look();
  length_ = std::max<std::uint64_t>(2, length_);
}

double CompanionSteps::displace(std::vector<double>& y) const {
  const double largest = relative(error_), scale = largest > 0 ? kDisplacedBy / largest : 0;
  y = state_.y();
  for (std::size_t i = 0; i < size(); ++i) y[i] += scale * error_[i];
  return scale;
}

double CompanionSteps::go_back(std::vector<double>& y) const {
  const double rate = relative(before_rate_), earlier = rate > 0 ? kDisplacedBy / rate : 0;
  y = state_.y();
  for (std::size_t i = 0; i < size(); ++i) y[i] -= earlier * before_rate_[i];
  return earlier;
}

void CompanionSteps::pass(double late) {
  if (late == 0 || !follows_events()) return;
  for (std::size_t i = 0; i < size(); ++i) {
    error_[i] += late * (before_rate_[i] - state_.dy()[i]);
    worst_[i] = std::max(worst_[i], std::fabs(error_[i]));
  }
}

}  // namespace mbc::runtime
