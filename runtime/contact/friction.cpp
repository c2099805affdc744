// SPDX-License-Identifier: Apache-2.0
#include "runtime/contact/friction.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "base/text.h"

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

constexpr double kProportional = 1e-6;  // of a limit: what it may differ from twice that of half the impulses
// Of the speeds of the model: a slip in a plane below which its direction goes over to the one held
constexpr double kFrictionTurns = 1e-6;
constexpr double kOver = 1e-12;       // of a limit: what sticks may exceed it by rounding
constexpr double kDoubtful = 1e-3;    // of an acceleration that counts as none: one against the force that is
constexpr double kTurned = 1e-14;     // of a direction: it turns no more
constexpr double kAligned = 1e-9;     // of a direction: that of what begins to slide
constexpr double kAlignedNoise = 10;  // rounding of a slip beside its size
constexpr int kMostChanges = 3;       // of one friction at one instant
constexpr int kMostStates = 200;      // of contact and friction that are tried
constexpr int kMostTurns = 2000;      // of directions
constexpr const char* kShareHelp =
    "let one part less press, or let what presses be springs, which know their share; `reactions = smallest` in "
    "`simulate` takes the smallest shares, `contact = timestep` one of those that meet the laws of contact";
constexpr const char* kNoDirection = "no direction of sliding that holds";
constexpr const char* kSeveral = "no motion, or several";
constexpr const char* kGiveWay = "let the part that presses give way by a spring, or take a smaller coefficient";

}  // namespace

Friction::Friction(Equations& equations, const problem::Problem& info, const ConstraintProjector& projector,
                   bool smallest)
    : FrictionForces(equations, info.events),
      projector_(projector),
      stuck_(info.events.frictions.size()),
      smallest_(smallest) {}

Friction::Outcome Friction::fail(Kind kind, std::uint32_t which, std::vector<std::string> args, const char* help) {
  args.insert(args.begin(), printable(events_.frictions[which].name));
  failure_ = {kind, which, false, std::move(args), help};
  return Outcome::failed;
}

// Of the forces that are found together, the first.
Friction::Outcome Friction::fail_sizes(Kind of_friction, Kind of_load, const char* what, const char* help) {
  std::vector<std::string> args;
  if (what) args.emplace_back(what);
  if (!sliding_.empty()) return fail(of_friction, acting_[sliding_[0]].which, std::move(args), help);
  args.insert(args.begin(), printable(events_.implicit_loads[0].name));
  failure_ = {of_load, 0, true, std::move(args), help};
  return Outcome::failed;
}

bool Friction::release() {
  for (std::size_t k = 0; k < events_.frictions.size(); ++k) {
    const problem::Friction& f = events_.frictions[k];
    stuck_[k] = discrete().sticks(f) ? 1 : 0;
  }
  switch_off();
  return std::any_of(stuck_.begin(), stuck_.end(), [](char was) { return was != 0; });
}

void Friction::switch_off() {
  for (const problem::Friction& f : events_.frictions) {
    discrete().release(f);
  }
  for (const problem::ReactionDependentForce& l : events_.implicit_loads) discrete()[l.held] = 0;
}

Friction::Outcome Friction::settle(double t, const std::vector<double>& y, std::vector<Resting>& resting,
                                   const std::vector<char>& slips, const std::vector<char>& rests) {
  if (equations_.beyond_dense()) {
    const std::size_t size = equations_.layout().n_rows + equations_.layout().n_speeds;
    failure_ = {Kind::contact_too_large, 0, false, {std::to_string(size)}, ""};
    return Outcome::failed;
  }
  impact_.meets = false;
  if (const Outcome o = look(t, y, resting); o != Outcome::settled) return o;
  for (Acting& a : acting_)
    if (rests[a.which] != 0 && a.slip.norm() <= kFrictionTurns * a.speed_size) rest(a);
  wanted_ = assembled_.b;
  free_ = assembled_.scaling.to_scaled(assembled_.free_acceleration());
  find_load_forces(t, y);
  if (const Outcome o = find(t, y, resting, slips); o != Outcome::settled) return o;
  set_discrete(resting);
  return Outcome::settled;
}

