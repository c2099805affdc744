// SPDX-License-Identifier: Apache-2.0
#include "runtime/contact/timestep/contact_step.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/numbers.h"
#include "base/text.h"
#include "runtime/equations/user_place.h"

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

constexpr double kContactStepRest = 1e-10;    // of the speeds of the model: one that is none
constexpr double kResting = 1e-8;             // of them: sides that stay together, as far as impulses are known
constexpr double kEnergy = 1e-10;             // of the kinetic energy: a gain that is due to curvature and rounding
constexpr int kContactStepMostHalvings = 16;  // of the factor that restitutions are lowered by

}  // namespace

ContactStep::ContactStep(Equations& equations, const problem::Problem& info, ConstraintProjector& projector,
                         settings::Impact law, double tolerance)
    : equations_(equations),
      info_(info),
      events_(info.events),
      projector_(projector),
      law_(law),
      tolerance_(tolerance),
      switches_(equations, info),
      reach_(info, equations.layout().n_rows),
      rows_(equations, info, reach_),
      gaps_(equations, info, projector, switches_, reach_, rows_, tolerance),
      bounds_(events_.unilaterals.size()) {
  problem_.n = equations.layout().n_speeds;
  impulses_.of_step.resize(equations.layout().n_rows);
  look_.dy.resize(equations.layout().n_y());
  look_.values.resize(events_.n_values);
  look_.before.resize(equations.layout().n_rows);
  look_.free.resize(equations.layout().n_rows);
  look_.lambda = impulses_.by_row = impulses_.none = Vector::Zero(equations.layout().n_rows);
}

ContactStep::Outcome ContactStep::fail(Kind kind, std::uint32_t row, std::vector<std::string> args, const char* help) {
  failure_ = about_row(info_, row, kind, {}, std::move(args), help);
  return Outcome::failed;
}

ContactStep::Outcome ContactStep::solve(const Middle& middle, std::vector<double>& y) {
  switches_.turn(true, reach_);
  const Outcome made = solve_switched(middle, y);
  switches_.turn(false, reach_);
  return made;
}

ContactStep::Outcome ContactStep::solve_switched(const Middle& middle, std::vector<double>& y) {
  state_.lowered = false;
  if (!look(middle, y)) return Outcome::undefined;
  if (const Outcome o = bounds(); o != Outcome::settled) return o;
  begin_problem();
  if (!std::all_of(near_.norms.begin(), near_.norms.end(), [](double x) { return std::isfinite(x); }))
    return Outcome::undefined;
  state_.whole = false;
  Outcome made = settle(1);
  way_ = jump_;
  if (made == Outcome::settled && meets_softly()) {
    state_.whole = true;
    made = settle(1);
  }
  if (state_.meets && (made != Outcome::settled || adds_energy())) made = lower_restitutions(made);
  if (!state_.whole) way_ = jump_;
  return made == Outcome::settled ? limits_hold() : made;
}

// The rows of the middle with the speeds at both ends, and the values of the events.
bool ContactStep::look(const Middle& middle, std::vector<double>& y) {
  const kernel::SystemLayout& layout = equations_.layout();
  look_.t = middle.t;
  look_.h = middle.h;
  std::copy_n(middle.dy, look_.dy.size(), look_.dy.begin());
  std::copy_n(middle.before, layout.n_speeds, y.begin() + layout.speeds_at());
  speeds_of_rows(y, look_.before);
  std::copy_n(middle.free, layout.n_speeds, y.begin() + layout.speeds_at());
  if (!rows_.assemble(look_.t, y.data(), middle.metric)) return false;
  speeds_of_rows(y, look_.free);
  equations_.outputs(look_.t, y.data(), look_.dy.data());
  std::copy_n(equations_.output_values() + events_.first_value, look_.values.size(), look_.values.begin());
  for (const std::uint32_t row : reach_.equations()) look_.lambda[row] = look_.h * middle.lambda[row];
  look_.extent = projector_.extent(false, y.data());
  problem_.size = std::max(look_.extent, rows_.to_scaled(middle.free).norm());
  problem_.tolerance = tolerance_;
  look_.y = y;
  return true;
}

