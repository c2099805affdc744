// SPDX-License-Identifier: Apache-2.0
#include "runtime/contact/joint_rest.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "base/contains.h"
#include "runtime/contact/instant_rows.h"
#include "runtime/contact/multipliers_at.h"
#include "runtime/rows/cone/problem.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

constexpr double kLargestScale = 1e3;  // of the limits: a larger one is not looked for

// Rows that share forces (InstantRows::groups), with the frictions at rest among them.
struct Group {
  std::vector<std::uint32_t> rows, frictions;
  bool at_limit = false, beyond = false;  // one of the frictions is
};

// The rows that hold at one state, and the forces that they have.
class RestingRows {
 public:
  RestingRows(Equations& equations, const problem::Problem& info, double t, const double* y)
      : rows_(equations, info), at_(equations, info, t, y) {}

  // Returns the groups with frictions that these multipliers take to their limits. Forces that are rounding take none.
  std::vector<Group> groups() {
    const problem::Events& events = info().events;
    const problem::DiscreteState discrete = at_.discrete();
    take(lambda());
    if (!any_at_limit() || !rows_.assemble(at_.time(), at_.state())) return {};
    std::vector<char> holds(static_cast<std::size_t>(lambda().size()));
    for (const std::uint32_t row : rows_.equations()) holds[row] = 1;
    for (const problem::Unilateral& u : events.unilaterals) holds[u.row] |= static_cast<char>(discrete.is_active(u));
    for (const problem::Friction& f : events.frictions)
      if (discrete.sticks(f)) std::fill_n(holds.begin() + f.row, f.count, 1);
    const std::vector<std::uint32_t> group_of = rows_.groups(holds);
    std::map<std::uint32_t, Group> found;
    for (std::uint32_t row = 0; row < holds.size(); ++row) {
      if (group_of[row] == InstantRows::kNoGroup) continue;
      Group& group = found[group_of[row]];
      group.rows.push_back(row);
    }
    for (std::uint32_t k = 0; k < events.frictions.size(); ++k) {
      const problem::Friction& f = events.frictions[k];
      if (discrete.sticks(f) && group_of[f.row] != InstantRows::kNoGroup) look_at(k, found[group_of[f.row]]);
    }
    std::vector<Group> out;
    for (auto& [root, group] : found)
      if (group.at_limit) out.push_back(std::move(group));
    return out;
  }

  // All that decides about a group: its rows, what they hold, and its limits with these and with other multipliers.
  [[nodiscard]] std::vector<double> state_of(const Group& group) {
    std::vector<double> out;
    const RowList& rows = rows_.scaled();
    for (const std::uint32_t row : group.rows) {
      out.insert(out.end(), {static_cast<double>(row), lambda()[row], rows_.length(row)});
      for (std::uint32_t e = rows.begin[row]; e < rows.begin[row + 1]; ++e)
        out.insert(out.end(), {static_cast<double>(rows.column[e]), rows.value[e]});
    }
    Vector other = lambda();
    double most = 0;
    for (const std::uint32_t row : group.rows) most = std::max(most, std::fabs(lambda()[row]));
    for (std::size_t k = 0; k < group.rows.size(); ++k)
      other[group.rows[k]] += most * std::fmod(0.6180339887498949 * static_cast<double>(k + 1), 1.0);
    for (const Vector& multipliers : {other, lambda()}) {
      take(multipliers);
      for (const std::uint32_t k : group.frictions)
        out.insert(out.end(), {static_cast<double>(k), values()[info().events.frictions[k].still]});
    }
    return out;
  }

  [[nodiscard]] double largest_limit(const Group& group) const {
    double most = 0;
    for (const std::uint32_t k : group.frictions) most = std::max(most, values()[info().events.frictions[k].still]);
    return most;
  }

