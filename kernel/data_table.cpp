// SPDX-License-Identifier: Apache-2.0
#include "kernel/data_table.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "kernel/support/mbc_support.h"

namespace mbc::kernel {

namespace {

bool alike(double a, double b) { return (a > 0 && b > 0) || (a < 0 && b < 0); }

// Returns the slope at an end: that of the parabola through three points, limited so that the cubic turns only where
// the data do (Fritsch and Butland).
double end_slope(double h0, double h1, double rise0, double rise1) {
  const double slope = ((2 * h0 + h1) * rise0 - h0 * rise1) / (h0 + h1);
  if (!alike(slope, rise0)) return 0;
  constexpr double kSteepest = 3;  // times the rise, else the cubic is not monotone
  if (!alike(rise0, rise1) && std::fabs(slope) > kSteepest * std::fabs(rise0)) return kSteepest * rise0;
  return slope;
}

std::vector<double> monotone_slopes(std::span<const double> x, std::span<const double> y) {
  const std::size_t n = x.size();
  std::vector<double> h(n - 1), rise(n - 1), slope(n, 0);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    h[i] = x[i + 1] - x[i];
    rise[i] = (y[i + 1] - y[i]) / h[i];
  }
  if (n == 2) return {rise[0], rise[0]};
  for (std::size_t i = 1; i + 1 < n; ++i) {
    if (!alike(rise[i - 1], rise[i])) continue;
    const double before = h[i - 1] + 2 * h[i], behind = 2 * h[i - 1] + h[i];
    slope[i] = (before + behind) / (before / rise[i - 1] + behind / rise[i]);
  }
  slope[0] = end_slope(h[0], h[1], rise[0], rise[1]);
  slope[n - 1] = end_slope(h[n - 2], h[n - 3], rise[n - 2], rise[n - 3]);
  return slope;
}

}  // namespace

// mbc_table decodes these numbers.
static_assert(static_cast<int>(DataTable::Method::linear) == MBC_TABLE_LINEAR);
static_assert(static_cast<int>(DataTable::Method::cubic) == MBC_TABLE_CUBIC);
static_assert(static_cast<int>(DataTable::Beyond::hold) == MBC_TABLE_HOLD_END);
static_assert(static_cast<int>(DataTable::Beyond::line) == MBC_TABLE_LINE);

DataTable::DataTable(std::span<const double> x, std::span<const double> y, Method method, Beyond beyond) {
  CHECK(x.size() >= 2 && x.size() == y.size(), "a table has two points or more");
  const auto n = static_cast<double>(x.size());
  data_ = {n, static_cast<double>(method), static_cast<double>(beyond), (n - 1) / (x.back() - x.front())};
  data_.insert(data_.end(), x.begin(), x.end());
  data_.insert(data_.end(), y.begin(), y.end());
  if (method != Method::cubic) return;
  const std::vector<double> slopes = monotone_slopes(x, y);
  data_.insert(data_.end(), slopes.begin(), slopes.end());
}

std::size_t DataTable::points() const { return static_cast<std::size_t>(data_[MBC_TABLE_POINTS]); }
DataTable::Method DataTable::method() const { return static_cast<Method>(data_[MBC_TABLE_METHOD]); }
DataTable::Beyond DataTable::beyond() const { return static_cast<Beyond>(data_[MBC_TABLE_BEYOND]); }
std::span<const double> DataTable::arguments() const { return data().subspan(MBC_TABLE_X, points()); }

double DataTable::value(double x, std::uint32_t order) const { return mbc_table(data_.data(), x, order); }

std::uint32_t DataTable::highest_order() const {
  return method() == Method::hold ? 0 : method() == Method::linear ? 1 : 3;
}

bool DataTable::finite() const {
  const std::span<const double> x = arguments();
  if (!std::all_of(data_.begin(), data_.end(), [](double v) { return std::isfinite(v); })) return false;
  for (std::size_t i = 0; i + 1 < x.size(); ++i)
    for (std::uint32_t order = 0; order <= highest_order(); ++order)
      if (!std::isfinite(value(x[i], order)) || !std::isfinite(value(x[i] + (x[i + 1] - x[i]) / 2, order)))
        return false;
  return true;
}

double DataTable::rounding(double x, std::uint32_t order) const {
  constexpr double kOperations = 8;  // roundings that any term takes part in
  const std::span<const double> xs = arguments();
  const std::size_t n = xs.size();
  const std::size_t behind = static_cast<std::size_t>(std::upper_bound(xs.begin(), xs.end(), x) - xs.begin());
  const std::size_t i = std::clamp<std::size_t>(behind, 1, n - 1) - 1;
  const double* y = data_.data() + MBC_TABLE_X + n;
  const double h = xs[i + 1] - xs[i], s = std::fabs(x - xs[i]);
  const double rise = (std::fabs(y[i]) + std::fabs(y[i + 1])) / h;
  if (method() == Method::hold) return 0;
  if (method() == Method::linear)
    return kOperations * (order == 0 ? std::fabs(y[i]) + s * rise : order == 1 ? rise : 0);
  const double a = std::fabs(y[n + i]), b = std::fabs(y[n + i + 1]);
  const double c2 = (3 * rise + 2 * a + b) / h, c3 = (a + b + 2 * rise) / h / h;
  const double terms[] = {std::fabs(y[i]) + s * (a + s * (c2 + s * c3)), a + s * (2 * c2 + 3 * s * c3),
                          2 * c2 + 6 * s * c3, 6 * c3};
  return order < std::size(terms) ? kOperations * terms[order] : 0;
}

}  // namespace mbc::kernel
