// SPDX-License-Identifier: Apache-2.0
#include "runtime/contact/friction.h"

#include <cmath>

#include "base/numbers.h"
#include "base/text.h"
#include "runtime/equations/user_place.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

constexpr double kProportional = 1e-6;  // of a limit: what it may differ from twice that of half the impulses
// Relative to the speeds of the model: a smaller slip in a plane keeps the direction that is held.
constexpr double kFrictionTurns = 1e-6;
// Returns whether a friction may have a force where these rows press.
bool is_pressed(const problem::Friction& f, const std::vector<char>& presses) {
  const auto does = [&presses](std::uint32_t row) { return presses[row] != 0; };
  return f.pressed_by.empty() || std::any_of(f.pressed_by.begin(), f.pressed_by.end(), does);
}

constexpr const char* kNoneFound = "no motion that is found";

}  // namespace

Friction::Friction(Equations& equations, const problem::Problem& info, ConstraintProjector& projector,
                   InstantRows& rows, bool unique, double ahead)
    : equations_(equations),
      info_(info),
      events_(info.events),
      projector_(projector),
      rows_(rows),
      unique_(unique),
      ahead_(ahead),
      stuck_(info.events.frictions.size()),
      dy_(equations.layout().n_y()) {}

Friction::Outcome Friction::fail(Kind kind, std::uint32_t which, std::vector<std::string> args, const char* help) {
  args.insert(args.begin(), printable(events_.frictions[which].name));
  failure_ = about_row(info_, events_.frictions[which].row, kind, {}, std::move(args), help);
  return Outcome::failed;
}

// Reports the failure of the first of the forces that are found together, if possible of one that slides.
Friction::Outcome Friction::fail_first(Kind of_friction, Kind of_load, const char* what, const char* help) {
  std::vector<std::string> args;
  if (what) args.emplace_back(what);
  const auto& loads = events_.reaction_dependent;
  const auto slides = [](const Acting& a) { return !a.sticks; };
  auto which = std::find_if(acting_.begin(), acting_.end(), slides);
  if (which == acting_.end() && loads.empty()) which = acting_.begin();
  if (acting_.empty() && loads.empty()) return fail(of_friction, 0, std::move(args), help);
  if (which != acting_.end()) return fail(of_friction, which->which, std::move(args), help);
  args.insert(args.begin(), printable(loads[0].name));
  failure_ = diagnostic_of(of_load, {}, std::move(args), help);
  point_at(failure_, info_, loads[0].name, loads[0].span);
  return Outcome::failed;
}

bool Friction::release() {
  for (std::size_t k = 0; k < events_.frictions.size(); ++k)
    stuck_[k] = discrete().sticks(events_.frictions[k]) ? 1 : 0;
  turn_off();
  return std::any_of(stuck_.begin(), stuck_.end(), [](char was) { return was != 0; });
}

void Friction::turn_off() {
  for (const problem::Friction& f : events_.frictions) discrete().release(f);
  for (const problem::ReactionDependentForce& l : events_.reaction_dependent) discrete()[l.held] = 0;
}

void Friction::turn_on(const std::vector<std::uint32_t>& touching) {
  turn_off();
  acting_.clear();
  std::vector<char> touches(equations_.layout().n_rows);
  for (const std::uint32_t k : touching) touches[events_.unilaterals[k].row] = 1;
  for (std::uint32_t k = 0; k < events_.frictions.size(); ++k) {
    const problem::Friction& f = events_.frictions[k];
    if (!discrete().is_enabled(f) || !is_pressed(f, touches)) continue;
    acting_.emplace_back().which = k;
    discrete().set_sticks(f, true);
    if (f.stays) discrete()[*f.stays] = 0;
  }
}

