// SPDX-License-Identifier: Apache-2.0
// Functions given by points (mbc_table): finds the interval of the argument, then evaluates the polynomial of that
// interval.
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernel/support/mbc_support.h"

namespace {

// An argument this near to an end of the table, in roundings of the ends, is at that end: the last stage of a step to
// the end of a run rounds its time.
constexpr double kEndRoundings = 8;
// The same distance as a fraction of the table, for an end beyond which the table is undefined. An event at the end of
// a run that ends with the table is evaluated just behind it, within the time that counts as one instant
// (same_instant).
constexpr double kEndPart = 4e-13;

struct Points {
  explicit Points(const double* table)
      : n(static_cast<std::uint32_t>(table[MBC_TABLE_POINTS])),
        method(static_cast<int>(table[MBC_TABLE_METHOD])),
        beyond(static_cast<int>(table[MBC_TABLE_BEYOND])),
        density(table[MBC_TABLE_DENSITY]),
        x(table + MBC_TABLE_X),
        y(x + n),
        slope(y + n) {}

  [[nodiscard]] double first() const { return x[0]; }
  [[nodiscard]] double last() const { return x[n - 1]; }

  // Returns i with x[i] <= at < x[i+1]; the last interval includes its end. The first guess is right for evenly spaced
  // points.
  [[nodiscard]] std::uint32_t interval(double at) const {
    const double guess = (at - x[0]) * density;
    const std::uint32_t near = guess < static_cast<double>(n - 2) ? static_cast<std::uint32_t>(guess) : n - 2;
    if (x[near] <= at && at < x[near + 1]) return near;
    std::uint32_t low = 0, high = n - 1;
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      (x[middle] <= at ? low : high) = middle;
    }
    return low;
  }

  [[nodiscard]] double value(double at, std::uint32_t order) const {
    const std::uint32_t i = interval(at);
    if (method == MBC_TABLE_HOLD) return order > 0 ? 0.0 : y[at < last() ? i : n - 1];
    const double h = x[i + 1] - x[i], s = at - x[i], rise = (y[i + 1] - y[i]) / h;
    if (method == MBC_TABLE_LINEAR) return order == 0 ? y[i] + s * rise : (order == 1 ? rise : 0.0);
    const double c2 = ((3 * rise - 2 * slope[i]) - slope[i + 1]) / h;
    const double c3 = ((slope[i] + slope[i + 1]) - 2 * rise) / h / h;
    switch (order) {
      case 0:
        return y[i] + s * (slope[i] + s * (c2 + s * c3));
      case 1:
        return slope[i] + s * (2 * c2 + 3 * (s * c3));
      case 2:
        return 2 * c2 + 6 * (s * c3);
      case 3:
        return 6 * c3;
      default:
        return 0.0;
    }
  }

  // Evaluates the function outside of the points: undefined, the value at the end, or the straight line from there.
  [[nodiscard]] double outside(double at, std::uint32_t order) const {
    const double end = at < first() ? first() : last();
    double slack =
        kEndRoundings * std::numeric_limits<double>::epsilon() * std::fmax(std::fabs(first()), std::fabs(last()));
    if (beyond == MBC_TABLE_ERROR) slack += kEndPart * (last() - first());
    if (std::fabs(at - end) <= slack) return value(end, order);
    if (beyond == MBC_TABLE_ERROR) return std::numeric_limits<double>::quiet_NaN();
    if (beyond == MBC_TABLE_HOLD_END) return order == 0 ? value(end, 0) : 0.0;
    if (order == 0) return value(end, 0) + (at - end) * value(end, 1);
    return order == 1 ? value(end, 1) : 0.0;
  }

  std::uint32_t n;
  int method, beyond;
  double density;
  const double *x, *y, *slope;
};

}  // namespace

extern "C" double mbc_table(const double* table, double at, std::uint32_t order) noexcept {
  const Points points(table);
  if (at != at) return at;
  return at >= points.first() && at <= points.last() ? points.value(at, order) : points.outside(at, order);
}
