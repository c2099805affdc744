// SPDX-License-Identifier: Apache-2.0
#include "runtime/events/functions/grazing.h"

#include <algorithm>

namespace mbc::runtime {

namespace {
constexpr double kLowOfBegin = 0.25;  // of a number at the beginning of a step: a lower minimum is looked at
}

double LocalMinimum::lowest() const {
  const double a = theta[1] - theta[0], b = theta[2] - theta[1], down = (value[1] - value[0]) / a,
               up = (value[2] - value[1]) / b, bend = up - down;
  const double part = theta[1] - 0.5 * (b * down + a * up) / bend;
  return std::clamp(part, theta[0] + 0.05 * a, theta[2] - 0.05 * b);
}

void LocalMinimum::refine(double part, double of) {
  const bool left = part < theta[1];
  if (of < value[1]) {
    theta[left ? 2 : 0] = theta[1];
    value[left ? 2 : 0] = value[1];
    theta[1] = part;
    value[1] = of;
  } else {
    theta[left ? 0 : 2] = part;
    value[left ? 0 : 2] = of;
  }
}

void Grazing::begin(const std::vector<double>& values, double part, const std::vector<double>& later) {
  later_ = part;
  at_later_ = later;
  push(0, values);
  for (std::size_t k = 0; k < gaps_.size(); ++k) seen_[k] = values[gaps_[k].number] > 0 ? 1 : 0;
}

void LocalMinimum::take(double part, double of) {
  if (!guessed) return refine(part, of);
  guessed = false;
  value[1] = of;
}

// Finds the minimum of a number that falls at first, by the parabola with its initial slope through the first sample.
std::optional<LocalMinimum> Grazing::at_begin(std::uint32_t number) const {
  const double h = theta_[2], v = values_[1][number], end = values_[2][number];
  const double slope = (at_later_[number] - v) / later_, bend = (end - v - slope * h) / (h * h);
  if (!(slope < 0 && bend > 0)) return {};
  const double part = -0.5 * slope / bend, low = v + 0.5 * slope * part;
  if (!(part < h && low < kLowOfBegin * v)) return {};
  return LocalMinimum{{0, part, h}, {v, low, end}, true};
}

// Finds the minimum of the last three samples. At the end of a step the last sample counts if the number rises there.
std::optional<LocalMinimum> Grazing::within(std::uint32_t number) const {
  const double first = values_[0][number], middle = values_[1][number], last = values_[2][number];
  const LocalMinimum minimum{theta_, {first, middle, last}};
  if (middle < first && middle <= last) return minimum;
  if (theta_[2] != 1 || !(last < middle && middle < first)) return {};
  const double a = theta_[1] - theta_[0], b = theta_[2] - theta_[1], down = (middle - first) / a,
               up = (last - middle) / b;
  return up + (up - down) * b / (a + b) > 0 ? std::optional(minimum) : std::nullopt;
}

void Grazing::push(double theta, const std::vector<double>& values) {
  std::rotate(theta_.begin(), theta_.begin() + 1, theta_.end());
  std::rotate(values_.begin(), values_.begin() + 1, values_.end());
  theta_[2] = theta;
  values_[2] = values;
}

}  // namespace mbc::runtime
