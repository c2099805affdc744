// SPDX-License-Identifier: Apache-2.0
// The steps that a time span is made of: begin + k*step; the last one is shorter where they do not divide the span.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace mbc {

struct TimeSteps {
  double begin = 0, step = 0;
  std::uint64_t count = 0;
  std::optional<double> end{};  // of the last step, where it is shorter than the others

  // A span may miss a whole number of steps by this much of a step.
  static constexpr double kWhole = 1e-6;

  // begin < end, step > 0; fewer than 2^63 steps.
  static TimeSteps over(double begin, double end, double step) {
    const double steps = (end - begin) / step, whole = std::max(1.0, std::round(steps));
    if (std::fabs(steps - whole) <= kWhole) return {begin, step, static_cast<std::uint64_t>(whole), {}};
    return {begin, step, static_cast<std::uint64_t>(std::ceil(steps)), end};
  }

  [[nodiscard]] double time_of(std::uint64_t k) const {
    return end && k == count ? *end : begin + static_cast<double>(k) * step;
  }
  // The step that leads there, or is nearest; whether it leads there exactly, as exactly as a span has to fit.
  [[nodiscard]] std::uint64_t nearest(double t) const {
    const double steps = std::clamp(std::round((t - begin) / step), 0.0, static_cast<double>(count));
    const auto k = static_cast<std::uint64_t>(steps);
    return count > 0 && std::fabs(t - time_of(count)) < std::fabs(t - time_of(k)) ? count : k;
  }
  [[nodiscard]] bool leads_to(double t) const { return std::fabs(t - time_of(nearest(t))) <= kWhole * step; }
};

}  // namespace mbc