bool Friction::meets() {
  return std::any_of(events_.frictions.begin(), events_.frictions.end(),
                     [this](const problem::Friction& f) { return f.size && discrete().is_enabled(f); });
}

Friction::Outcome Friction::meet(double t, const std::vector<double>& y, std::vector<Resting>& resting,
                                 const std::vector<double>& wanted, const Rebound& rebound, Vector& jump) {
  impact_.meets = true;
  load_forces_.resize(free_.size(), 0);  // forces do nothing in an instant
  impact_.stays = std::any_of(resting.begin(), resting.end(), [](const Resting& r) { return r.stays; });
  if (const Outcome o = look(t, y, resting); o != Outcome::settled) return o;
  std::erase_if(acting_, [this](const Acting& a) { return !events_.frictions[a.which].size; });
  wanted_ = Vector::Zero(static_cast<Eigen::Index>(of_contact_.size()));
  free_ = Vector::Zero(scaled_.cols());
  for (std::size_t k = 0; k < resting.size(); ++k) wanted_[events_.unilaterals[resting[k].which].row] = wanted[k];
  if (const Outcome o = look_at_slips(y, rebound); o != Outcome::settled) return o;
  equations_.set_lambda(Vector::Zero(wanted_.size()));
  equations_.outputs(t, y.data(), dy_.data());
  const double* values = equations_.output_values() + events_.first_value;
  for (Acting& a : acting_) {
    a.limit_at_none = values[events_.frictions[a.which].limit];
    a.still_at_none = values[events_.frictions[a.which].still];
  }
  Outcome made = find(t, y, resting, std::vector<char>(events_.frictions.size()));
  if (made == Outcome::settled && !is_proportional(t, y)) made = Outcome::failed;
  jump = acceleration_;
  switch_off();
  return made;
}

bool Friction::is_driven(const Vector& by_equations) const {
  if (impact_.driven || by_equations.size() == 0) return impact_.driven;
  return std::any_of(acting_.begin(), acting_.end(), [&](const Acting& a) {
    const problem::Friction& f = events_.frictions[a.which];
    return (assembled_.A.middleRows(f.row, f.count) * by_equations).norm() > kRest * a.speed_size;
  });
}

// Each should be -e times what it was before the impact.
Friction::Outcome Friction::look_at_slips(const std::vector<double>& y, const Rebound& rebound) {
  const Eigen::Map<const Vector> u(y.data() + equations_.layout().speeds_at(), equations_.layout().n_speeds);
  const double* values = equations_.output_values() + events_.first_value;
  impact_.driven = impact_.rebounds = false;
  if (!rebound.continues) impact_.before.assign(events_.frictions.size(), Vector());
  for (Acting& a : acting_) {
    const problem::Friction& f = events_.frictions[a.which];
    const Vector by_itself = a.slip - assembled_.A.middleRows(f.row, f.count) * u;
    impact_.driven = impact_.driven || by_itself.norm() > kRest * a.speed_size;
    if (!rebound.continues) impact_.before[a.which] = a.slip;
    const Vector& before = impact_.before[a.which];
    const double e = f.restitution ? values[*f.restitution] : rebound.usual;
    if (!(e >= 0 && e <= 1)) return fail(Kind::restitution_undefined, a.which, {text::short_number(e, 6)}, "");
    impact_.rebounds = impact_.rebounds || (e > 0 && before.norm() > kRest * a.speed_size);
    a.rests = a.sticks = true;
    a.direction = Vector::Zero(f.count);
    wanted_.segment(f.row, f.count) = -a.slip - rebound.share * e * before;
    for (const std::uint32_t d : f.direction) discrete()[d] = 0;
  }
  return Outcome::settled;
}