Friction::Outcome Friction::settle(double t, const std::vector<double>& y, std::vector<Resting>& resting,
                                   const std::vector<char>& slips, const std::vector<char>& rests) {
  if (equations_.beyond_dense()) {
    const std::size_t size = equations_.layout().n_rows + equations_.layout().n_speeds;
    failure_ = diagnostic_of(Kind::contact_too_large, {}, {std::to_string(size)});
    if (!events_.frictions.empty()) point_at_row(failure_, info_, events_.frictions[0].row);
    return Outcome::failed;
  }
  impact_.meets = false;
  std::vector<std::uint32_t> touching;
  for (const Resting& r : resting) touching.push_back(r.which);
  turn_on(touching);
  for (const std::uint32_t k : touching) discrete().set_active(events_.unilaterals[k], true);
  if (!rows_.assemble(t, y) || !look(t, y)) return Outcome::undefined;
  for (Acting& a : acting_) {
    a.reached = slips[a.which] != 0;
    if (rests[a.which] != 0 && a.slip.norm() <= kFrictionTurns * a.speed_size) rest(a);
  }
  reach_in_groups(resting);
  Vector multipliers;
  if (const Outcome o = find_forces(t, y, resting, multipliers); o != Outcome::settled) return o;
  if (gives_way_together(multipliers))
    if (const Outcome o = find_forces(t, y, resting, multipliers); o != Outcome::settled) return o;
  if (const Vector apart = led_apart(t, y, resting); apart.size() > 0)
    if (const Outcome o = find_forces(t, y, resting, multipliers, apart); o != Outcome::settled) return o;
  set_discrete(multipliers, resting);
  return Outcome::settled;
}

// Finds the forces by the rows that were assembled, and what presses, sticks and slides by them. apart: what rows are
// led apart by a moment later.
Friction::Outcome Friction::find_forces(double t, const std::vector<double>& y, std::vector<Resting>& resting,
                                        Vector& multipliers, const Vector& apart) {
  take_wanted();
  if (apart.size() > 0) wanted_ += apart;
  size_ = std::max(rows_.size(rows_.free_acceleration(), wanted_), size_of_given(t, y));
  ConeProblem problem = rows_.problem(wanted_, size_);
  for (const Resting& r : resting) problem.unilateral.push_back(events_.unilaterals[r.which].row);
  rows_.reconcile(problem);
  add_frictions(problem);
  add_loads(t, y, problem);
  ConeSolution made;
  const bool solved = solve(t, y, problem, ConeEffort::all, made);
  if (const Outcome o = look_at_limits(); o != Outcome::settled) return o;
  if (!solved) return fail_first(Kind::friction_not_unique, Kind::load_not_unique, kNoneFound, kGiveWay);
  take_state(made.multipliers, resting);
  rest_together(problem, made);
  take_multipliers(t, y, made.multipliers);
  multipliers = made.multipliers;
  return look_whether_unique(t, y, problem, multipliers, resting);
}

bool Friction::meets() {
  return std::any_of(events_.frictions.begin(), events_.frictions.end(),
                     [this](const problem::Friction& f) { return f.size && discrete().is_enabled(f); });
}

Friction::Outcome Friction::meet(double t, const std::vector<double>& y, ConeProblem problem, const Rebound& rebound,
                                 ConeEffort effort, ConeSolution& made) {
  impact_.meets = true;
  if (!look(t, y)) return Outcome::undefined;
  std::erase_if(acting_, [this](const Acting& a) { return !events_.frictions[a.which].size; });
  wanted_ = Eigen::Map<const Vector>(problem.wanted.data(), static_cast<Eigen::Index>(problem.wanted.size()));
  if (const Outcome o = look_at_slips(y, rebound); o != Outcome::settled) return o;
  problem.wanted.assign(wanted_.begin(), wanted_.end());
  size_ = problem.size = std::max(problem.size, rows_.size(Vector(), wanted_));
  take_multipliers(t, y, taken_.size() > 0 ? Vector(-taken_) : Vector(Vector::Zero(wanted_.size())));
  for (Acting& a : acting_) {
    a.limit_at_none = values()[events_.frictions[a.which].limit];
    a.static_at_none = values()[events_.frictions[a.which].still];
  }
  add_frictions(problem);
  impact_.pulls = problem.held.size() > rows_.equations().size();
  const bool solved = solve(t, y, problem, effort, made);
  Outcome outcome = look_at_limits();
  if (outcome == Outcome::settled && !solved)
    outcome = fail_first(Kind::friction_not_unique, Kind::load_not_unique, kNoneFound, kGiveWay);
  if (outcome == Outcome::settled && !is_proportional(t, y, made.multipliers)) outcome = Outcome::failed;
  std::vector<Resting> resting;
  for (std::uint32_t k = 0; k < events_.unilaterals.size(); ++k) {
    const std::uint32_t row = events_.unilaterals[k].row;
    if (contains(problem.unilateral, row)) resting.emplace_back().which = k;
  }
  if (outcome == Outcome::settled) {
    take_state(made.multipliers, resting);
    outcome = look_whether_unique(t, y, problem, made.multipliers, resting);
  }
  turn_off();
  return outcome;
}

