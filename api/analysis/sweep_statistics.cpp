// SPDX-License-Identifier: Apache-2.0
#include "api/analysis/sweep_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mbc::api {

namespace {

constexpr std::size_t kMostForQuantiles = 1'000'000;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Returns the value below which a part of the sorted values lies, between two neighbours by their distance (Hyndman and
// Fan, The American Statistician 50 (1996) 361-365, definition 7).
double quantile(const std::vector<double>& sorted, double part) {
  const double at = part * static_cast<double>(sorted.size() - 1);
  const auto k = static_cast<std::size_t>(at);
  if (k + 1 >= sorted.size()) return sorted.back();
  return sorted[k] + (at - static_cast<double>(k)) * (sorted[k + 1] - sorted[k]);
}

}  // namespace

SweepStatistics::SweepStatistics(const std::vector<Quantity>& records, bool random) : random_(random) {
  for (const Quantity& q : records) {
    Record r;
    r.known.quantity = q;
    records_.push_back(std::move(r));
  }
}

// The mean and the squares follow Welford, Technometrics 4 (1962) 419-420: their rounding does not grow with the mean.
void SweepStatistics::add(const SweepMember& member) {
  for (std::size_t k = 0; k < records_.size() && k < member.recorded.size(); ++k) {
    Record& r = records_[k];
    const double x = member.recorded[k];
    const auto n = static_cast<double>(++r.known.members);
    const double before = x - r.known.mean;
    r.known.mean += before / n;
    r.squares += before * (x - r.known.mean);
    if (n == 1 || x < r.known.least) {
      r.known.least = x;
      r.known.least_member = member.number;
    }
    if (n == 1 || x > r.known.greatest) {
      r.known.greatest = x;
      r.known.greatest_member = member.number;
    }
    if (r.known.members <= kMostForQuantiles) r.values.push_back(x);
  }
}

std::vector<RecordStatistics> SweepStatistics::result() const {
  std::vector<RecordStatistics> out;
  for (const Record& r : records_) {
    out.push_back(r.known);
    RecordStatistics& s = out.back();
    const auto n = static_cast<double>(s.members);
    s.deviation = s.members > 1 ? std::sqrt(r.squares / (n - 1)) : kNone;
    s.mean_error = random_ ? s.deviation / std::sqrt(n) : kNone;
    s.low = s.median = s.high = kNone;
    if (s.members == 0 || s.members > kMostForQuantiles) continue;
    std::vector<double> sorted = r.values;
    std::sort(sorted.begin(), sorted.end());
    s.low = quantile(sorted, 0.05);
    s.median = quantile(sorted, 0.5);
    s.high = quantile(sorted, 0.95);
  }
  return out;
}

}  // namespace mbc::api
