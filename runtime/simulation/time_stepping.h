// SPDX-License-Identifier: Apache-2.0
// `contact = timestep`: steps of fixed size that go through impacts instead of ending at them. The velocities jump once
// a step, by one problem of all contacts in it:
//   u_free, q_free   the step without contacts, by the midpoint rule
//   g_i < 0 at its end or before, or near it: the row takes part
//   u+ = u_free + M^-1 A^T p,   0 <= p,   A u+ >= d, one of the two being equal row by row, and Coulomb's law
//   d = -e v- of sides that meet, v- the speed the step began with, else -2 g/h: what closes the gap g of the middle
//   q+ = q_free + h/2 W (u+ - u_free)
// (J. J. Moreau, Computer Methods in Applied Mechanics and Engineering 177 (1999) 329-349; the gap in the bound: M.
// Anitescu, F. A. Potra, Nonlinear Dynamics 14 (1997) 231-247.) Order 2 where nothing touches, order 1 across impacts.
// Positions that a curved row has left below zero are moved back, in the mass metric; equations are projected as in any
// step. Impulses stand for forces: what members and outputs tell is their mean over the step.
#pragma once
#include <cstdint>
#include <vector>

#include "base/archive.h"
#include "runtime/contact/cone_sweeps.h"
#include "runtime/equations/dense_rows.h"
#include "runtime/simulation/run_parts.h"
#include "runtime/simulation/stepping.h"

namespace mbc::runtime {

class TimeStepping {
 public:
  // Everything outlives the object.
  TimeStepping(RunParts& run, Stepping& stepping);

  // Before anything is evaluated: the values that only events change.
  void set_held();
  // At the evaluated state the run begins with. This and the others: false when the run ends here.
  bool start(double t);
  // In held values what the step before has left, for whoever reads them behind the last row.
  void show_held();
  bool step(double t, double h);

  void transfer(Archive& archive) { archive(impulses_, forces_, accelerations_, kept_, rests_, sticks_); }

 private:
  bool refuse(Kind kind, const std::string& what, double t);
  bool fits(double t);
  bool unsettled(double t);
  bool look(double t, double h);
  bool bounds(double h);
  void limits(const Eigen::VectorXd& impulses, std::vector<ConeProblem::Limit>& out, double t, double h);
  void show();
  void hide();
  bool limits_hold(double t, double h);
  void take_equations();
  [[nodiscard]] Eigen::VectorXd of_equations(const Eigen::VectorXd& impulses) const;
  void note(double t, double h);
  bool lift(double t);
  bool energy_at(double t, std::vector<double>& y, double& energy);
  [[nodiscard]] double& held(std::uint32_t k) { return run_.equations.inputs()[events_.held_at + k]; }
  void switch_rows(bool on);
  [[nodiscard]] bool enabled(const std::optional<std::uint32_t>& by) { return !by || held(*by) != 0; }

  RunParts& run_;
  const EventsInfo& events_;
  Stepping& stepping_;
  std::vector<char> of_contact_;              // by row of the model
  std::vector<double> middle_, free_, dy_;    // states: of the middle, with the speeds at the end of the free step
  std::vector<double> values_;                // of the events, in the middle
  std::vector<double> before_, free_speeds_;  // of the rows: with which the step began, and without contacts
  Assembled assembled_;
  Eigen::MatrixXd scaled_, basis_, equations_;  // rows; of the equations a basis, and they themselves, of norm 1
  std::vector<Eigen::Index> rows_of_equations_;
  Eigen::VectorXd free_lambda_;  // of the equations, without contacts
  ConeProblem problem_;
  ConeSolution made_;
  std::vector<double> rate_;           // without contacts, while outputs see the other one
  std::vector<double> accelerations_;  // of contacts, the mean of the step before
  // By row: of the step before, and their means; of equations what they answer contacts with.
  std::vector<double> impulses_, forces_;
  // By number: 1 where an inequality pressed in the step before; where its sides stayed together; where a friction
  // stuck.
  std::vector<double> kept_, rests_, sticks_;
};

}  // namespace mbc::runtime