bool Friction::is_driven(const Vector& by_equations) const {
  if (impact_.driven || by_equations.size() == 0) return impact_.driven;
  return std::any_of(acting_.begin(), acting_.end(), [&](const Acting& a) {
    const problem::Friction& f = events_.frictions[a.which];
    return (rows_.assembled().A.middleRows(f.row, f.count) * by_equations).norm() > kNoSlip * a.speed_size;
  });
}

// Each should be -e times what it was before the impact.
Friction::Outcome Friction::look_at_slips(const std::vector<double>& y, const Rebound& rebound) {
  const Eigen::Map<const Vector> u(y.data() + equations_.layout().speeds_at(), equations_.layout().n_speeds);
  impact_.driven = impact_.rebounds = false;
  if (!rebound.continues) impact_.before.assign(events_.frictions.size(), Vector());
  for (Acting& a : acting_) {
    const problem::Friction& f = events_.frictions[a.which];
    const Vector by_itself = a.slip - rows_.assembled().A.middleRows(f.row, f.count) * u;
    impact_.driven = impact_.driven || by_itself.norm() > kNoSlip * a.speed_size;
    if (!rebound.continues) impact_.before[a.which] = a.slip;
    const Vector& before = impact_.before[a.which];
    const double e = f.restitution ? values()[*f.restitution] : rebound.usual;
    if (!(e >= 0 && e <= 1)) return fail(Kind::restitution_undefined, a.which, {text::short_number(e, 6)}, "");
    impact_.rebounds = impact_.rebounds || (e > 0 && before.norm() > kNoSlip * a.speed_size);
    rest(a);
    wanted_.segment(f.row, f.count) = -a.slip - rebound.share * e * before;
    for (const std::uint32_t d : f.direction) discrete()[d] = 0;
  }
  return Outcome::settled;
}

// Limits take impulses for forces: that has a meaning where twice the forces allow twice the friction.
bool Friction::is_proportional(double t, const std::vector<double>& y, const Vector& multipliers) {
  Vector once(static_cast<Eigen::Index>(acting_.size()));
  for (std::size_t k = 0; k < acting_.size(); ++k) once[static_cast<Eigen::Index>(k)] = limit(acting_[k]);
  take_multipliers(t, y, taken_.size() > 0 ? Vector(2 * multipliers + taken_) : Vector(2 * multipliers));
  for (std::size_t k = 0; k < acting_.size(); ++k) {
    const double first = once[static_cast<Eigen::Index>(k)], second = limit(acting_[k]);
    if (std::fabs(second - 2 * first) <= kProportional * std::fabs(second) + acting_[k].limit_rounding) continue;
    fail(Kind::friction_in_impact, acting_[k].which, {}, "");
    return false;
  }
  take_multipliers(t, y, multipliers);
  return true;
}

