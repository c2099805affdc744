// SPDX-License-Identifier: Apache-2.0
// Slips that others begin at an acceleration of zero, as a slide that is led by x = t^3 does: at the instant itself all
// that rests may stick, a moment later no acceleration is that of all.
#include <algorithm>
#include <cmath>

#include "runtime/contact/friction.h"
#include "runtime/rows/decompositions.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

}  // namespace

// Takes what rows want of the accelerations, beyond those without any.
void Friction::take_wanted() {
  const Vector free = rows_.free_acceleration();
  wanted_ = rows_.assembled().b;
  for (std::uint32_t row = 0; row < wanted_.size(); ++row) wanted_[row] -= rows_.times(row, free);
}

// Returns the moment behind t at which what sticks is led apart by other rows, whatever force it takes. The rows are
// then those of that moment; else those of t. Rows that are independent of each other can always be held.
std::optional<double> Friction::led_apart(double t, const std::vector<double>& y, const std::vector<Resting>& resting) {
  std::vector<std::uint32_t> given = rows_.equations();
  for (const Resting& r : resting)
    if (r.held) given.push_back(events_.unilaterals[r.which].row);
  std::vector<std::uint32_t> all = given;
  for (const Acting& a : acting_)
    for (std::uint32_t i = 0; a.sticks && i < a.slip.size(); ++i) all.push_back(events_.frictions[a.which].row + i);
  if (all.size() == given.size() || rows_.basis(all).cols() == static_cast<Eigen::Index>(all.size())) return {};
  // A motion that begins as t^7 is seen at the last moments only. One that begins later is off by nothing a tenth of
  // the moment before: it is decided when it begins.
  const auto missed = [&](double part, const std::vector<std::uint32_t>& rows) {
    if (!rows_.assemble(t + part * ahead_, y)) return 0.0;
    take_wanted();
    return contradiction(rows);
  };
  for (const double part : {1e-3, 1e-2, 1e-1, 1.0}) {
    const double here = missed(part, all);
    if (!(here > kLedApart)) continue;
    if (missed(0.1 * part, all) > 0.1 * kLedApart * here && missed(part, given) <= kLedApart) return t + part * ahead_;
    break;
  }
  rows_.assemble(t, y);
  take_wanted();
  return {};
}

// Returns by how much the nearest accelerations miss what all these rows want, as a part of the accelerations.
double Friction::contradiction(const std::vector<std::uint32_t>& rows) const {
  if (rows.empty()) return 0;
  Vector wanted(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k)
    wanted[static_cast<Eigen::Index>(k)] = rows_.norm(rows[k]) > 0 ? wanted_[rows[k]] / rows_.norm(rows[k]) : 0;
  const MinimumNorm made = minimum_norm_by_orthogonal(rows_.normal(rows), wanted, kRankTolerance);
  double most = 0;
  for (const std::uint32_t row : rows) {
    const double had = made.rank > 0 ? rows_.times(row, made.x) : 0;
    const double size = std::max(size_ * rows_.norm(row), std::fabs(wanted_[row]));
    if (size > 0) most = std::max(most, std::fabs(had - wanted_[row]) / size);
  }
  return most;
}

}  // namespace mbc::runtime
