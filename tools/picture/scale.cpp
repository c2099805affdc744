// SPDX-License-Identifier: Apache-2.0
#include "tools/picture/scale.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"

namespace mbc::tools {
namespace {

constexpr double kRoom = 0.04;      // fraction of the range, on both sides
constexpr double kConstant = 1e-9;  // fraction of the size: smaller changes are drawn as a constant

// The range of the logarithms of the positive values. A single value lies in the middle of a decade.
PlotRange range_of_logarithms(const std::vector<const std::vector<double>*>& lists) {
  double low = INFINITY, high = -INFINITY;
  for (const std::vector<double>* list : lists)
    for (const double v : *list)
      if (std::isfinite(v) && v > 0) {
        low = std::min(low, std::log10(v));
        high = std::max(high, std::log10(v));
      }
  if (!(low <= high)) return {0, 1};
  const double room = high > low ? kRoom * (high - low) : 0.5;
  return {low - room, high + room};
}

}  // namespace

PlotRange range_of(const std::vector<const std::vector<double>*>& lists) {
  double low = INFINITY, high = -INFINITY;
  for (const std::vector<double>* list : lists)
    for (const double v : *list)
      if (std::isfinite(v)) {
        low = std::min(low, v);
        high = std::max(high, v);
      }
  if (!(low <= high)) return {};
  const double size = std::max(std::fabs(low), std::fabs(high));
  if (high - low <= kConstant * size) {
    const double middle = low + (high - low) / 2, room = size > 0 ? 0.5 * size : 1;
    return {middle - room, middle + room};
  }
  return {low - kRoom * (high - low), high + kRoom * (high - low)};
}

std::vector<double> round_ticks(const PlotRange& range, int pieces) {
  const double raw = (range.high - range.low) / std::max(1, pieces), power = std::pow(10, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double s : {1.0, 2.0, 5.0})
    if (raw <= s * power * (1 + 1e-9)) {
      step = s * power;
      break;
    }
  std::vector<double> ticks;
  for (double k = std::ceil(range.low / step - 1e-9); k * step <= range.high + 1e-9 * step; ++k)
    ticks.push_back(k * step);
  constexpr int kMostPieces = 64;
  if (ticks.size() < 2 && pieces < kMostPieces) return round_ticks(range, 2 * pieces);  // a single tick shows no scale
  return ticks;
}

std::string tick_text(double value, const std::vector<double>& ticks) {
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
  if (std::fabs(value) < 1e-6 * step) return "0";
  const double digits = std::ceil(std::log10(std::fabs(value) / step)) + 1;
  return text::short_number(value, static_cast<int>(std::clamp(digits, 6.0, 15.0)));
}

Scale::Scale(const std::vector<const std::vector<double>*>& lists, bool logarithmic,
             const std::optional<PlotRange>& fixed)
    : range_(logarithmic ? range_of_logarithms(lists) : range_of(lists)), logarithmic_(logarithmic) {
  if (fixed) range_ = logarithmic ? PlotRange{std::log10(fixed->low), std::log10(fixed->high)} : *fixed;
}

double Scale::at(double value) const {
  if (logarithmic_) value = value > 0 ? std::log10(value) : NAN;
  return (value - range_.low) / length();
}

// Powers of ten, or their multiples by 1, 2 and 5 where there are fewer than three.
std::vector<double> Scale::ticks(int pieces) const {
  if (!logarithmic_) return round_ticks(range_, pieces);
  std::vector<double> out;
  const int first = static_cast<int>(std::ceil(range_.low - 1e-9));
  const int last = static_cast<int>(std::floor(range_.high + 1e-9));
  const int step = std::max(1, (last - first + std::max(1, pieces) - 1) / std::max(1, pieces));
  for (int power = first; power <= last; power += step) out.push_back(std::pow(10, power));
  if (out.size() > 2) return out;
  out.clear();
  for (int power = first - 1; power <= last; ++power)
    for (const double s : {1.0, 2.0, 5.0})
      if (const double at = power + std::log10(s); at >= range_.low - 1e-9 && at <= range_.high + 1e-9)
        out.push_back(s * std::pow(10, power));
  if (out.size() > 1) return out;
  return round_ticks({std::pow(10, range_.low), std::pow(10, range_.high)}, pieces);
}

std::string Scale::text_of(double value, const std::vector<double>& ticks) const {
  return logarithmic_ ? text::short_number(value) : tick_text(value, ticks);
}

void Scale::stretch(double length) {
  const double middle = (range_.low + range_.high) / 2;
  range_ = {middle - length / 2, middle + length / 2};
}

}  // namespace mbc::tools