// The slips, by the rows that were assembled.
bool Friction::look(double t, const std::vector<double>& y) {
  equations_.outputs(t, y.data(), dy_.data());
  const auto extents = projector_.extents(false, y.data());
  for (Acting& a : acting_) {
    const problem::Friction& f = events_.frictions[a.which];
    a.rests = a.sticks = a.slips = false;
    a.limit_at_none = a.static_at_none = 0;
    a.slip = Eigen::Map<const Vector>(values() + f.slip, f.count);
    if (!a.slip.allFinite()) return false;
    double norm = 0;
    for (std::uint32_t k = 0; k < f.count; ++k) norm = std::max(norm, rows_.norm(f.row + k));
    a.speed_size = norm * extents[f.row];
    a.direction = a.slip.normalized();
    if (!(a.slip.norm() > kNoSlip * a.speed_size)) rest(a);
  }
  return true;
}

// Frictions at rest as such; those that slide as forces that are given in their direction.
void Friction::add_frictions(ConeProblem& problem) const {
  for (const Acting& a : acting_) {
    const problem::Friction& f = events_.frictions[a.which];
    if (a.rests)
      problem.frictions.push_back({f.row, f.count});
    else
      for (std::uint32_t i = 0; i < f.count; ++i) problem.given.push_back(f.row + i);
  }
  for (const Acting& a : acting_)
    if (a.rests) problem.limit_rows.push_back(events_.frictions[a.which].limit_rows);
  for (const Acting& a : acting_)
    for (std::uint32_t i = 0; !a.rests && i < a.slip.size(); ++i)
      problem.limit_rows.push_back(events_.frictions[a.which].limit_rows);
}

// Loads are affine in their components.
void Friction::add_loads(double t, const std::vector<double>& y, ConeProblem& problem) {
  for (const problem::ReactionDependentForce& l : events_.reaction_dependent)
    rows_.add_load(t, y, discrete()[l.held], l.slopes, problem);
}

// Returns the largest effect on the speeds of forces that slide in known directions, without any others. A part of
// those at rest counts, so that rounding of forces at their limit stays below the error allowed for slips.
double Friction::size_of_given(double t, const std::vector<double>& y) {
  take_multipliers(t, y, Vector::Zero(wanted_.size()));
  double most = 0;
  for (const Acting& a : acting_) {
    const double size = std::fabs(sliding_limit(a)) * rows_.norm(events_.frictions[a.which].row);
    if (std::isfinite(size)) most = std::max(most, a.rests ? kOfRest * size : size);
  }
  return most;
}

// With the static limits of what rests; what then slips has the limit of sliding.
bool Friction::solve(double t, const std::vector<double>& y, ConeProblem& problem, ConeEffort effort,
                     ConeSolution& made) {
  problem.limits = [this, t, &y](const Vector& multipliers, std::vector<double>& out) {
    take_multipliers(t, y, multipliers);
    laws(out);
  };
  do {
    made = solve_cones(problem, made.multipliers, effort);
    acceleration_ = made.jump;
    take_multipliers(t, y, made.multipliers);
    take_sizes();
  } while (made.settled && more_slip());
  return made.settled;
}

bool Friction::more_slip() {
  bool more = false;
  for (Acting& a : acting_) {
    const problem::Friction& f = events_.frictions[a.which];
    if (!a.rests || a.slips || !begins_to_slip(a)) continue;
    a.slips = true;
    more = more || limit(a) < (1 - kWithin) * (values()[f.still] - a.static_at_none);
  }
  return more;
}

// The outputs of the kernel with these multipliers, and in an impact what others have taken: limits, loads.
void Friction::take_multipliers(double t, const std::vector<double>& y, const Vector& multipliers) {
  const Vector of_model = multipliers.head(static_cast<Eigen::Index>(equations_.layout().n_rows));
  equations_.set_lambda(impact_.meets && taken_.size() > 0 ? Vector(of_model + taken_) : of_model);
  equations_.outputs(t, y.data(), dy_.data());
}

// In an impact what is held whatever it takes may pull, and holds no friction then.
double Friction::sliding_limit(const Acting& a) const {
  const double made = values()[events_.frictions[a.which].limit] - a.limit_at_none;
  return impact_.meets && impact_.pulls ? std::max(made, 0.0) : made;
}

