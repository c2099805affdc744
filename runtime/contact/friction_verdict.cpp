// SPDX-License-Identifier: Apache-2.0
// Verdicts on the forces that were found: whether there is another motion by the laws of contact and friction.
#include <algorithm>

#include "runtime/contact/friction.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

constexpr double kOther = 1e-6;  // of the speeds: what another motion differs by
constexpr const char* kShareHelp =
    "let one part less press, or let what presses be springs, which know their share; `reactions = smallest` in "
    "`simulate` takes the smallest shares, `contact = timestep` one of those that meet the laws of contact";
constexpr const char* kSeveral = "no motion, or several";

}  // namespace

Friction::Outcome Friction::look_whether_unique(double t, const std::vector<double>& y, const ConeProblem& problem,
                                                const Vector& multipliers, const std::vector<Resting>& resting) {
  const ConeState state = state_of(t, y, problem, multipliers, resting);
  if (state.sliding.empty()) return Outcome::settled;
  const ConeUniqueness verdict(state);
  Outcome outcome = Outcome::settled;
  if (!verdict.is_determined()) {
    if (unique_) outcome = fail_first(Kind::friction_reactions, Kind::load_reactions, nullptr, kShareHelp);
    add_once(shared_, first_sliding());
  }
  if (outcome == Outcome::settled && !verdict.is_unique() && !at_rest(resting)) {
    if (has_other_motion(problem, multipliers))
      outcome = fail_first(Kind::friction_not_unique, Kind::load_not_unique, kSeveral, kGiveWay);
    else
      add_once(undecided_, first_sliding());
  }
  take_multipliers(t, y, multipliers);
  return outcome;
}

// The problem in which what rests can take a little less, to see whether that would do.
ConeProblem Friction::with_lower_limits(const ConeProblem& problem) const {
  ConeProblem lower = problem;
  lower.limits = [this, &problem](const Vector& multipliers, std::vector<double>& out) {
    problem.limits(multipliers, out);
    std::size_t at = 0;
    for (const Acting& a : acting_)
      if (a.rests) out[at++] *= a.slips ? 1 : 1 - kReached;
  };
  return lower;
}

// A friction that others hold at rest sticks if it rests with lower limits as well: what its share takes to the limit,
// the others take up (joint_rest.h).
void Friction::rest_together(const ConeProblem& problem, const ConeSolution& made) {
  const auto is_held = [&](const Acting& a) { return a.rests && !a.sticks && !begins_to_slip(a); };
  std::vector<Acting*> held;
  for (Acting& a : acting_)
    if (is_held(a) && limit(a) > a.limit_rounding) held.push_back(&a);
  if (held.empty()) return;
  const ConeSolution lowered = solve_cones(with_lower_limits(problem), made.multipliers);
  if (!lowered.settled) return;
  acceleration_ = lowered.jump;
  std::erase_if(held, [this](const Acting* a) { return begins_to_slip(*a); });
  acceleration_ = made.jump;
  for (Acting* a : held) rest(*a);
}

// The frictions of a group of which an event has found that they cannot rest together any longer are all at the end of
// what they can do: which of them slip, and which way, follows from limits that are lower by one factor.
void Friction::reach_in_groups(const std::vector<Resting>& resting) {
  if (std::none_of(acting_.begin(), acting_.end(), [](const Acting& a) { return a.reached && a.rests; })) return;
  std::vector<char> holds(equations_.layout().n_rows);
  for (const std::uint32_t row : rows_.equations()) holds[row] = 1;
  for (const Resting& r : resting) holds[events_.unilaterals[r.which].row] = 1;
  for (const Acting& a : acting_)
    if (a.rests) std::fill_n(holds.begin() + events_.frictions[a.which].row, a.slip.size(), 1);
  const std::vector<std::uint32_t> group_of = rows_.groups(holds);
  const auto group = [&](const Acting& a) { return group_of[events_.frictions[a.which].row]; };
  std::vector<char> ends(group_of.size());
  for (const Acting& a : acting_)
    if (a.reached && a.rests && group(a) != InstantRows::kNoGroup) ends[group(a)] = 1;
  for (Acting& a : acting_)
    if (a.rests && group(a) != InstantRows::kNoGroup && ends[group(a)] != 0) a.reached = true;
}

// An event has found frictions at their limits, and others take up what these leave, although all were at the end of
// what they can do together: those that the forces take to their limits give way as well. Returns whether there are
// others.
bool Friction::gives_way_together(const Vector& multipliers) {
  const auto reached = [](const Acting& a) { return a.reached; };
  if (std::none_of(acting_.begin(), acting_.end(), reached) ||
      std::any_of(acting_.begin(), acting_.end(), [&](const Acting& a) { return begins_to_slip(a); }))
    return false;
  bool more = false;
  for (Acting& a : acting_) {
    const double force = multipliers.segment(events_.frictions[a.which].row, a.slip.size()).norm();
    if (a.reached || !a.rests || force < (1 - kReached) * limit(a)) continue;
    a.reached = more = true;
  }
  return more;
}

// Nothing moves apart, and no slip begins: that is preferred to other lawful motions.
bool Friction::at_rest(const std::vector<Resting>& resting) const {
  return std::all_of(resting.begin(), resting.end(),
                     [this](const Resting& r) {
                       const std::uint32_t row = events_.unilaterals[r.which].row;
                       return parts(row) <= row_tolerance(row);
                     }) &&
         std::all_of(acting_.begin(), acting_.end(), [this](const Acting& a) { return a.rests && !begins_to_slip(a); });
}

// From other places: nothing presses, all does, or what presses does not.
bool Friction::has_other_motion(const ConeProblem& problem, const Vector& multipliers) const {
  const Vector none = Vector::Zero(multipliers.size());
  Vector all = none, without = multipliers;
  for (const std::uint32_t row : problem.unilateral) {
    all[row] = rows_.norm(row) > 0 ? problem.size / rows_.norm(row) : 0;
    without[row] = 0;
  }
  std::vector<double> given(problem.frictions.size() + problem.given.size());
  for (Vector start : {none, all, without}) {
    problem.limits(start, given);
    for (std::size_t k = 0; k < problem.given.size(); ++k)
      start[problem.given[k]] = given[problem.frictions.size() + k];
    const ConeSolution other = solve_cones(problem, start, ConeEffort::first_stage);
    if (other.settled && (other.jump - acceleration_).norm() > kOther * problem.size) return true;
  }
  return false;
}

}  // namespace mbc::runtime
