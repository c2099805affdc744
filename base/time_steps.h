// SPDX-License-Identifier: Apache-2.0
// The steps of a time span: begin + k*step; the last one is shorter if they do not divide the span. If the times of
// rows are listed, these are the steps.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>

namespace mbc {

struct TimeSteps {
  double begin = 0, step = 0;
  std::uint64_t count = 0;
  std::optional<double> end{};  // end of the last step, if it is shorter than the others

  std::span<const double> listed{};  // in order, with beginning and end: replaces begin + k*step

  // The span may differ from a whole number of steps by this fraction of a step.
  static constexpr double kWhole = 1e-6;

  // Requires begin < end, step > 0, fewer than 2^63 steps.
  static TimeSteps over(double begin, double end, double step) {
    const double steps = (end - begin) / step, whole = std::max(1.0, std::round(steps));
    if (std::fabs(steps - whole) <= kWhole) return {begin, step, static_cast<std::uint64_t>(whole), {}, {}};
    return {begin, step, static_cast<std::uint64_t>(std::ceil(steps)), end, {}};
  }
  // Makes steps from a list of two or more times; `step` is their mean distance.
  static TimeSteps at(std::span<const double> times) {
    const std::size_t count = times.size() - 1;
    return {times.front(), (times.back() - times.front()) / static_cast<double>(count), count, times.back(), times};
  }

  [[nodiscard]] double time_of(std::uint64_t k) const {
    if (!listed.empty()) return listed[std::min<std::uint64_t>(k, count)];
    return end && k == count ? *end : begin + static_cast<double>(k) * step;
  }
  // nearest() returns the step whose time is nearest to t. leads_to() returns whether that time is t, within the
  // tolerance of a span.
  [[nodiscard]] std::uint64_t nearest(double t) const {
    if (!listed.empty()) {
      const auto after = std::lower_bound(listed.begin(), listed.end(), t);
      const auto k = static_cast<std::uint64_t>(after - listed.begin());
      return k > count || (k > 0 && t - listed[k - 1] < listed[k] - t) ? k - 1 : k;
    }
    const double steps = std::clamp(std::round((t - begin) / step), 0.0, static_cast<double>(count));
    const auto k = static_cast<std::uint64_t>(steps);
    return count > 0 && std::fabs(t - time_of(count)) < std::fabs(t - time_of(k)) ? count : k;
  }
  [[nodiscard]] bool leads_to(double t) const { return std::fabs(t - time_of(nearest(t))) <= kWhole * step; }
};

}  // namespace mbc