  void take(const Vector& multipliers) { at_.take(multipliers); }
  [[nodiscard]] const double* values() const { return at_.values(); }
  [[nodiscard]] const InstantRows& rows() const { return rows_; }
  [[nodiscard]] const Vector& lambda() const { return at_.lambda(); }
  [[nodiscard]] const problem::Problem& info() const { return at_.info(); }
  [[nodiscard]] bool is_active(const problem::Unilateral& u) const { return at_.discrete().is_active(u); }

 private:
  [[nodiscard]] double force(const problem::Friction& f) const { return lambda().segment(f.row, f.count).norm(); }
  [[nodiscard]] bool is_at_limit(const problem::Friction& f) const {
    return force(f) > 0 && force(f) >= (1 - kWithin) * values()[f.still];
  }
  [[nodiscard]] bool any_at_limit() const {
    const problem::DiscreteState discrete = at_.discrete();
    return std::any_of(info().events.frictions.begin(), info().events.frictions.end(),
                       [&](const problem::Friction& f) { return discrete.sticks(f) && is_at_limit(f); });
  }

  void look_at(std::uint32_t k, Group& group) const {
    const problem::Friction& f = info().events.frictions[k];
    group.frictions.push_back(k);
    double most = 0, norm = 0;
    for (const std::uint32_t row : group.rows) most = std::max(most, std::fabs(lambda()[row]) * rows_.norm(row));
    for (std::uint32_t i = 0; i < f.count; ++i) norm = std::max(norm, rows_.norm(f.row + i));
    if (!is_at_limit(f) || force(f) * norm <= kNoSlip * most) return;
    group.at_limit = true;
    group.beyond = group.beyond || force(f) > (1 + kWithin) * values()[f.still];
  }

  InstantRows rows_;
  MultipliersAt at_;
};

// The problem of one group: which multipliers give the forces of the present ones?
class RestingShare {
 public:
  RestingShare(RestingRows& state, const Group& group) : state_(state), group_(group), at_(state.lambda()) {
    const InstantRows& all = state.rows();
    const RowList& scaled = all.scaled();
    Vector forces = Vector::Zero(all.assembled().scaling.size());
    for (const std::uint32_t row : group.rows) scaled.add_to(row, at_[row], forces.data());
    std::map<std::uint32_t, std::uint32_t> place;
    problem_.n = static_cast<std::uint32_t>(forces.size());
    problem_.size = forces.norm();
    for (const std::uint32_t row : group.rows) {
      place[row] = static_cast<std::uint32_t>(problem_.wanted.size());
      for (std::uint32_t e = scaled.begin[row]; e < scaled.begin[row + 1]; ++e)
        problem_.rows.add(scaled.column[e], scaled.value[e]);
      problem_.rows.close();
      problem_.wanted.push_back(all.times(row, forces));
      problem_.lengths.push_back(all.length(row));
      if (all.norm(row) > 0) problem_.size = std::max(problem_.size, std::fabs(problem_.wanted.back()) / all.norm(row));
    }
    for (const std::uint32_t row : all.equations())
      if (place.contains(row)) problem_.held.push_back(place[row]);
    for (const problem::Unilateral& u : state.info().events.unilaterals)
      if (place.contains(u.row) && state.is_active(u)) problem_.unilateral.push_back(place[u.row]);
    for (const std::uint32_t k : group.frictions) {
      const problem::Friction& f = state.info().events.frictions[k];
      problem_.frictions.push_back({place[f.row], f.count});
      std::vector<std::uint32_t>& limits = problem_.limit_rows.emplace_back();
      for (const std::uint32_t row : f.limit_rows)
        if (place.contains(row)) limits.push_back(place[row]);
    }
    made_.multipliers = at_(group.rows);
    find_slopes();
    problem_.limits = [this](const Vector& multipliers, std::vector<double>& out) {
      const Vector limits = affine_ ? by_slopes(multipliers) : as_written(multipliers);
      std::transform(limits.begin(), limits.end(), out.begin(), [this](double x) { return scale_ * x; });
    };
  }