// Limits take impulses for forces: that has a meaning where twice the forces allow twice the friction.
bool Friction::is_proportional(double t, const std::vector<double>& y) {
  Vector once(static_cast<Eigen::Index>(acting_.size())), lambda = lambda_;
  for (std::size_t k = 0; k < acting_.size(); ++k) once[static_cast<Eigen::Index>(k)] = limit(acting_[k]);
  if (taken_.size() > 0) lambda += taken_;
  equations_.set_lambda(2 * lambda);
  equations_.outputs(t, y.data(), dy_.data());
  for (std::size_t k = 0; k < acting_.size(); ++k) {
    const double first = once[static_cast<Eigen::Index>(k)], second = limit(acting_[k]);
    if (std::fabs(second - 2 * first) <= kProportional * std::fabs(second) + acting_[k].limit_rounding) continue;
    fail(Kind::friction_in_impact, acting_[k].which, {}, "");
    return false;
  }
  values_at(t, y, sizes_);
  return true;
}

// Of contact and friction the state in which every condition holds. Where none is found with the smallest pushes, one
// with others is as good where the motion does not depend on them.
Friction::Outcome Friction::find(double t, const std::vector<double>& y, std::vector<Resting>& resting,
                                 const std::vector<char>& slips) {
  const std::vector<Acting> acting = acting_;
  const std::vector<Resting> begins = resting;
  const auto try_so = [&](bool shares, bool together) {
    shares_ = shares;
    together_ = together;
    acting_ = acting;
    resting = begins;
    return try_states(t, y, resting, slips);
  };
  Outcome made = Outcome::failed;
  if (smallest_ && impact_.meets) made = try_so(false, false);  // what impulses are shared may not matter
  if (made == Outcome::settled && is_determined(t, y, resting))
    return is_unique(t, y, resting) ? made
                                    : fail_sizes(Kind::friction_not_unique, Kind::load_not_unique, kSeveral, kGiveWay);
  made = try_so(smallest_, smallest_);
  const auto lost = [&] { return made == Outcome::failed && failure_.kind == Kind::friction_not_unique; };
  const Failure first = failure_;
  if (lost() && smallest_) made = try_so(true, false);
  if (lost() && smallest_) made = try_so(false, false);
  if (lost() && find_together(t, y, resting)) made = try_states(t, y, resting, slips);
  if (made == Outcome::failed) failure_ = first;
  if (made != Outcome::settled) return made;
  const bool determined = is_determined(t, y, resting);
  if (!determined && !smallest_) return fail_sizes(Kind::friction_reactions, Kind::load_reactions, nullptr, kShareHelp);
  if (!determined && !shares_) {
    failure_ = first;
    return Outcome::failed;
  }
  if (!determined)
    note_shared(sliding_.empty() ? events_.implicit_loads[0].name : events_.frictions[acting_[sliding_[0]].which].name);
  if (smallest_) note_idle(resting);
  if (!is_unique(t, y, resting))
    return fail_sizes(Kind::friction_not_unique, Kind::load_not_unique, kSeveral, kGiveWay);
  return Outcome::settled;
}

