// SPDX-License-Identifier: Apache-2.0
// How fast the rows turn along the motion.
#include "runtime/singular/offset_from_singularity.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "runtime/constraints/row_components.h"

namespace mbc::runtime {

namespace {

constexpr double kTooFar = 1e-2, kTooNear = 1e-9;  // turns that say too little of how fast the rows turn
constexpr int kAttempts = 5;
constexpr double kTwice = 2;  // times the turn that was meant: one that comes of going on too far

// Row by row, of mass-scaled norm 1, as the values of A lie; rows that vanish are 0.
std::vector<double> directions(const Equations& equations) {
  const kernel::SystemLayout& l = equations.layout();
  std::vector<double> weight(l.n_speeds, 1.0), out(equations.row_values(), equations.row_values() + l.column.size());
  for (std::size_t k = 0; k < l.mass.size(); ++k)
    if (l.mass[k].first == l.mass[k].second && equations.mass_values()[k] > 0)
      weight[l.mass[k].first] = 1 / std::sqrt(equations.mass_values()[k]);
  for (std::uint32_t r = 0; r < l.n_rows; ++r) {
    double square = 0;
    for (std::uint32_t k = l.row_ptr[r]; k < l.row_ptr[r + 1]; ++k) {
      out[k] *= weight[l.column[k]];
      square += out[k] * out[k];
    }
    for (std::uint32_t k = l.row_ptr[r]; k < l.row_ptr[r + 1]; ++k)
      out[k] = square > 0 ? out[k] / std::sqrt(square) : 0;
  }
  return out;
}

// Rows of the components that those of `lost` belong to; all where there is none.
std::vector<bool> concerned(const kernel::SystemLayout& l, const std::vector<std::uint32_t>& lost) {
  std::vector<bool> row(l.n_rows, lost.empty()), of(l.n_speeds, false);
  if (lost.empty()) return row;
  DisjointSets sets = sets_of_speeds(l);
  const auto any_speed = [&](std::uint32_t r) { return l.row_ptr[r] < l.row_ptr[r + 1]; };
  for (const std::uint32_t r : lost)
    if (any_speed(r)) of[sets.root(l.column[l.row_ptr[r]])] = true;
  for (std::uint32_t r = 0; r < l.n_rows; ++r) row[r] = any_speed(r) && of[sets.root(l.column[l.row_ptr[r]])];
  return row;
}

double largest_turn(const kernel::SystemLayout& l, const std::vector<bool>& counts, const std::vector<double>& from,
                    const std::vector<double>& to) {
  double largest = 0;
  for (std::uint32_t r = 0; r < l.n_rows; ++r) {
    double square = 0;
    for (std::uint32_t k = l.row_ptr[r]; k < l.row_ptr[r + 1]; ++k) square += (to[k] - from[k]) * (to[k] - from[k]);
    if (counts[r]) largest = std::max(largest, std::sqrt(square));
  }
  return largest;
}

// The time in which the rows turn by kOffsetTurn, when they turn by `turned` in the time d. Rows that stand at the
// state (a crank at the end of its way) turn with the square of the time, or a higher power.
double not_farther(double d, double turned, const std::function<double(double)>& turned_after) {
  double e = kOffsetTurn * d / turned;
  for (int attempt = 0; attempt < kAttempts && e > d; ++attempt) {
    const double there = turned_after(e);
    if (!(there > kTwice * kOffsetTurn)) break;
    const double power = std::max(1.0, std::log(there / turned) / std::log(e / d));
    e = std::max(d, std::min(e / kTwice, d * std::pow(kOffsetTurn / turned, 1 / power)));
  }
  return e;
}

}  // namespace

double offset_from_singularity(Equations& equations, double t, const double* y, const double* dy,
                               const std::vector<std::uint32_t>& lost) {
  const kernel::SystemLayout& l = equations.layout();
  double size = 0, rate = 0;
  for (std::uint32_t i = 0; i < l.n_coordinates; ++i) {
    size = std::max(size, std::fabs(y[i]));
    rate = std::max(rate, std::fabs(dy[i]));
  }
  if (!(rate > 0) || !std::isfinite(rate)) return 0;
  if (size == 0) size = 1;  // angles, say: a linkage that begins flat
  equations.assemble(t, y);
  const std::vector<double> here = directions(equations);
  const std::vector<bool> counts = concerned(l, lost);
  std::vector<double> later(y, y + l.n_y());
  const auto turned_after = [&](double d) {
    for (std::uint32_t i = 0; i < l.n_coordinates; ++i) later[i] = y[i] + d * dy[i];
    for (std::uint32_t i = l.states_at(); i < l.work_at(); ++i) later[i] = y[i] + d * dy[i];
    equations.assemble(t + d, later.data());
    return largest_turn(l, counts, here, directions(equations));
  };
  // a time in which the rows turn measurably, and no more than that
  double d = 1e-6 * size / rate;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const double turned = turned_after(d);
    if (turned > kTooFar)
      d *= 1e-3;
    else if (turned < kTooNear)
      d *= 1e3;
    else
      return not_farther(d, turned, turned_after);
  }
  const double e = kOffsetTurn * size / rate;  // rows that do not turn
  return std::isfinite(e) ? e : 0;
}

}  // namespace mbc::runtime
