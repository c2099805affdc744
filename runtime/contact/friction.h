// SPDX-License-Identifier: Apache-2.0
// Friction (`friction rub on p.vx: 0.3*deck.lambda`) at one instant: which sticks, which slides and which way, together
// with the inequalities that press.
//
// With all equations A_E, the inequalities A_C that touch and rest, and the slips A_F, the accelerations fulfil
//   M u' = f + A^T lambda,   A_E u' = b_E
//   0 <= lambda_C,  A_C u' >= b_C,  one of the two being equal row by row
//   |lambda_F| <= static limit and A_F u' = b_F,  or  lambda_F = -limit d,  d the direction of the slip, or of its rate
//                                                  where the slip is zero
// The limits are functions of lambda. That is one contact problem (runtime/rows/cone); its solution says what presses,
// what sticks and which way the others slide. A friction whose contacts are all apart has no force and is none of it.
#pragma once
#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/contains.h"
#include "base/diagnostics/diagnostic.h"
#include "kernel/problem/problem.h"
#include "runtime/constraints/constraint_projector.h"
#include "runtime/contact/instant_rows.h"
#include "runtime/equations/equations.h"
#include "runtime/rows/cone/problem.h"
#include "runtime/rows/cone/uniqueness.h"

namespace mbc::runtime {

class Friction {
 public:
  // Everything outlives the object. unique: where the motion depends on which of many multipliers are taken, that is a
  // failure. ahead: a time in which motions that are prescribed change a little.
  Friction(Equations& equations, const problem::Problem& info, ConstraintProjector& projector, InstantRows& rows,
           bool unique, double ahead);

  using Outcome = ContactOutcome;
  // One that is neither disabled nor apart.
  struct Acting {
    std::uint32_t which = 0;
    Eigen::VectorXd slip, direction;  // direction: of the force's opposite where it slides
    double speed_size = 0, limit_size = 0, limit_rounding = 0;
    double limit_at_none = 0, static_at_none = 0;  // of an impact: the limits without impulses, which are forces
    bool rests = false, sticks = false;            // rests: its slip is zero
    bool slips = false;                            // its slip begins, so that the limit of sliding holds
    bool reached = false;                          // an event has found it at its limit
  };
  // A contact whose sides touch and do not part, by number of the unilateral constraint.
  struct Resting {
    std::uint32_t which = 0;
    bool held = false;
    bool idle = false;    // not held, since others hold it and its share of the forces is none
    bool begins = false;  // an event has found that it has a share from here on
  };

  // All off: as a model without friction. What sticks is remembered. Whether something did.
  bool release();
  // Switches on the frictions that may act while these contacts touch, by number. The rows must be assembled
  // afterwards.
  void turn_on(const std::vector<std::uint32_t>& touching);
  void turn_off();
  // In the next meet() other multipliers have taken these impulses already. Empty: none.
  // Returns what it was before.
  Eigen::VectorXd push(const Eigen::VectorXd& taken) { return std::exchange(taken_, taken); }
  [[nodiscard]] bool is_pushed() { return taken_.size() > 0 && meets(); }
  // At a state with the velocities that it keeps. slips, rests: 1 by number of the friction for those whose limit was
  // reached, and those whose slip has fallen to zero along its direction. The held values of all are set, and those of
  // the inequalities.
  Outcome settle(double t, const std::vector<double>& y, std::vector<Resting>& resting, const std::vector<char>& slips,
                 const std::vector<char>& rests);

  // The rebound of slips in an impact (`friction grip on s: 0.5*deck.lambda restitution 0.6`).
  struct Rebound {
    double share = 1;        // of all restitutions
    double usual = 0;        // of frictions that name none
    bool continues = false;  // after an impact that has stopped them: it is their speed before that which comes back
  };
  // Returns whether impacts move slips, because a limit that depends on multipliers also depends on their impulses.
  [[nodiscard]] bool meets();
  // Solves an impact, a problem of rows that were assembled behind turn_on(), with the impulses of friction by
  // Coulomb's law in the same form as above: impulses in the place of forces, the slips behind the impact in that of
  // their rates.
  Outcome meet(double t, const std::vector<double>& y, ConeProblem problem, const Rebound& rebound, ConeEffort effort,
               ConeSolution& made);
  // Something has come back of a slip in that.
  [[nodiscard]] bool rebounds() const { return impact_.rebounds; }
  // Returns whether a slip in that impact is driven from outside (a belt), which does work. It is driven by itself or
  // by these speeds.
  [[nodiscard]] bool is_driven(const Eigen::VectorXd& by_equations) const;

  [[nodiscard]] const std::vector<Acting>& acting() const { return acting_; }
  [[nodiscard]] bool changed_rows() const { return changed_rows_; }
  [[nodiscard]] bool wants_unique() const { return unique_; }
  // Frictions, loads and impacts that have moved the model by one share of many.
  [[nodiscard]] const std::vector<std::string>& shared() const { return shared_; }
  void note_shared(const std::string& name) { add_once(shared_, name); }
  // Frictions and loads of which it is not known whether theirs is the only motion.
  [[nodiscard]] const std::vector<std::string>& undecided() const { return undecided_; }
  // Explains a failure, without its time.
  [[nodiscard]] const Diagnostic& failure() const { return failure_; }

