// SPDX-License-Identifier: Apache-2.0
#include "runtime/record/runaway.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mbc::runtime {

namespace {

constexpr double kSlower = 2;             // doublings that slow down by more than this are those of a power, p < 5
constexpr std::uint32_t kMostAtOnce = 8;  // between two rows: more is a jump, or rows too far apart to tell
constexpr double kNearest = 1e-3;         // smaller distances count as none

bool is_length(problem::Problem::Size size) { return size <= problem::Problem::Size::length; }

}  // namespace

void Runaway::begin(const problem::Problem& info, const kernel::SystemLayout& layout, double t,
                    const std::vector<double>& y) {
  first_.assign(y.begin(), y.begin() + layout.n_coordinates);
  double length = 1;
  for (std::uint32_t k = 0; k < layout.n_coordinates; ++k)
    if (is_length(info.sizes[k])) length = std::max(length, std::fabs(first_[k]));
  weights_.resize(first_.size());
  for (std::uint32_t k = 0; k < layout.n_coordinates; ++k)
    weights_[k] = 1 / (is_length(info.sizes[k]) ? length : std::max(1.0, std::fabs(first_[k])));
  most_ = kNearest;
  last_ = t;
  next_ = 0;
}

std::optional<Runaway::Found> Runaway::look(double t, const std::vector<double>& y) {
  if (next_ > kLevels) return {};
  double most = most_;
  std::uint32_t farthest = 0;
  for (std::uint32_t k = 0; k < first_.size(); ++k) {
    const double distance = std::fabs(y[k] - first_[k]) * weights_[k];
    if (distance <= most) continue;
    most = distance;
    farthest = k;
  }
  const double begin = std::exchange(last_, t);
  if (most <= most_) return {};
  const double from = std::log2(most_), now = std::log2(most);
  most_ = most;
  const std::uint32_t first = next_;
  for (; next_ <= kLevels && next_ <= now; ++next_) times_[next_] = begin + (t - begin) * (next_ - from) / (now - from);
  const std::uint32_t at_once = next_ - first;
  if (at_once > kMostAtOnce) next_ = kLevels + 1;
  if (next_ <= kLevels || at_once > kMostAtOnce || !even()) return {};
  return Found{farthest, (times_[kLevels] - times_[kLevels - kPiece]) / kPiece};
}

bool Runaway::even() const {
  for (std::uint32_t k = 2 * kPiece; k <= kLevels; k += kPiece)
    if (times_[k] - times_[k - kPiece] > kSlower * (times_[k - kPiece] - times_[k - 2 * kPiece])) return false;
  return true;
}

}  // namespace mbc::runtime
