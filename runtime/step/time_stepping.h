// SPDX-License-Identifier: Apache-2.0
// `contact = timestep`: steps of fixed size that pass impacts instead of ending at them. The midpoint rule makes the
// step without contacts. Then the velocities jump once, by one problem of all contacts in the step
// (runtime/contact/timestep/contact_step.h), and positions follow, q+ = q_free + h/2 W (u+ - u_free). Forces that
// depend on speeds are those at (u + u+)/2. The order is 2 without contact and 1 across impacts. Positions that a
// curved row has left below zero are moved back in the mass metric; equations are projected as in any step. Impulses
// replace forces: members and outputs show their mean over the step.
//
// Loads that change much within a step are taken implicitly, from the midpoint rule to the backward rule
// (runtime/contact/timestep/backward_rule.h, step/backward_step.cpp). Speeds u+ and impulses p of
//   M (u+ - u) - h F(q + T h v, v) = A^T p,   v = u + T (u+ - u),   q+ = q + h W v
// are found by Newton's method; each of its steps is a contact problem in the metric of its matrix.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/archive.h"
#include "runtime/contact/timestep/backward_rule.h"
#include "runtime/contact/timestep/contact_step.h"
#include "runtime/record/recording.h"
#include "runtime/step/stepping.h"

namespace mbc::runtime {

class TimeStepping {
 public:
  // References must outlive the object.
  TimeStepping(const SimulateOptions& options, RunState& state, ConstraintHandling& constraints, Recording& recording,
               Stepping& stepping);

  // Switches all contacts off before the first evaluation.
  void switch_off();
  // Begins at the evaluated state at t. start() and step() return false if the run ends here.
  bool start(double t);
  // Writes the contacts and frictions of the last step to the discrete state, for readers after the last row.
  void show_discrete_state();
  bool step(double t, double h);

  void transfer(Archive& archive) {
    archive(contacts_);
    archive.fixed(forces_, accelerations_, kept_, rests_, sticks_);
    note_all();
  }

 private:
  bool refuse(const std::string& what, Span at, double t);
  bool refuse(const std::string& name, Span span, const char* help, double t);
  bool refuse(const Gaps::Violated& gap, Kind kind, std::vector<std::string> more, double t, const char* help);
  bool leaves(const Gaps::Violated& left, double t);
  bool fits(double t);
  bool failed(ContactStep::Outcome outcome, double t);
  bool make_free_step(double t, double h);
  double way_with(double t, double h, const double* speeds);
  bool make_midpoint_step(double t, double h, const std::vector<double>& began);
  ContactStep::Outcome solve_contacts(double t, double h, const std::vector<double>& began);
  void show();
  void hide();
  void note(double t, double h);
  void note_all();
  void note_friction(std::uint32_t k, double t);
  void tell(std::uint32_t event, double t);
  bool take_mean_rates(double t, double h, const std::vector<double>& began);
  bool forces_differ(double t, double h);
  void take_free_step(double t, double h, const std::vector<double>& began);
  double work_of_contacts(double t, double h, const std::vector<double>& began);
  // ---- steps with stiff loads (backward_step.cpp)
  bool begins_stiff(double t, double h);
  [[nodiscard]] std::vector<std::uint32_t> holding(bool now) const;
  void hold(double t, std::vector<std::uint32_t> rows);
  bool make_backward_step(double t, double h, const std::vector<double>& began);
  struct Bracket;
  bool solve_backward(double t, double h, const std::vector<double>& began);
  bool take_mean_state(double t, double h, const std::vector<double>& began);
  void take_end_state(double t, double h, const std::vector<double>& began);
  void note_backward();
  bool take_work(double t, double h, const std::vector<double>& began);
  bool energy_missing(double t, double h, const std::vector<double>& began, double& missing);
  bool take_backward_end(double t, double h, const std::vector<double>& began);
  [[nodiscard]] std::vector<double> speeds_from_middle(const std::vector<double>& behind) const;
  bool meet_contacts(double t, double h, const std::vector<double>& began);
  bool energy_at(double t, std::vector<double>& y, double& energy);
  [[nodiscard]] problem::DiscreteState discrete() const { return state_.discrete(); }

  const SimulateOptions& options_;
  RunState& state_;
  ConstraintHandling& constraints_;
  const problem::Events& events_;
  Stepping& stepping_;
  ContactStep contacts_;
  std::vector<double> middle_, free_,
      dy_;                              // state and rates at the middle, state at the end of the step without contacts
  std::vector<double> mean_dy_;         // rates at the middle with the mean of the speeds at both ends
  std::optional<double> work_;          // of the contacts of the step, if its forces were taken at other speeds
  double free_energy_ = 0;              // at the end of the step without contacts
  Eigen::VectorXd impulse_;             // of the contacts of the step, M^-1 A^T p
  std::vector<double> rates_, behind_;  // of way_with(); the speeds after a step
  std::vector<double> free_lambda_;     // of the equations at the middle
  std::optional<BackwardRule> rule_;    // if loads depend on positions or speeds
  struct Backward {
    bool acts = false;                     // in this step
    std::vector<std::uint32_t> held;       // rows of contacts that the rule takes to hold
    double missed = 0;                     // the last correction of its speeds, relative to those of the model
    Eigen::VectorXd start, change, mean;   // u, u+ - u, v
    Eigen::VectorXd acceleration, later;   // of v; what stiff loads that depend on time add to it
    std::vector<double> state, end, rate;  // [q + T h v; v; s]; a state at the end of the step; rates
  } back_;
  std::vector<double> rate_;  // rate without contacts, while outputs see the one with them
  // Means over the last step: accelerations by contacts, and forces by row. Forces of equations are their reactions to
  // contacts.
  std::vector<double> accelerations_, forces_;
  // By number: 1 if a unilateral constraint carried a force in the last step, if its sides stayed together, if a
  // friction stuck.
  std::vector<double> kept_, rests_, sticks_;
  std::vector<std::uint32_t> noted_;  // numbers whose kept_ or rests_ may not be zero
};

}  // namespace mbc::runtime