void ContactStep::speeds_of_rows(const std::vector<double>& y, std::vector<double>& out) {
  equations_.contact_residuals(look_.t, y.data());
  const double* residual = equations_.velocity_residual();
  for (const std::uint32_t row : reach_.rows()) out[row] = residual[row];
}

// Computes the least speed of each unilateral constraint after the step, and which sides meet.
ContactStep::Outcome ContactStep::bounds() {
  double least = 1;  // restitution of the sides that meet
  state_.meets = state_.driven = false;
  for (const std::uint32_t k : bounded_) bounds_[k] = {};
  bounded_ = reach_.inequalities();
  for (const std::uint32_t k : bounded_) {
    const problem::Unilateral& u = events_.unilaterals[k];
    Bound& b = bounds_[k];
    if (!switches_.enabled(u)) continue;
    b.acts = true;
    b.closes = switches_.of_position(u) ? -2 * std::max(look_.values[u.gap], 0.0) / look_.h : 0;
    const double speed = look_.before[u.row];
    if (!switches_.of_position(u) || !(look_.free[u.row] < b.closes) ||
        !(speed < -kContactStepRest * rows_.norm(u.row) * look_.extent))
      continue;
    const double e = look_.values[u.restitution];
    if (!(e >= 0 && e <= 1))
      return fail(Kind::restitution_undefined, u.row,
                  {printable(events_.list[u.touches].name), text::short_number(e, 6)}, "");
    least = std::min(least, e);
    b.meets = state_.meets = true;
    b.parts = -e * speed;
  }
  usual_ = state_.meets && law_ == settings::Impact::moreau ? least : 0;
  return Outcome::settled;
}

// Frictions, and the inequalities that would be violated or have pressed before; with the impulses of before.
void ContactStep::begin_problem() {
  problem_.unilateral.clear();
  problem_.frictions.clear();
  problem_.wanted.clear();
  acting_.clear();
  state_.rough = std::any_of(events_.frictions.begin(), events_.frictions.end(),
                             [this](const problem::Friction& f) { return switches_.enabled(f); });
  near_.clear(bounds_.size());
  const auto start_with = [this](std::uint32_t row) {
    start_.conservativeResize(start_.size() + 1);
    start_[start_.size() - 1] = impulses_.of_step[row];
  };
  start_.resize(0);
  const double* speeds = look_.y.data() + equations_.layout().speeds_at();
  for (const std::uint32_t k : reach_.frictions()) {
    const problem::Friction& f = events_.frictions[k];
    if (!switches_.enabled(f)) continue;
    acting_.push_back(k);
    problem_.frictions.push_back({static_cast<std::uint32_t>(near_.norms.size()), f.count});
    for (std::uint32_t i = 0; i < f.count; ++i) {
      near_.take(rows_, f.row + i);
      start_with(f.row + i);
      const double moved = look_.values[f.slip + i] - rows_.times(f.row + i, speeds);
      state_.driven |= std::fabs(moved) > kContactStepRest * near_.norms.back() * look_.extent;
    }
  }
  for (const std::uint32_t k : bounded_) {
    const problem::Unilateral& u = events_.unilaterals[k];
    if (!bounds_[k].acts || !(look_.free[u.row] < bounds_[k].closes || impulses_.of_step[u.row] > 0)) continue;
    take(k);
    start_with(u.row);
  }
  problem_.limits = [this](const Vector& impulses, std::vector<double>& out) {
    limits(impulses, limits_.tried);
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] = limits_.slides[k] != 0 ? limits_.tried[k].sliding
                                      : std::max(limits_.tried[k].still, limits_.tried[k].sliding);
  };
}

void ContactStep::take(std::uint32_t unilateral) {
  const std::uint32_t row = events_.unilaterals[unilateral].row;
  near_.take(rows_, row, unilateral);
  problem_.unilateral.push_back(near_.place[unilateral]);
  const double moved = look_.free[row] - rows_.times(row, look_.y.data() + equations_.layout().speeds_at());
  state_.driven |= std::fabs(moved) > kContactStepRest * near_.norms.back() * look_.extent;
}