double Friction::limit(const Acting& a) const {
  const double sliding = sliding_limit(a), lowered = a.reached && a.rests ? 1 - kReached : 1;
  if (a.slips || !a.rests) return lowered * sliding;
  return lowered * std::max(values()[events_.frictions[a.which].still] - a.static_at_none, sliding);
}

// Computes the limits of frictions at rest, and the sizes of the other forces.
void Friction::laws(std::vector<double>& out) const {
  std::size_t at = 0;
  for (const Acting& a : acting_)
    if (a.rests) out[at++] = limit(a);
  for (const Acting& a : acting_)
    for (Eigen::Index i = 0; !a.rests && i < a.direction.size(); ++i) out[at++] = -a.direction[i] * sliding_limit(a);
  for (const problem::ReactionDependentForce& l : events_.reaction_dependent)
    if (at < out.size()) out[at++] = values()[l.value];
}

void Friction::take_sizes() {
  for (Acting& a : acting_) {
    const problem::Friction& f = events_.frictions[a.which];
    double norm = 0;
    for (std::uint32_t i = 0; i < f.count; ++i) norm = std::max(norm, rows_.norm(f.row + i));
    a.limit_rounding = norm > 0 ? kNoSlip * size_ / norm : 0;
    a.limit_size =
        std::max(std::fabs(a.sticks ? values()[f.still] - a.static_at_none : sliding_limit(a)), a.limit_rounding);
  }
}

// None is negative, and no static limit below that of sliding.
Friction::Outcome Friction::look_at_limits() {
  for (const Acting& a : acting_) {
    const problem::Friction& f = events_.frictions[a.which];
    const bool at_rest = a.rests && !a.slips;
    const double sliding = sliding_limit(a), most = at_rest ? values()[f.still] - a.static_at_none : sliding;
    const bool pulled = impact_.meets && impact_.pulls && std::isfinite(most);
    if (!pulled && !(most >= -a.limit_rounding && std::isfinite(most)))
      return fail(Kind::friction_undefined, a.which, {text::short_number(most, 6)}, problem::kLimitHelp);
    if (!f.stays || !at_rest || impact_.meets || !(sliding > a.limit_rounding)) continue;
    if (!(most < sliding * (1 - kProportional))) continue;
    return fail(Kind::friction_static_below, a.which, {text::short_number(most, 6), text::short_number(sliding, 6)},
                "leave `static` out, or let it be the larger one");
  }
  return Outcome::settled;
}

double Friction::row_tolerance(std::uint32_t row) const {
  const double made = kNoSlip * (rows_.norm(row) * size_ + std::fabs(wanted_[row]));
  return made > 0 ? made : kNoSlip;
}

// Decides which contacts carry a force, which frictions stick, and in which direction the others slide.
void Friction::take_state(const Vector& multipliers, std::vector<Resting>& resting) {
  std::vector<std::uint32_t> on = rows_.equations();
  for (Resting& r : resting) {
    const std::uint32_t row = events_.unilaterals[r.which].row;
    const bool stays = r.begins && parts(row) <= row_tolerance(row);
    r.held = stays || multipliers[row] * std::pow(rows_.norm(row), 2) > row_tolerance(row);
    if (r.held) on.push_back(row);
  }
  for (Acting& a : acting_) {
    const problem::Friction& f = events_.frictions[a.which];
    if (!a.rests) continue;
    const Vector pull = multipliers.segment(f.row, f.count), slip = gained(a);
    const double most = limit(a), force = pull.norm(), moves = slip.norm();
    a.sticks = moves <= row_tolerance(f.row) && most > a.limit_rounding && force < (1 - kWithin) * most;
    for (std::uint32_t i = 0; a.sticks && i < f.count; ++i) on.push_back(f.row + i);
    if (a.sticks) continue;
    a.direction = moves > force * std::pow(rows_.norm(f.row), 2) ? slip : Vector(-pull);
    if (a.direction.isZero(0)) a.direction[0] = 1;
    a.direction.normalize();
  }
  const Eigen::MatrixXd basis = rows_.basis(on);
  for (Resting& r : resting) {
    const std::uint32_t row = events_.unilaterals[r.which].row;
    r.idle = !r.held && std::fabs(parts(row)) <= row_tolerance(row) && rows_.follows(row, basis);
  }
}