// From the one at hand.
Friction::Outcome Friction::try_states(double t, const std::vector<double>& y, std::vector<Resting>& resting,
                                       const std::vector<char>& slips) {
  for (int k = 0;; ++k) {
    take_rows(resting);
    for (int turns = 0;; ++turns) {
      respond();
      if (!find_sizes(t, y)) return fail_sizes(Kind::friction_not_unique, Kind::load_not_unique, kSeveral, kGiveWay);
      const bool stays = look_what_stays();  // both are to be asked
      if ((!turn_into_motion() && !stays) || turns == kMostTurns) break;
    }
    const bool contacts = part_contradicting() || change_contacts(resting);
    for (const Acting& a : acting_)
      if (const double most = limit(a); !(contacts || most >= -a.limit_rounding) || !std::isfinite(most))
        return fail(Kind::friction_undefined, a.which, {text::short_number(most, 6)}, problem::kLimitHelp);
    if (const Outcome o = contacts ? Outcome::settled : look_at_static_limits(); o != Outcome::settled) return o;
    const Change change = contacts ? Change::made : change_frictions(t, y, slips);
    if (change == Change::none && !aligned_)
      return fail(Kind::friction_not_unique, acting_[sliding_[0]].which, {kNoDirection}, kGiveWay);
    if (change == Change::none) break;
    if (change == Change::without_end || k == kMostStates)
      return acting_.empty() ? fail_sizes(Kind::friction_not_unique, Kind::load_not_unique, kSeveral, kGiveWay)
                             : fail(Kind::friction_not_unique, acting_[0].which,
                                    {"no state of sticking and sliding that holds"}, kGiveWay);
  }
  return Outcome::settled;
}

// Of what sticks: they are not below those of sliding.
Friction::Outcome Friction::look_at_static_limits() {
  const double* values = equations_.output_values() + events_.first_value;
  for (const Acting& a : acting_) {
    const problem::Friction& f = events_.frictions[a.which];
    const double moving = values[f.limit];
    if (!f.stays || !a.sticks || impact_.meets || !(moving > a.limit_rounding)) continue;
    if (!(values[f.still] < moving * (1 - kProportional))) continue;
    return fail(Kind::friction_static_below, a.which,
                {text::short_number(values[f.still], 6), text::short_number(moving, 6)},
                "leave `static` out, or let it be the larger one");
  }
  return Outcome::settled;
}

// M, f, A, b with the rows of all that may be held, and the slips.
Friction::Outcome Friction::look(double t, const std::vector<double>& y, const std::vector<Resting>& resting) {
  acting_.clear();
  for (const problem::ReactionDependentForce& l : events_.implicit_loads) discrete()[l.held] = 0;
  for (std::uint32_t k = 0; k < events_.frictions.size(); ++k) {
    const problem::Friction& f = events_.frictions[k];
    if (!discrete().is_enabled(f)) continue;
    acting_.emplace_back().which = k;
    discrete().set_sticks(f, true);
    if (f.stays) discrete()[*f.stays] = 0;
  }
  for (const Resting& r : resting) discrete().set_active(events_.unilaterals[r.which], true);
  if (equations_.assemble(t, y.data(), assembled_, false) != 0) return Outcome::undefined;
  scaled_ = assembled_.scaling.scale_rows(assembled_.A);
  equations_.outputs(t, y.data(), dy_.data());
  const double* values = equations_.output_values() + events_.first_value;
  const double extent = projector_.extent(false, y.data());
  const auto extents = projector_.extents(false, y.data());
  impact_.speed = impact_.meets ? extent : 0;
  for (Acting& a : acting_) {
    const problem::Friction& f = events_.frictions[a.which];
    a.slip = Eigen::Map<const Vector>(values + f.slip, f.count);
    if (!a.slip.allFinite()) return Outcome::undefined;
    double norm = 0;
    for (std::uint32_t k = 0; k < f.count; ++k) norm = std::max(norm, scaled_.row(f.row + k).norm());
    a.speed_size = norm * extents[f.row];
    a.direction = a.slip.normalized();
    if (!(a.slip.norm() > kRest * a.speed_size)) rest(a);
  }
  return Outcome::settled;
}

// So slow that the direction is one that is held, what slips is taken to rest where that falls through zero: what is
// left of it, across, would turn with each such fall.
void Friction::rest(Acting& a) {
  a.rests = a.sticks = true;
  a.direction.setZero(a.slip.size());
}

