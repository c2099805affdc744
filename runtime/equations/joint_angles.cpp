// SPDX-License-Identifier: Apache-2.0
#include "runtime/equations/joint_angles.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mbc::runtime {

JointAngles::JointAngles(Equations& equations, const problem::Events& events) : equations_(equations), events_(events) {
  if (events.angles.empty()) return;
  std::vector<std::uint32_t> places;
  for (const problem::JointAngle& a : events.angles)
    for (const std::uint32_t value : {a.value, a.value + 1})
      places.push_back(equations.layout().outputs + events.first_value + value);
  line_ = kernel::straight_line(equations.function(Equations::k_outputs), places);
}

// The rates at both ends of a long step tell how many turns it makes. A rate may jump in a short one.
double JointAngles::turned(std::size_t angle, double by_pose, double rate, double dt) const {
  if (dt * std::max(std::fabs(rate), std::fabs(rates_[angle])) <= std::numbers::pi / 2) return by_pose;
  const double expected = angles_[angle] + 0.5 * dt * (rate + rates_[angle]);
  return expected + std::remainder(by_pose - expected, 2 * std::numbers::pi);
}

void JointAngles::follow(double t, const double* y) {
  const std::size_t count = events_.angles.size();
  if (count == 0) return;
  kernel::evaluate(line_, t, y, equations_.params().data(), equations_.inputs().data(), values_);
  const bool first = angles_.empty();
  angles_.resize(count);
  rates_.resize(count);
  const problem::DiscreteState discrete = equations_.discrete_state(events_);
  for (std::size_t k = 0; k < count; ++k) {
    double angle = values_[line_.results[2 * k]];
    const double rate = values_[line_.results[2 * k + 1]];
    if (!std::isfinite(angle) || !std::isfinite(rate)) continue;
    if (!first) angle = turned(k, angle, rate, t - t_);
    double& near = discrete[events_.angles[k].near];
    if (std::fabs(angle - near) > std::numbers::pi / 2) near = std::numbers::pi * std::round(angle / std::numbers::pi);
    angles_[k] = angle;
    rates_[k] = rate;
  }
  t_ = t;
}

void JointAngles::transfer(Archive& archive) {
  archive(t_);
  archive.fixed_or_empty(angles_, events_.angles.size());
  archive.fixed_or_empty(rates_, angles_.size());
  archive.expect(angles_.size() == rates_.size());
}

}  // namespace mbc::runtime
