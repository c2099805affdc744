// SPDX-License-Identifier: Apache-2.0
// The work of unilateral constraints (runtime/contact/contact.h) and frictions (runtime/contact/friction.h) at an
// instant of a run. After impacts and changes of the active constraints the run continues with other rows.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/archive.h"
#include "runtime/contact/contact.h"
#include "runtime/contact/friction.h"
#include "runtime/contact/joint_rest.h"
#include "runtime/events/functions/event_signs.h"
#include "runtime/record/run_state.h"
#include "runtime/state/constraint_handling.h"

namespace mbc::runtime {

class ContactInstant {
 public:
  // References must outlive the object. `certify_again` is called after rows were switched.
  ContactInstant(const SimulateOptions& options, RunState& state, ConstraintHandling& constraints,
                 const double& lowest_rebound, EventSigns& watch, std::function<bool(double t)> certify_again);

  [[nodiscard]] bool any() const { return !list_.empty() || !events_.frictions.empty(); }
  // Releases frictions, and contacts unless `keeps`, before an event changes velocities. `displaced`: the event moves
  // positions, so only those of the released contacts touch that are still closed. Returns whether rows were switched.
  bool let_go(bool keeps, bool displaced = false);
  // Notes impulses of events before settle(). `taken` holds the part that the equations have taken.
  void push(const Eigen::VectorXd& taken);
  // Settles contacts and frictions at the state at t. `fired` lists the events of the instant; settle() adds those that
  // follow here: touching, separation, coming to rest, slipping. Returns false if the run ends here.
  bool settle(double t, std::vector<std::uint32_t>& fired) { return settle(t, fired, false); }
  // Does the same at the state that a run begins with. Impacts are events; contacts that are active from the beginning
  // are not.
  bool begin(double t, std::vector<std::uint32_t>& fired) { return settle(t, fired, true); }
  // Returns whether the last settle() changed velocities or switched rows.
  [[nodiscard]] bool changed() const { return changed_; }
  // Sets the sides of contacts and frictions by the event functions at the state after the instant.
  void note_sides(const std::vector<double>& values);
  // Several sets of multipliers give the same motion where contact rows are active while rows are dependent. The first
  // function takes the set that decisions take (friction.h), and computes the shares of the closed contacts without a
  // force and the margin of frictions that rest together. The second one replaces the gaps of these contacts and the
  // distances of these frictions from their limits in the event functions.
  void look_at_shares(double t, const double* y);
  void watch_shares(std::vector<double>& values) const;
  // Slips in a plane are followed along their direction at the beginning of a step.
  [[nodiscard]] bool follows() const { return follows_; }
  void follow(const std::vector<double>& values);
  // The first function returns whether limits of friction vary along the motion. The second one returns whether no
  // sliding friction has a negative limit, by the event functions at an accepted state. If one has, the run ends here.
  [[nodiscard]] bool limits_vary() const { return limits_vary_; }
  bool limits_hold(double t, const std::vector<double>& values);
  // Returns the number of a friction with a negative limit.
  [[nodiscard]] std::optional<std::uint32_t> negative_limit(const std::vector<double>& values);
  // Returns whether a slip of two components that comes to rest has turned between these values of the event functions.
  [[nodiscard]] bool turns_to_rest(const std::vector<std::uint32_t>& fired, const std::vector<double>& begins,
                                   const std::vector<double>& later);
  // Returns the time until the first of these slips would come to rest, from the event functions now and `apart` later.
  // The result is infinity if none approaches rest, or if those that do are negligible already.
  [[nodiscard]] double rests_in(const std::vector<double>& now, const std::vector<double>& later, double apart);
  // Saves or reads the decisions of the last instant.
  void transfer(Archive& archive) {
    archive(idle_, idle_sizes_);
    archive.fixed(limit_roundings_);
    archive.expect(idle_.size() == idle_sizes_.size());
    for (const std::uint32_t which : idle_) archive.expect(which < list_.size());
  }

 private:
  [[nodiscard]] bool shares_forces();
  bool settle(double t, std::vector<std::uint32_t>& fired, bool begins);
  bool settle_friction(double t, const std::vector<std::uint32_t>& fired);
  void note_idle();
  void note_impacts(double t, std::vector<std::uint32_t>& fired);
  void note_changes(double t, std::vector<std::uint32_t>& fired);
  void tell(double t, std::uint32_t event, std::vector<std::uint32_t>& fired);
  bool go_on(double t);
  bool come_to_rest(double t, std::vector<double>& y);
  [[nodiscard]] problem::DiscreteState discrete() const { return state_.discrete(); }
  bool fail(Diagnostic why, double t);

  const SimulateOptions& options_;
  RunState& state_;
  ConstraintHandling& constraints_;
  const problem::Events& events_;
  const std::vector<problem::Unilateral>& list_;
  EventSigns& watch_;
  std::function<bool(double t)> certify_again_;
  InstantRows rows_;
  Friction friction_;
  Contact contact_;
  std::vector<double> seen_;  // by contact: the smallest gap that its event sees
  std::vector<char> was_held_, did_stick_, met_, was_idle_, slips_, rests_, of_contact_;
  std::vector<Friction::Resting> resting_;
  std::vector<std::uint32_t> idle_;            // numbers of the unilateral constraints (Friction::Resting)
  std::vector<double> limit_roundings_;        // by number of the friction
  std::vector<double> idle_sizes_, idle_now_;  // scale from their forces to their gaps; their shares
  JointRest joint_rest_;                       // at the state of the event functions
  bool changed_ = false, follows_ = false, limits_vary_ = false, loose_ = false, was_loose_ = false, pushed_ = false,
       displaced_ = false;
};

}  // namespace mbc::runtime
