// SPDX-License-Identifier: Apache-2.0
// What rows that only push (runtime/contact/contact.h) and frictions (runtime/contact/friction.h) do at an instant of a
// run: after impacts and changes of what is held the run goes on with other rows.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/archive.h"
#include "runtime/contact/contact.h"
#include "runtime/contact/friction.h"
#include "runtime/events/functions/event_signs.h"
#include "runtime/simulation/run_parts.h"

namespace mbc::runtime {

class ContactInstant {
 public:
  // Everything outlives the object. certify_again: after rows were switched.
  ContactInstant(RunParts& run, EventSigns& watch, std::function<bool(double t)> certify_again);

  [[nodiscard]] bool any() const { return !list_.empty() || !events_.frictions.empty(); }
  // Before an event changes velocities: nothing rubs, and nothing is held unless `keeps`. displaced: by the event, so
  // that of what was held only those sides touch that are together. Whether that has switched rows.
  bool let_go(bool keeps, bool displaced = false);
  // Before settle(): by event impulses, of which those are what the equations have taken.
  void push(const Eigen::VectorXd& taken);
  // At the state at t, whatever has brought it there. `fired`: the events of the instant; those are added that follow
  // from them here: what touches, leaves, comes to rest or slips. False: the run ends here.
  bool settle(double t, std::vector<std::uint32_t>& fired) { return settle(t, fired, false); }
  // The same at the state a run begins with: impacts are events, what is held from the beginning is none.
  bool begin(double t, std::vector<std::uint32_t>& fired) { return settle(t, fired, true); }
  // The last settle() changed velocities or switched rows.
  [[nodiscard]] bool changed() const { return changed_; }
  // By the values of the events at the state behind it.
  void note_sides(const std::vector<double>& values);
  // Rows of contacts hold while rows depend on each other: many multipliers give one motion, and what holds is watched
  // by the smallest ones, as decisions are made by (friction.h).
  [[nodiscard]] bool shares_forces();
  // Behind smallest_multipliers at a state, and of the values of the events there: sides that are together without a
  // force are watched by the share that they would have, as others are by their gap.
  void look_at_idle(double t, const double* y);
  void watch_idle(std::vector<double>& values) const;
  // Slips in a plane are watched along the direction that they begin a step with.
  [[nodiscard]] bool follows() const { return follows_; }
  void follow(const std::vector<double>& values);
  // Whether limits of friction are to be looked at along the motion; whether none of what slides is negative, by the
  // values of the events at an accepted state. False: the run ends here.
  [[nodiscard]] bool limits_vary() const { return limits_vary_; }
  bool limits_hold(double t, const std::vector<double>& values);
  // The number of one that is.
  [[nodiscard]] std::optional<std::uint32_t> negative_limit(const std::vector<double>& values);
  // Whether a slip of two components that comes to rest has turned between these values of the events.
  [[nodiscard]] bool turns_to_rest(const std::vector<std::uint32_t>& fired, const std::vector<double>& begins,
                                   const std::vector<double>& later);
  // In which time the first of them would come to rest as it changes now, by the values of the events now and `apart`
  // later; infinity: none approaches it, or only those that are as good as there.
  [[nodiscard]] double rests_in(const std::vector<double>& now, const std::vector<double>& later, double apart);
  // What was decided at the last instant.
  void transfer(Archive& archive) {
    archive(idle_, idle_sizes_);
    archive.fixed(limit_roundings_);
    archive.expect(idle_.size() == idle_sizes_.size());
    for (const std::uint32_t which : idle_) archive.expect(which < list_.size());
  }

 private:
  bool settle(double t, std::vector<std::uint32_t>& fired, bool begins);
  bool settle_friction(double t, const std::vector<std::uint32_t>& fired);
  void note_idle();
  void note_impacts(double t, std::vector<std::uint32_t>& fired);
  void note_changes(double t, std::vector<std::uint32_t>& fired);
  void tell(double t, std::uint32_t event, std::vector<std::uint32_t>& fired);
  bool go_on(double t);
  bool come_to_rest(double t, std::vector<double>& y);
  [[nodiscard]] problem::DiscreteState discrete() const { return run_.discrete_state(); }
  bool fail(const Contact::Failure& failure, double t);
  bool fail(const Friction::Failure& failure, double t);

  RunParts& run_;
  const problem::Events& events_;
  const std::vector<problem::Unilateral>& list_;
  EventSigns& watch_;
  std::function<bool(double t)> certify_again_;
  InstantRows rows_;
  Friction friction_;
  Contact contact_;
  std::vector<char> was_held_, did_stick_, met_, was_idle_, slips_, rests_, of_contact_;
  std::vector<Friction::Resting> resting_;
  std::vector<std::uint32_t> idle_;            // of the inequalities (Friction::Resting)
  std::vector<double> limit_roundings_;        // by number of the friction
  std::vector<double> idle_sizes_, idle_now_;  // of their pushes, in the size of their gaps; their shares
  bool changed_ = false, follows_ = false, limits_vary_ = false, loose_ = false, was_loose_ = false, pushed_ = false,
       displaced_ = false;
};

}  // namespace mbc::runtime