 private:
  static constexpr const char* kGiveWay =
      "let the part that presses give way by a spring, or take a smaller coefficient";

  bool look(double t, const std::vector<double>& y);
  void take_wanted();
  Outcome find_forces(double t, const std::vector<double>& y, std::vector<Resting>& resting,
                      Eigen::VectorXd& multipliers, const Eigen::VectorXd& apart = {});
  Eigen::VectorXd led_apart(double t, const std::vector<double>& y, const std::vector<Resting>& resting);
  // By row, and as the largest part of what a row wants.
  struct Apart {
    Eigen::VectorXd accelerations;
    double part = 0;
  };
  Apart missing(const std::vector<std::uint32_t>& kept, const std::vector<std::uint32_t>& left);
  // So slow that the direction is one that is held, what slips is taken to rest where that falls through zero: what is
  // left of it, across, would turn with each such fall.
  static void rest(Acting& a) {
    a.rests = a.sticks = true;
    a.direction.setZero(a.slip.size());
  }
  void add_loads(double t, const std::vector<double>& y, ConeProblem& problem);
  void add_frictions(ConeProblem& problem) const;
  bool solve(double t, const std::vector<double>& y, ConeProblem& problem, ConeEffort effort, ConeSolution& made);
  double size_of_given(double t, const std::vector<double>& y);
  bool more_slip();
  void take_multipliers(double t, const std::vector<double>& y, const Eigen::VectorXd& multipliers);
  [[nodiscard]] double limit(const Acting& a) const;
  [[nodiscard]] double sliding_limit(const Acting& a) const;
  void laws(std::vector<double>& out) const;
  Outcome look_at_limits();
  void take_sizes();
  [[nodiscard]] ConeProblem with_lower_limits(const ConeProblem& problem) const;
  void rest_together(const ConeProblem& problem, const ConeSolution& made);
  void reach_in_groups(const std::vector<Resting>& resting);
  bool gives_way_together(const Eigen::VectorXd& multipliers);
  [[nodiscard]] bool begins_to_slip(const Acting& a) const {
    return gained(a).norm() > row_tolerance(events_.frictions[a.which].row);
  }
  void take_state(const Eigen::VectorXd& multipliers, std::vector<Resting>& resting);
  [[nodiscard]] ConeState state_of(double t, const std::vector<double>& y, const ConeProblem& problem,
                                   const Eigen::VectorXd& multipliers, const std::vector<Resting>& resting);
  [[nodiscard]] Outcome look_whether_unique(double t, const std::vector<double>& y, const ConeProblem& problem,
                                            const Eigen::VectorXd& multipliers, const std::vector<Resting>& resting);
  [[nodiscard]] bool at_rest(const std::vector<Resting>& resting) const;
  [[nodiscard]] bool has_other_motion(const ConeProblem& problem, const Eigen::VectorXd& multipliers) const;
  [[nodiscard]] const std::string& first_sliding() const {
    const auto slides = [](const Acting& a) { return !a.sticks; };
    const auto which = std::find_if(acting_.begin(), acting_.end(), slides);
    return which != acting_.end() ? events_.frictions[which->which].name : events_.reaction_dependent[0].name;
  }
  void set_discrete(const Eigen::VectorXd& multipliers, const std::vector<Resting>& resting);
  bool is_proportional(double t, const std::vector<double>& y, const Eigen::VectorXd& multipliers);
  Outcome look_at_slips(const std::vector<double>& y, const Rebound& rebound);
  [[nodiscard]] double row_tolerance(std::uint32_t row) const;
  [[nodiscard]] double parts(std::uint32_t row) const { return rows_.times(row, acceleration_) - wanted_[row]; }
  // Returns the slip that a friction gains.
  [[nodiscard]] Eigen::VectorXd gained(const Acting& a) const {
    Eigen::VectorXd out(a.slip.size());
    for (std::uint32_t i = 0; i < out.size(); ++i) out[i] = parts(events_.frictions[a.which].row + i);
    return out;
  }
  [[nodiscard]] const double* values() const { return equations_.output_values() + events_.first_value; }
  [[nodiscard]] problem::DiscreteState discrete() const { return equations_.discrete_state(events_); }
  Outcome fail(Kind kind, std::uint32_t which, std::vector<std::string> args, const char* help);
  Outcome fail_first(Kind of_friction, Kind of_load, const char* what, const char* help);

  Equations& equations_;
  const problem::Problem& info_;
  const problem::Events& events_;
  ConstraintProjector& projector_;
  InstantRows& rows_;
  const bool unique_;
  const double ahead_;
  std::vector<char> stuck_;  // by number, before the instant
  std::vector<Acting> acting_;
  Eigen::VectorXd wanted_, acceleration_, taken_;  // by row; of an impact changes of speeds
  double size_ = 0;                                // of accelerations; of speeds, in an impact
  std::vector<double> dy_;
  struct Impact {
    bool meets = false, driven = false, rebounds = false;
    bool pulls = false;                   // sides are stopped whatever it takes
    std::vector<Eigen::VectorXd> before;  // slips, by number
  };
  Impact impact_;
  std::vector<std::string> shared_, undecided_;
  bool changed_rows_ = false;
  Diagnostic failure_;
};

}  // namespace mbc::runtime
