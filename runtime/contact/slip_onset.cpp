// SPDX-License-Identifier: Apache-2.0
// Slips that begin at an acceleration of zero: all that rests may stick at the instant, and a moment later no
// acceleration is that of all of it. Rows that depend on time lead it apart (a slide with x = t^3), or the motion does:
// rows that depend on each other at this state alone hold nothing there (a parked car, whose braked wheels are
// L/cos(pitch) apart).
#include <algorithm>
#include <cmath>

#include "base/contains.h"
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

// Returns by row the accelerations by which what sticks is led apart a moment behind t; nothing where all of it can
// stick on. Such rows depend on the others at t, so that no force of theirs has an effect there, and limits decide
// which of the frictions slips.
Vector Friction::led_apart(double t, const std::vector<double>& y, const std::vector<Resting>& resting) {
  std::vector<std::uint32_t> all = rows_.equations();
  for (const Resting& r : resting)
    if (r.held) all.push_back(events_.unilaterals[r.which].row);
  const auto given = static_cast<std::ptrdiff_t>(all.size());
  for (const Acting& a : acting_)
    for (std::uint32_t i = 0; a.sticks && i < a.slip.size(); ++i) all.push_back(events_.frictions[a.which].row + i);
  const std::vector<std::uint32_t> kept = rows_.independent(all);
  std::vector<std::uint32_t> left(all.begin() + given, all.end());
  std::erase_if(left, [&](std::uint32_t row) { return contains(kept, row); });
  if (left.empty()) return {};
  const Vector scaled = rows_.free_acceleration() + acceleration_;
  const Vector acceleration = rows_.assembled().scaling.from_scaled(scaled);
  const auto missed = [&](double ahead) -> Apart {
    std::vector<double> later = y;
    return rows_.lead(projector_, t, ahead, acceleration, kept, later) ? missing(kept, left) : Apart();
  };
  // A motion that begins as t^7 is seen at the last moments only, a slow one on a way of its own. One that begins later
  // is off by nothing a tenth of the moment before: it is decided when it begins.
  std::vector<double> moments{1e-3 * ahead_, 1e-2 * ahead_, 1e-1 * ahead_, ahead_};
  const double way = kOnsetWay * projector_.extent(true, y.data()), speed = scaled.norm() * ahead_;
  if (speed > 0 && 0.5 * speed * ahead_ < way) moments.push_back(ahead_ * std::sqrt(2 * way / (speed * ahead_)));
  Vector apart;
  for (const double ahead : moments) {
    const Apart here = missed(ahead);
    if (!(here.part > kLedApart)) continue;
    if (missed(0.1 * ahead).part > 0.1 * kLedApart * here.part) apart = here.accelerations;
    break;
  }
  rows_.assemble(t, y);
  if (apart.size() > 0) apart *= std::max(1.0, kLedApart * size_ / apart.cwiseAbs().maxCoeff());
  return apart;
}

// Compares the accelerations that the rows `kept` want with those that the rows `left` want.
Friction::Apart Friction::missing(const std::vector<std::uint32_t>& kept, const std::vector<std::uint32_t>& left) {
  take_wanted();
  Vector of_kept(static_cast<Eigen::Index>(kept.size()));
  for (std::size_t k = 0; k < kept.size(); ++k)
    of_kept[static_cast<Eigen::Index>(k)] = rows_.norm(kept[k]) > 0 ? wanted_[kept[k]] / rows_.norm(kept[k]) : 0;
  MinimumNorm made;
  if (!kept.empty()) made = minimum_norm_by_orthogonal(rows_.normal(kept), of_kept, kRankTolerance);
  Apart out{Vector::Zero(wanted_.size()), 0};
  for (const std::uint32_t row : left) {
    const double more = wanted_[row] - (made.rank > 0 ? rows_.times(row, made.x) : 0),
                 size = std::max(size_ * rows_.norm(row), std::fabs(wanted_[row]));
    out.accelerations[row] = more;
    if (size > 0) out.part = std::max(out.part, std::fabs(more) / size);
  }
  return out;
}

}  // namespace mbc::runtime