  [[nodiscard]] bool is_loaded() const { return problem_.size > 0; }

  // Returns how fast frictions slip with the limits times this factor, of the accelerations; 0: all rest. Nothing where
  // no forces are found, which is no slip. Where any multipliers will do, they are known well enough to tell a slip.
  std::optional<double> slips(double scale, bool any_share) {
    scale_ = scale;
    problem_.tolerance = any_share ? 0.01 * kNoSlip : 0;
    problem_.any_share = any_share;
    if (!solve()) return std::nullopt;
    double most = 0;
    for (const ConeProblem::Friction& f : problem_.frictions) most = std::max(most, slip_of(f));
    for (const std::uint32_t row : problem_.unilateral) most = std::max(most, speed_of(row));
    most /= problem_.size;
    return most > kNoSlip ? most : 0;
  }

  // Returns the frictions that slip with the largest factor of the limits, of those tried, that is too small.
  [[nodiscard]] std::vector<std::uint32_t> slipping() const { return slipping_; }

  // Returns the least factor of the limits with which all rest, at least 1 - kClearlyWithin. The slip falls with the
  // factor, about linearly and never faster than before, so that secants reach its zero from below. A factor with which
  // no forces are found counts as too small, and is no point of a secant.
  double least_scale() {
    double below = 1 - kClearlyWithin, before = 0;
    std::optional<double> slip = slips(below, true), slip_before;
    if (slip == 0) return below;
    note_slipping(slip);
    double above = kLargestScale;
    for (double at = 1; above - below > kMarginRounding && below < kLargestScale / 2;) {
      const std::optional<double> here = slips(at, true);
      if (here == 0)
        above = at;
      else
        before = std::exchange(below, at), slip_before = std::exchange(slip, here), note_slipping(here);
      const bool falls = slip && slip_before && *slip_before > *slip;
      const double ahead = falls ? below + *slip * (below - before) / (*slip_before - *slip) : 2 * below;
      if (falls && above - ahead <= kMarginRounding) break;
      at = ahead > below + kMarginRounding && ahead < above ? ahead : 0.5 * (below + above);
    }
    return above;
  }

  // Returns multipliers of the rows that keep all within their limits, those that equal springs lead to. Empty: there
  // are none.
  Vector within_limits() {
    made_.multipliers = state_.lambda()(group_.rows);
    return slips(1, false) == 0 ? made_.multipliers : Vector();
  }

 private:
  [[nodiscard]] double speed_of(std::uint32_t row) const {
    const double norm = std::sqrt(problem_.rows.square(row));
    return norm > 0 ? std::fabs(problem_.rows.times(row, made_.jump.data()) - problem_.wanted[row]) / norm : 0;
  }
  [[nodiscard]] double slip_of(const ConeProblem::Friction& f) const {
    double most = 0;
    for (std::uint32_t i = 0; i < f.count; ++i) most = std::max(most, speed_of(f.row + i));
    return most;
  }

  // Notes the frictions that slip in a solution; where there is none, all of them.
  void note_slipping(std::optional<double> slip) {
    slipping_.clear();
    for (std::size_t k = 0; k < group_.frictions.size(); ++k)
      if (!slip || slip_of(problem_.frictions[k]) > kNoSlip * problem_.size) slipping_.push_back(group_.frictions[k]);
  }

  // Solves with affine limits as far as these are those that are written.
  bool solve() {
    const Vector start = made_.multipliers;
    made_ = solve_cones(problem_, start);
    if (!made_.settled) made_ = solve_cones(problem_, Vector());
    if (!affine_ || (made_.settled && is_affine_at(made_.multipliers))) return made_.settled;
    affine_ = false;
    made_.multipliers = start;
    return solve();
  }

