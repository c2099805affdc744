// SPDX-License-Identifier: Apache-2.0
// Friction (`friction rub on p.vx: 0.3*deck.lambda`) at one instant: which sticks, which slides and which way, together
// with the inequalities that press.
//
// With all equations A_E, the inequalities A_C that touch and rest, and the slips A_F, the accelerations fulfil
//   M u' = f + A^T lambda,   A_E u' = b_E
//   0 <= lambda_C,  A_C u' >= b_C,  one of the two being equal row by row
//   |lambda_F| <= static limit and A_F u' = b_F,  or  lambda_F = -limit d,  d the direction of the slip, or of its rate
//                                                  where the slip is zero
// The limits are functions of lambda. States of contact and friction are tried from the one in which everything rests:
// what violates its condition most changes, until nothing does. The sizes of the forces of those that slide are a fixed
// point (rows/fixed_point.h). It is the only one where every principal minor of 1 - d limit/d size is positive (R. W.
// Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, Academic Press 1992); elsewhere (P. Painleve,
// Comptes Rendus 121 (1895) 112-115) the run ends.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "kernel/problem/problem.h"
#include "runtime/constraints/constraint_projector.h"
#include "runtime/contact/friction_forces.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

struct FrictionCones;  // friction_cones.cpp

class Friction : public FrictionForces {
 public:
  // Everything outlives the object. smallest: of multipliers that are not unique those are taken, where the motion
  // depends on them; else that is a failure.
  Friction(Equations& equations, const problem::Problem& info, const ConstraintProjector& projector, bool smallest);

  enum class Outcome : std::uint8_t { settled, undefined, failed };
  struct Failure {
    Kind kind{};
    std::uint32_t which = 0;  // of problem::Events::frictions, or
    bool of_load = false;     // of problem::Events::implicit_loads
    std::vector<std::string> args;
    const char* help = "";
  };

  // All off: as a model without friction. What sticks is remembered. Whether something did.
  bool release();
  // In the next meet() equations have taken these impulses of an event already. Empty: of none.
  // Returns what it was before.
  Eigen::VectorXd push(const Eigen::VectorXd& taken) { return std::exchange(taken_, taken); }
  [[nodiscard]] bool is_pushed() { return taken_.size() > 0 && meets(); }
  // At a state with the velocities that it keeps. slips, rests: 1 by number of the friction for those whose limit was
  // reached, and those whose slip has fallen to zero along its direction. The held values of all are set, and those of
  // the inequalities.
  Outcome settle(double t, const std::vector<double>& y, std::vector<Resting>& resting, const std::vector<char>& slips,
                 const std::vector<char>& rests);

  // Of slips in an impact (`friction grip on s: 0.5*deck.lambda restitution 0.6`): what comes back of them.
  struct Rebound {
    double share = 1;        // of all restitutions
    double usual = 0;        // of frictions that name none
    bool continues = false;  // after an impact that has stopped them: it is their speed before that which comes back
  };
  // Whether impacts move slips: a limit that depends on multipliers knows their impulses.
  [[nodiscard]] bool meets();
  // The jump of the velocities where sides meet, in the scale of the masses: with `wanted` the change of each speed
  // of `resting`, at least, its impulses by Coulomb's law in the same form as above, with impulses in the place of
  // forces, the slips behind the impact in the place of their rates. Left behind: held, by row, and impulse().
  Outcome meet(double t, const std::vector<double>& y, std::vector<Resting>& resting, const std::vector<double>& wanted,
               const Rebound& rebound, Eigen::VectorXd& jump);
  // Something has come back of a slip in that.
  [[nodiscard]] bool rebounds() const { return impact_.rebounds; }
  [[nodiscard]] double impulse(std::uint32_t row) const { return lambda_[row]; }
  // What slips in that impact is moved from outside (a belt), which does work: by itself, or by these speeds.
  [[nodiscard]] bool is_driven(const Eigen::VectorXd& by_equations) const;

  [[nodiscard]] const std::vector<Acting>& acting() const { return acting_; }
  [[nodiscard]] bool changed_rows() const { return changed_rows_; }
  [[nodiscard]] bool takes_smallest() const { return smallest_; }
  // Frictions, loads and impacts that have moved the model by the smallest of many multipliers.
  [[nodiscard]] const std::vector<std::string>& shared() const { return shared_; }
  void note_shared(const std::string& name);
  [[nodiscard]] const Failure& failure() const { return failure_; }

 private:
  Outcome find(double t, const std::vector<double>& y, std::vector<Resting>& resting, const std::vector<char>& slips);
  Outcome try_states(double t, const std::vector<double>& y, std::vector<Resting>& resting,
                     const std::vector<char>& slips);
  Outcome look(double t, const std::vector<double>& y, const std::vector<Resting>& resting);
  Outcome look_at_static_limits();
  Outcome fail_sizes(Kind of_friction, Kind of_load, const char* what, const char* help);
  bool turn_into_motion();
  bool look_what_stays();
  bool part_contradicting();
  void stick_again(std::uint32_t row);
  bool change_contacts(std::vector<Resting>& resting);
  enum class Change : std::uint8_t { none, made, without_end };
  [[nodiscard]] double violation(const Acting& a, bool reached) const;
  Change change_frictions(double t, const std::vector<double>& y, const std::vector<char>& slips);
  static void rest(Acting& a);
  static void slide(Acting& a, const Eigen::VectorXd& pull);
  Change slide_all(const std::vector<char>& slips);
  bool find_together(double t, const std::vector<double>& y, std::vector<Resting>& resting);
  void take_forces(const std::vector<Resting>& resting, FrictionCones& cones) const;
  void add_force(const Eigen::VectorXd& force, const Eigen::VectorXd& own, double wanted, FrictionCones& cones) const;
  void take_state(const Eigen::VectorXd& lambda, double size, std::vector<Resting>& resting);
  void set_discrete(const std::vector<Resting>& resting);
  bool is_proportional(double t, const std::vector<double>& y);
  Outcome look_at_slips(const std::vector<double>& y, const Rebound& rebound);
  void switch_off();
  Outcome fail(Kind kind, std::uint32_t which, std::vector<std::string> args, const char* help);

  const ConstraintProjector& projector_;
  std::vector<char> stuck_;  // by number, before the instant
  const bool smallest_;
  bool shares_ = false;    // the state that is tried has the smallest pushes
  bool together_ = false;  // what exceeds its limit slides all at once
  std::vector<std::string> shared_;
  bool changed_rows_ = false;
  bool aligned_ = true;  // what begins to slide does so against its force
  Failure failure_{};
};

}  // namespace mbc::runtime