// What begins to slide in a plane does so in the direction of the rate of its slip: whether one has turned.
bool Friction::turn_into_motion() {
  bool turned = false;
  aligned_ = true;
  for (std::size_t k = 0; k < sliding_.size(); ++k) {
    Acting& a = acting_[sliding_[k]];
    const problem::Friction& f = events_.frictions[a.which];
    if (!a.rests || f.count == 1) continue;
    const Vector gained = along(a, acceleration_);
    if (gained.norm() <= row_tolerance(f.row)) continue;
    const double back = sizes_[static_cast<Eigen::Index>(k)] * scaled_.middleRows(f.row, f.count).squaredNorm();
    const Vector made = (gained + back * a.direction).normalized();
    turned = turned || (made - a.direction).norm() > kTurned;
    const double off = (gained.normalized() - a.direction).norm();  // a turn is small where the force is large
    aligned_ = aligned_ && (off <= kAligned || off * gained.norm() <= kAlignedNoise * row_tolerance(f.row));
    a.direction = made;
  }
  return turned;
}

// What is at its limit and does not move, since others hold it, has the force that it holds at rest: whether that has
// changed for one.
bool Friction::look_what_stays() {
  bool changed = false;
  for (const std::uint32_t k : sliding_) {
    const Acting& a = acting_[k];
    const problem::Friction& f = events_.frictions[a.which];
    if (!f.stays || impact_.meets) continue;
    const double stays = a.rests && along(a, acceleration_).norm() <= row_tolerance(f.row) ? 1 : 0;
    changed = changed || discrete()[*f.stays] != stays;
    discrete()[*f.stays] = stays;
  }
  return changed;
}

// Of slips that cannot all stay zero the one whose friction holds least begins to slide; where friction holds nothing
// (sides that are apart) nothing sticks.
bool Friction::part_contradicting() {
  Acting* weakest = nullptr;
  double least = 0;
  for (Acting& a : acting_) {
    if (!a.sticks || a.changes > kMostChanges) continue;
    const double most = limit(a);
    const bool kept = along(a, acceleration_).norm() <= row_tolerance(events_.frictions[a.which].row);
    if (kept && (impact_.meets || most > a.limit_rounding)) continue;
    if (!weakest || most < least) {
      weakest = &a;
      least = most;
    }
  }
  if (!weakest) return false;
  ++weakest->changes;
  weakest->sticks = false;
  weakest->direction = along(*weakest, acceleration_);
  if (weakest->direction.isZero(0)) weakest->direction[0] = 1;
  weakest->direction.normalize();
  return true;
}

// What rubs where nothing pressed: a push may come there, of this row.
void Friction::stick_again(std::uint32_t row) {
  for (Acting& a : acting_) {
    const std::vector<std::uint32_t>& needs = events_.frictions[a.which].pressed_by;
    const bool there = needs.empty() || std::find(needs.begin(), needs.end(), row) != needs.end();
    if (there && a.rests && !a.sticks && a.changes <= kMostChanges && limit(a) <= a.limit_rounding) a.sticks = true;
  }
}

// The inequality that pulls, or whose gap closes, most; of those held that contradict each other the one that parts
// most. Of the smallest pushes also the one that is held by others and should have a share.
bool Friction::change_contacts(std::vector<Resting>& resting) {
  Resting* worst = nullptr;
  double most = 1;
  for (Resting& r : resting) {
    const std::uint32_t row = events_.unilaterals[r.which].row;
    if (r.stays) continue;
    const double norm = scaled_.row(row).norm(), tolerance = row_tolerance(row);
    const double parts = (scaled_.row(row).dot(acceleration_) - wanted_[row]) / tolerance;
    double violation = r.held ? std::max(-lambda_[row] * norm * norm / tolerance, parts) : -parts;
    if (r.held && r.leaves && violation > -1) violation = 2;
    if (!r.held && shares_ && std::fabs(parts) <= 1) violation = wanted_share(r) * norm / tolerance;
    if (!(violation > most)) continue;
    most = violation;
    worst = &r;
  }
  if (!worst) return false;
  if (shares_ && !worst->held && !impact_.meets) stick_again(events_.unilaterals[worst->which].row);
  worst->left = worst->left || worst->held;
  worst->held = !worst->held;
  worst->leaves = false;
  return true;
}