// Adds constraints that the jump violates and that the problem did not contain. Returns whether there are any.
bool ContactStep::take_violated() {
  bool any = false;
  const double most = rows_.most() * jump_.lpNorm<Eigen::Infinity>();
  for (const std::uint32_t k : bounded_) {
    if (!bounds_[k].acts || near_.has(k)) continue;
    const std::uint32_t row = events_.unilaterals[k].row;
    if (look_.free[row] - bounds_[k].closes >= most) continue;  // whatever the jump does to it
    const double missing = bounds_[k].closes - look_.free[row] - rows_.times(row, jump_.data());
    if (!(missing > 0 && missing > std::max(tolerance_, kContactStepRest) * rows_.norm(row) * problem_.size)) continue;
    take(k);
    any = true;
  }
  return any;
}

// Sides, rough ones among them, that meet without restitution before they have come to each other.
bool ContactStep::meets_softly() const {
  const auto meets = [this](std::uint32_t k) {
    return bounds_[k].meets && !(bounds_[k].parts > 0) && bounds_[k].closes < 0;
  };
  return state_.rough && std::any_of(bounded_.begin(), bounded_.end(), meets);
}

// Sets the required changes of the speeds of the rows. `share` is the part of the restitutions.
void ContactStep::want(double share) {
  problem_.wanted.assign(near_.norms.size(), 0.0);
  for (const std::uint32_t k : near_.list) {
    const Bound& b = bounds_[k];
    problem_.wanted[near_.place[k]] = (b.meets && (b.parts > 0 || state_.whole) ? share * b.parts : b.closes) -
                                      look_.free[events_.unilaterals[k].row];
  }
  for (std::size_t k = 0; k < acting_.size(); ++k) {
    const problem::Friction& f = events_.frictions[acting_[k]];
    const double e = state_.meets ? share * (f.restitution ? look_.values[*f.restitution] : usual_) : 0;
    for (std::uint32_t i = 0; i < f.count; ++i)
      problem_.wanted[problem_.frictions[k].row + i] = -look_.values[f.slip + i] - e * look_.before[f.row + i];
  }
}

// When the step begins.
void ContactStep::let_slide_what_slips() {
  limits_.slides.assign(acting_.size(), 0);
  limits_.turned.assign(acting_.size(), 0);
  for (std::size_t k = 0; k < acting_.size(); ++k) {
    const problem::Friction& f = events_.frictions[acting_[k]];
    for (std::uint32_t i = 0; i < f.count; ++i) {
      const double norm = near_.norms[problem_.frictions[k].row + i];
      if (std::fabs(look_.before[f.row + i]) > std::max(kResting, tolerance_) * norm * look_.extent)
        limits_.slides[k] = 1;
    }
  }
}

// Behind the step, |A L^-T| of its rows.
ContactStep::Slip ContactStep::slip_behind(std::size_t k) const {
  const problem::Friction& f = events_.frictions[acting_[k]];
  Slip slip;
  for (std::uint32_t i = 0; i < f.count; ++i) {
    const std::uint32_t row = problem_.frictions[k].row + i;
    const double behind = rows_.times(f.row + i, jump_.data()) - problem_.wanted[row];
    slip.along_before += behind * look_.before[f.row + i];
    slip.size = std::hypot(slip.size, behind);
    slip.norm = std::hypot(slip.norm, near_.norms[row]);
  }
  return slip;
}

bool ContactStep::rest_holds_more(std::size_t k) const {
  return limits_.tried[k].still > std::max(limits_.tried[k].sliding, 0.0);
}

// Returns whether a friction that was tried with its static limit slips nevertheless.
bool ContactStep::more_slides() {
  bool more = false;
  for (std::size_t k = 0; k < acting_.size(); ++k) {
    if (limits_.slides[k] != 0 || !rest_holds_more(k)) continue;
    const Slip slip = slip_behind(k);
    if (!(slip.size > std::max(kResting, tolerance_) * slip.norm * look_.extent)) continue;
    limits_.slides[k] = 1;
    more = true;
  }
  return more;
}