ConeState Friction::state_of(double t, const std::vector<double>& y, const ConeProblem& problem,
                             const Vector& multipliers, const std::vector<Resting>& resting) {
  ConeState state;
  state.rows = &problem.rows;
  state.n = problem.n;
  state.size = std::max(size_, acceleration_.norm());
  state.multipliers = multipliers;
  state.holding = problem.held;
  for (const Resting& r : resting) {
    const std::uint32_t row = events_.unilaterals[r.which].row;
    const bool apart = parts(row) > row_tolerance(row);
    (r.held ? state.holding : apart ? state.parting : state.together).push_back(row);
    state.pushing.push_back(row);
  }
  for (const Acting& a : acting_) {
    const problem::Friction& f = events_.frictions[a.which];
    for (std::uint32_t i = 0; a.sticks && i < f.count; ++i) state.holding.push_back(f.row + i);
    if (a.sticks) continue;
    Vector unit = Vector::Zero(multipliers.size());
    unit.segment(f.row, f.count) = -a.direction;
    state.sliding.push_back({unit, a.rests && !begins_to_slip(a)});
  }
  state.frictions = state.sliding.size();
  for (std::size_t k = 0; !impact_.meets && k < events_.reaction_dependent.size(); ++k)
    state.sliding.push_back(
        {Vector::Unit(multipliers.size(), static_cast<Eigen::Index>(equations_.layout().n_rows + k)), false});
  const auto count = static_cast<Eigen::Index>(state.sliding.size());
  state.sizes = [this, t, &y, count](const Vector& at) {
    take_multipliers(t, y, at);
    Vector out(count);
    Eigen::Index next = 0;
    for (const Acting& a : acting_)
      if (!a.sticks) out[next++] = sliding_limit(a);
    for (const problem::ReactionDependentForce& l : events_.reaction_dependent)
      if (next < out.size()) out[next++] = values()[l.value];
    return out;
  };
  return state;
}

void Friction::set_discrete(const Vector& multipliers, const std::vector<Resting>& resting) {
  turn_off();
  for (const problem::Unilateral& u : events_.unilaterals) discrete().set_active(u, false);
  for (const Resting& r : resting) discrete().set_active(events_.unilaterals[r.which], r.held);
  std::vector<char> presses(equations_.layout().n_rows);
  for (const Resting& r : resting) presses[events_.unilaterals[r.which].row] = r.held ? 1 : 0;
  for (const Acting& a : acting_) {
    const problem::Friction& f = events_.frictions[a.which];
    if (!is_pressed(f, presses)) continue;
    discrete().set_sticks(f, a.sticks);
    discrete().negligible_slip(f) = kFrictionTurns * a.speed_size;
    if (f.stays) discrete()[*f.stays] = a.rests && !a.sticks && !begins_to_slip(a) ? 1 : 0;
    if (a.sticks) continue;
    for (std::uint32_t i = 0; i < f.count; ++i) discrete().direction(f, i) = a.direction[i];
    if (f.size) discrete()[*f.size] = multipliers.segment(f.row, f.count).norm();
  }
  Eigen::Index next = equations_.layout().n_rows;
  for (const problem::ReactionDependentForce& l : events_.reaction_dependent) discrete()[l.held] = multipliers[next++];
  changed_rows_ = false;
  for (std::size_t k = 0; k < events_.frictions.size(); ++k)
    changed_rows_ = changed_rows_ || discrete().sticks(events_.frictions[k]) != (stuck_[k] != 0);
}

}  // namespace mbc::runtime
