// SPDX-License-Identifier: Apache-2.0
#include "runtime/contact/timestep/gaps.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

constexpr double kGapsViolated = 1e-8;  // of the size of the model: a gap that is missing at the start
constexpr double kGapsLeft = 1e-6;      // the same behind a step
constexpr double kPositions = 1e-12;    // of it: what positions are moved back to at best
constexpr double kGapsWithin = 0.1;     // of that: what one displacement is found to
constexpr int kMostTimes = 8;           // Newton's iterations

}  // namespace

Gaps::Gaps(Equations& equations, const problem::Problem& info, ConstraintProjector& projector,
           ContactSwitches& switches, Reach& reach, ContactRows& rows, double tolerance)
    : equations_(equations),
      info_(info),
      events_(info.events),
      projector_(projector),
      switches_(switches),
      reach_(reach),
      rows_(rows),
      tolerance_(std::max(kPositions, tolerance)),
      dy_(equations.layout().n_y()),
      values_(events_.n_values) {
  problem_.n = equations.layout().n_speeds;
}

double Gaps::way_to(double t, const std::vector<double>& y) const {
  double way = std::fabs(t - base_.t);
  for (std::size_t i = 0; i < base_.q.size(); ++i) way = std::max(way, std::fabs(y[i] - base_.q[i]));
  return way;
}

void Gaps::evaluate(double t, std::vector<double>& y) {
  equations_.outputs(t, y.data(), dy_.data());
  std::copy_n(equations_.output_values() + events_.first_value, values_.size(), values_.begin());
  looked_.t = t;
  looked_.q.assign(y.begin(), y.begin() + equations_.layout().speeds_at());
}

void Gaps::begin(double t, std::vector<double>& y) {
  if (looked_.q.empty()) evaluate(t, y);
  base_ = looked_;
}

// The largest gap that is missing; all of them are in values_. What is out of reach has its gap.
double Gaps::look(double t, std::vector<double>& y) {
  evaluate(t, y);
  if (const double way = way_to(t, y); !(way <= reach_.way())) {
    begin(t, y);
    reach(way);
  }
  double missing = 0;
  for (const std::uint32_t k : reach_.inequalities())
    if (const problem::Unilateral& u = events_.unilaterals[k]; switches_.has_gap(u))
      missing = std::max(missing, -values_[u.gap]);
  return missing;
}

bool Gaps::assemble(double t, std::vector<double>& y) {
  switches_.turn(true, reach_);
  const bool defined = rows_.assemble(t, y.data());
  switches_.turn(false, reach_);
  return defined;
}

bool Gaps::move_back(double t, std::vector<double>& y) {
  moved_ = false;
  missing_ = missing_before_ = look(t, y);
  for (int k = 0; k < kMostTimes && missing_ > 0; ++k) {
    const Made made = improve(t, y);
    if (made == Made::undefined) return false;
    if (made == Made::nothing) break;
    moved_ = true;
    missing_ = look(t, y);
  }
  return true;
}

// One of Newton's iterations; nothing where all that is missing is as good as none.
Gaps::Made Gaps::improve(double t, std::vector<double>& y) {
  if (!assemble(t, y)) return Made::undefined;
  const double size = projector_.extent(true, y.data());
  const auto sizes = projector_.extents(true, y.data());
  near_.clear(events_.unilaterals.size());
  bool any = false;
  for (const std::uint32_t k : reach_.inequalities()) {
    const problem::Unilateral& u = events_.unilaterals[k];
    if (!switches_.has_gap(u) || !(values_[u.gap] < 0)) continue;
    near_.take(rows_, u.row, k);
    any |= -values_[u.gap] > tolerance_ * near_.norms.back() * sizes[u.row];
  }
  if (!any) return Made::nothing;
  const Vector w = displacement(size);
  if (!w.allFinite()) return Made::nothing;
  projector_.displace(true, t, y.data(), w.data());
  normalise(info_, y.data());
  return Made::moved;
}

// Computes the displacement that closes violated gaps, for the near rows and those that it would violate itself.
Vector Gaps::displacement(double size) {
  problem_.size = size;
  problem_.tolerance = kGapsWithin * tolerance_;
  for (Vector start;;) {
    problem_.wanted.clear();
    problem_.unilateral.clear();
    for (const std::uint32_t k : near_.list) {
      problem_.unilateral.push_back(near_.place[k]);
      problem_.wanted.push_back(-values_[events_.unilaterals[k].gap]);
    }
    problem_.rows = rows_.rows();
    const ConeSolution made = solve_cones(problem_, start);
    start = made.multipliers;
    Vector moved = rows_.from_scaled(made.jump);
    const std::size_t before = near_.list.size();
    const double most = rows_.most() * moved.lpNorm<Eigen::Infinity>();
    for (const std::uint32_t k : reach_.inequalities()) {
      const problem::Unilateral& u = events_.unilaterals[k];
      if (values_[u.gap] >= most) continue;  // wherever it is moved
      const bool joins = switches_.has_gap(u) && !near_.has(k) && values_[u.gap] + rows_.times(u.row, moved.data()) < 0;
      if (joins) near_.take(rows_, u.row, k);
    }
    if (near_.list.size() == before) return moved;
  }
}

// Behind move_back(), which has looked at the rows.
std::optional<Gaps::Violated> Gaps::left(const std::vector<double>& y) {
  if (!(missing_ > 0)) return {};
  const auto sizes = projector_.extents(true, y.data());
  for (const std::uint32_t k : reach_.inequalities()) {
    const problem::Unilateral& u = events_.unilaterals[k];
    if (!switches_.has_gap(u) || !(values_[u.gap] < 0)) continue;
    const double norm = rows_.norm(u.row), part = std::max(kGapsLeft, 100 * tolerance_);
    if (!(-values_[u.gap] <= (part * norm + kPositions) * sizes[u.row])) return Violated{k, -values_[u.gap]};
  }
  return {};
}

std::optional<Gaps::Violated> Gaps::violated(double t, std::vector<double>& y) {
  begin(t, y);
  reach(std::numeric_limits<double>::infinity());
  if (!(look(t, y) > 0)) return {};
  const bool defined = assemble(t, y);
  const auto sizes = projector_.extents(true, y.data());
  for (std::uint32_t k = 0; k < events_.unilaterals.size(); ++k) {
    const problem::Unilateral& u = events_.unilaterals[k];
    const double allowed = kGapsViolated * (defined ? rows_.norm(u.row) : 1) * sizes[u.row];
    if (switches_.has_gap(u) && values_[u.gap] < -allowed) return Violated{k, -values_[u.gap]};
  }
  return {};
}

}  // namespace mbc::runtime