// A slip that has turned round was zero within the step: rest is tried there, once.
bool ContactStep::more_rests() {
  bool more = false;
  for (std::size_t k = 0; k < acting_.size(); ++k) {
    if (limits_.slides[k] == 0 || limits_.turned[k] != 0 || !rest_holds_more(k)) continue;
    const problem::Friction& f = events_.frictions[acting_[k]];
    if (f.restitution && look_.values[*f.restitution] > 0) continue;
    if (!(slip_behind(k).along_before < 0)) continue;
    limits_.slides[k] = 0;
    limits_.turned[k] = 1;
    more = true;
  }
  return more;
}

ContactStep::Outcome ContactStep::settle(double share) {
  let_slide_what_slips();
  do {
    want(share);
    problem_.rows = rows_.rows();
    problem_.lengths = rows_.lengths();
    made_ = solve_cones(problem_, start_);
    if (!made_.settled) {
      const std::uint32_t row =
          acting_.empty() ? events_.unilaterals[near_.list[0]].row : events_.frictions[acting_[0]].row;
      return fail(Kind::contact_unsettled, row, {text::short_number(look_.t - 0.5 * look_.h, 9)},
                  acting_.empty() ? "let a side give way by a spring, or end the run before they leave no room"
                                  : "let the part that presses give way by a spring, or take a smaller coefficient");
    }
    jump_ = rows_.from_scaled(made_.jump);
    start_ = made_.multipliers;  // of the next attempt as well
  } while (more_slides() || more_rests() || take_violated());
  return Outcome::settled;
}

bool ContactStep::adds_energy() const {
  if (!state_.rough || state_.driven) return false;
  double gain = 0;
  const auto add = [&](std::uint32_t row, std::uint32_t place, double free) {
    gain += 0.5 * made_.multipliers[place] * (look_.before[row] + free + rows_.times(row, jump_.data()));
  };
  for (const std::uint32_t k : near_.list) {
    const std::uint32_t row = events_.unilaterals[k].row;
    if (bounds_[k].meets) add(row, near_.place[k], look_.free[row]);
  }
  for (std::size_t k = 0; k < acting_.size(); ++k) {
    const problem::Friction& f = events_.frictions[acting_[k]];
    for (std::uint32_t i = 0; i < f.count; ++i) add(f.row + i, problem_.frictions[k].row + i, look_.values[f.slip + i]);
  }
  return gain > std::max(kEnergy, tolerance_) * 0.5 * problem_.size * problem_.size;
}

// Lowers the restitutions if touching sides leave no room for them or if energy would be added. They are kept as far as
// there is room and none is added. A failure without restitution has another cause.
ContactStep::Outcome ContactStep::lower_restitutions(Outcome whole) {
  const Outcome without = settle(0);
  if (without != Outcome::settled) return without;
  if (whole == Outcome::settled && adds_energy()) return settle(1);
  state_.lowered = true;
  double low = 0, high = 1;
  for (int k = 0; k < kContactStepMostHalvings; ++k) {
    const double middle = 0.5 * (low + high);
    (settle(middle) == Outcome::settled && !adds_energy() ? low : high) = middle;
  }
  return settle(low);
}

// With the impulses found: sizes, those at rest not below those of sliding.
ContactStep::Outcome ContactStep::limits_hold() {
  std::vector<Limit> found(acting_.size());
  if (!acting_.empty()) limits(made_.multipliers, found);
  const double rounding = kResting * std::max(made_.multipliers.norm(), look_.lambda.norm());
  for (std::size_t k = 0; k < acting_.size(); ++k) {
    const problem::Friction& f = events_.frictions[acting_[k]];
    const auto [sliding, still] = found[k];
    const bool defined = std::isfinite(sliding) && std::isfinite(still) && sliding >= -rounding;
    const auto at = static_cast<Eigen::Index>(problem_.frictions[k].row);
    const bool slides =
        made_.multipliers.segment(at, f.count).norm() >= sliding * (1 - kResting);  // at the slip of now
    if (defined && (!f.stays || slides || still >= sliding * (1 - kResting) || sliding <= rounding)) continue;
    const double wrong = std::isfinite(sliding) && !std::isfinite(still) ? still : sliding;
    if (defined)
      return fail(Kind::friction_static_below, f.row,
                  {printable(f.name), text::short_number(still / look_.h, 6), text::short_number(sliding / look_.h, 6)},
                  "leave `static` out, or let it be the larger one");
    return fail(Kind::friction_undefined, f.row, {printable(f.name), text::short_number(wrong / look_.h, 6)},
                problem::kLimitHelp);
  }
  return Outcome::settled;
}