// By how much the condition of one at rest is violated: beyond 0 it changes, beyond 1 what stands is no solution.
double Friction::violation(const Acting& a, bool reached) const {
  const problem::Friction& f = events_.frictions[a.which];
  if (a.sticks) {
    const double pull = lambda_.segment(f.row, f.count).norm(), allowed = limit(a);
    const double over = (pull - allowed * (reached && a.changes == 0 ? 1 - kReached : 1 + kOver)) / a.limit_size;
    return over > kOver ? over / kReached : 0;
  }
  const double gained = along(a, acceleration_).dot(a.direction), tolerance = row_tolerance(f.row);
  return gained < -tolerance ? -gained / tolerance * kDoubtful : 0;
}

// The way it is pulled.
void Friction::slide(Acting& a, const Vector& pull) {
  a.direction = -pull.normalized();
  a.sticks = false;
}

// All that stick with more than their limits, together: of the smallest forces each is one of the solution at hand, and
// what one of them leaves would turn the others.
Friction::Change Friction::slide_all(const std::vector<char>& slips) {
  for (Acting& a : acting_) {
    if (!a.rests || !a.sticks || a.changes > kMostChanges || !(violation(a, slips[a.which] != 0) > 0)) continue;
    ++a.changes;
    slide(a, lambda_.segment(events_.frictions[a.which].row, a.slip.size()));
  }
  return Change::made;
}

// What sticks with more than its limit slides; what would begin to slide against its force sticks, or, where that is
// none, slides the other way.
Friction::Change Friction::change_frictions(double t, const std::vector<double>& y, const std::vector<char>& slips) {
  values_at(t, y, sizes_);
  Acting* worst = nullptr;
  double most = 0;
  for (Acting& a : acting_) {
    if (!a.rests) continue;
    const double violated = violation(a, slips[a.which] != 0);
    if (a.changes > kMostChanges && violated > 1) return Change::without_end;
    if (a.changes > kMostChanges || !(violated > most)) continue;
    most = violated;
    worst = &a;
  }
  if (!worst) return Change::none;
  if (worst->sticks && together_) return slide_all(slips);
  const problem::Friction& f = events_.frictions[worst->which];
  ++worst->changes;
  if (worst->sticks) {
    slide(*worst, lambda_.segment(f.row, f.count));
  } else if (limit(*worst) > worst->limit_rounding || impact_.meets) {
    worst->sticks = true;
  } else {
    worst->direction = along(*worst, acceleration_).normalized();
  }
  return Change::made;
}

void Friction::note_shared(const std::string& name) {
  if (std::find(shared_.begin(), shared_.end(), name) == shared_.end()) shared_.push_back(name);
}

void Friction::set_discrete(const std::vector<Resting>& resting) {
  changed_rows_ = false;
  for (const problem::Unilateral& u : events_.unilaterals) discrete().set_active(u, false);
  for (const Resting& r : resting) discrete().set_active(events_.unilaterals[r.which], r.held);
  for (const problem::Friction& f : events_.frictions) discrete().set_sticks(f, false);
  for (const Acting& a : acting_) {
    const problem::Friction& f = events_.frictions[a.which];
    discrete().set_sticks(f, a.sticks);
    discrete().negligible_slip(f) = kFrictionTurns * a.speed_size;
    for (std::uint32_t i = 0; i < f.count; ++i) discrete().direction(f, i) = a.sticks ? 0 : a.direction[i];
    if (f.size && a.sticks) discrete()[*f.size] = 0;
    if (f.stays && a.sticks) discrete()[*f.stays] = 0;
  }
  for (std::size_t k = 0; k < events_.frictions.size(); ++k)
    changed_rows_ = changed_rows_ || discrete().sticks(events_.frictions[k]) != (stuck_[k] != 0);
}

}  // namespace mbc::runtime