  [[nodiscard]] Vector as_written(const Vector& multipliers) {
    at_(group_.rows) = multipliers;
    state_.take(at_);
    Vector out(static_cast<Eigen::Index>(group_.frictions.size()));
    std::transform(group_.frictions.begin(), group_.frictions.end(), out.begin(),
                   [this](std::uint32_t k) { return state_.values()[state_.info().events.frictions[k].still]; });
    return out;
  }

  [[nodiscard]] Vector by_slopes(const Vector& multipliers) const {
    Vector out = base_;
    for (Eigen::Index k = 0; k < out.size(); ++k)
      for (const std::uint32_t row : problem_.limit_rows[static_cast<std::size_t>(k)])
        out[k] += slope_[k] * (multipliers[row] - start_[row]);
    return out;
  }

  [[nodiscard]] bool is_affine_at(const Vector& multipliers) {
    const Vector written = as_written(multipliers);
    return (by_slopes(multipliers) - written).lpNorm<Eigen::Infinity>() <=
           kMarginRounding * written.lpNorm<Eigen::Infinity>();
  }

  // Most limits are one multiplier times a number: evaluations of the kernel are many times as long as this product.
  void find_slopes() {
    const auto is_short = [](const std::vector<std::uint32_t>& rows) { return rows.size() <= 1; };
    affine_ = std::all_of(problem_.limit_rows.begin(), problem_.limit_rows.end(), is_short);
    if (!affine_) return;
    start_ = made_.multipliers;
    base_ = as_written(start_);
    const double step = start_.lpNorm<Eigen::Infinity>();
    const Vector moved = as_written(start_ + Vector::Constant(start_.size(), step));
    slope_ = step > 0 ? Vector((moved - base_) / step) : Vector(Vector::Zero(base_.size()));
    affine_ = base_.allFinite() && slope_.allFinite();
  }

  RestingRows& state_;
  const Group& group_;
  Vector at_;  // multipliers of the model
  std::vector<std::uint32_t> slipping_;
  Vector start_, base_, slope_;  // of limits that are affine: multipliers of the group, limits there, their slopes
  bool affine_ = false;
  ConeProblem problem_;
  ConeSolution made_;
  double scale_ = 1;
};

void keep_within_limits(Equations& equations, const problem::Problem& info, double t, const double* y) {
  if (info.events.frictions.empty()) return;
  RestingRows state(equations, info, t, y);
  Vector lambda = state.lambda();
  for (const Group& group : state.groups()) {
    if (!group.beyond) continue;
    RestingShare share(state, group);
    if (!share.is_loaded()) continue;
    if (const Vector within = share.within_limits(); within.size() > 0) lambda(group.rows) = within;
  }
  equations.set_lambda(lambda);
}

}  // namespace

bool shared_multipliers(Equations& equations, const problem::Problem& info, double t, const double* y,
                        MultiplierFreedom* freedom) {
  if (!smallest_multipliers(equations, info, t, y, freedom)) return false;
  keep_within_limits(equations, info, t, y);
  return true;
}

void JointRest::measure(Equations& equations, const problem::Problem& info, double t, const double* y) {
  watched_.clear();
  RestingRows state(equations, info, t, y);
  Vector lambda = state.lambda();
  for (const Group& group : state.groups()) {
    std::vector<double> here = state.state_of(group);
    const double size = state.largest_limit(group);
    Solved& last = solved_[group.rows.front()];
    if (last.state != here) {
      RestingShare share(state, group);
      if (!share.is_loaded()) continue;
      last = {std::move(here), Vector(), {}, 1 - share.least_scale()};
      last.slipping = share.slipping();
      if (last.margin >= 0) last.multipliers = share.within_limits();
    }
    if (last.multipliers.size() > 0) lambda(group.rows) = last.multipliers;
    for (const std::uint32_t k : group.frictions)
      watched_.push_back({k, size * (contains(last.slipping, k) ? last.margin : kClearlyWithin)});
  }
  equations.set_lambda(lambda);
}

}  // namespace mbc::runtime