// Impulses by row of the model: those of contacts, and of equations what answers them on top of `without`.
void ContactStep::take_by_row(const Vector& impulses, const Vector& without) {
  for (const std::uint32_t row : impulses_.taken) impulses_.by_row[row] = 0;
  impulses_.taken.clear();
  const auto take = [this](std::uint32_t row, double impulse) {
    impulses_.by_row[row] = impulse;
    impulses_.taken.push_back(row);
  };
  for (const std::uint32_t row : reach_.equations()) impulses_.by_row[row] = without[row];
  for (const std::uint32_t k : near_.list) take(events_.unilaterals[k].row, impulses[near_.place[k]]);
  for (std::size_t k = 0; k < acting_.size(); ++k)
    for (std::uint32_t i = 0; i < problem_.frictions[k].count; ++i)
      take(events_.frictions[acting_[k]].row + i, impulses[problem_.frictions[k].row + i]);
  rows_.add_answer(impulses, impulses_.by_row);
}

void ContactStep::limits(const Vector& impulses, std::vector<Limit>& out) {
  out.resize(acting_.size());
  take_by_row(impulses, look_.lambda);
  equations_.set_lambda(impulses_.by_row / look_.h);
  equations_.outputs(look_.t, look_.y.data(), look_.dy.data());
  const double* values = equations_.output_values() + events_.first_value;
  for (std::size_t k = 0; k < acting_.size(); ++k) {
    const problem::Friction& f = events_.frictions[acting_[k]];
    out[k] = {look_.h * values[f.limit], look_.h * values[f.still]};
  }
}

void ContactStep::keep() {
  for (const std::uint32_t k : near_.list)
    bounds_[k].met = bounds_[k].meets && made_.multipliers[near_.place[k]] > 0 &&
                     !(impulses_.of_step[events_.unilaterals[k].row] > 0);
  take_by_row(made_.multipliers, impulses_.none);
  if (!impulses_.kept) std::fill(impulses_.of_step.begin(), impulses_.of_step.end(), 0.0);
  if (impulses_.kept)
    for (const std::uint32_t row : *impulses_.kept) impulses_.of_step[row] = 0;
  impulses_.kept = impulses_.taken;
  for (const std::vector<std::uint32_t>* rows : {&reach_.equations(), &std::as_const(impulses_.taken)})
    for (const std::uint32_t row : *rows) impulses_.of_step[row] = impulses_.by_row[row];
}

bool ContactStep::rests(std::uint32_t unilateral) const {
  const std::uint32_t row = events_.unilaterals[unilateral].row, place = near_.place[unilateral];
  if (place == NearRows::kNone || !(made_.multipliers[place] > 0)) return false;
  const double after = look_.free[row] + rows_.times(row, jump_.data());
  return std::fabs(after) <= std::max(kResting, tolerance_) * near_.norms[place] * look_.extent;
}

bool ContactStep::sticks(std::uint32_t friction) const {
  const problem::Friction& f = events_.frictions[friction];
  const auto at = std::find(acting_.begin(), acting_.end(), friction);
  if (at == acting_.end()) return false;
  const auto place = static_cast<std::size_t>(at - acting_.begin());
  const std::uint32_t row = problem_.frictions[place].row;
  double slip = 0, norm = 0, force = 0;
  for (std::uint32_t i = 0; i < f.count; ++i) {
    slip = std::hypot(slip, look_.values[f.slip + i] + rows_.times(f.row + i, jump_.data()));
    norm = std::hypot(norm, near_.norms[row + i]);
    force = std::hypot(force, made_.multipliers[row + i]);
  }
  const bool holds = place < limits_.tried.size() && limits_.tried[place].still > 0;  // whether there is a pull or not
  return (force > 0 || holds) && slip <= std::max(kResting, tolerance_) * norm * look_.extent;
}

}  // namespace mbc::runtime
