// SPDX-License-Identifier: Apache-2.0
// The contacts in one step of fixed size that passes impacts. The step is h, u_free are the speeds at its end without
// contacts, and M, A and the gaps g are those of its middle:
//   u+ = u_free + M^-1 A^T p,   0 <= p,   A u+ >= d, one of the two being equal row by row, and Coulomb's law
//   d = -e v- of sides that meet, v- the speed the step began with, else -2 g/h: what closes the gap of the middle
// Sides that meet without restitution close their gap as well. Where there is friction its direction is that of the
// whole impact, so the speeds have d = 0 then, and the positions what closes the gap, by a second problem.
// (J. J. Moreau, Computer Methods in Applied Mechanics and Engineering 177 (1999) 329-349; the gap in the bound: M.
// Anitescu, F. A. Potra, Nonlinear Dynamics 14 (1997) 231-247). Only those rows are gone through that would be violated
// or have pressed before; of the others it is looked whether they hold, and those that do not join.
//
// If the static limit exceeds the sliding one, a friction that rests at the beginning of the step is tried with the
// static limit. If it slips nevertheless, it slides with its lower limit, and the step is solved again.
//
// Between constant forces and for rows that are not curved the energy changes by p (v- + v+)/2, summed over the rows:
// what only pushes adds none. Slips that an impact turns round may add some, and parts that are wedged may have no room
// to part; restitutions are then lowered by one factor.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/archive.h"
#include "base/diagnostics/diagnostic.h"
#include "base/settings.h"
#include "kernel/problem/problem.h"
#include "runtime/constraints/constraint_projector.h"
#include "runtime/contact/instant_rows.h"
#include "runtime/contact/timestep/contact_rows.h"
#include "runtime/contact/timestep/gaps.h"
#include "runtime/contact/timestep/near_rows.h"
#include "runtime/contact/timestep/switches.h"
#include "runtime/equations/equations.h"
#include "runtime/rows/cone/problem.h"

namespace mbc::runtime {

class ContactStep {
 public:
  // Everything outlives the object. tolerance: what impulses are found to, of the speeds, and gaps closed to.
  ContactStep(Equations& equations, const problem::Problem& info, ConstraintProjector& projector, settings::Impact law,
              double tolerance);

  // undefined: a value is not finite, with the rows as they are then. failed: failure() says why.
  using Outcome = ContactOutcome;
  struct Middle {
    double t = 0, h = 0;             // t: of the middle
    const double* before = nullptr;  // speeds the step began with
    const double* free = nullptr;    // without contacts, at its end
    const double* dy = nullptr;      // rates in the middle, without contacts
    const double* lambda = nullptr;  // of the equations there
    MassBlocks* metric = nullptr;    // in which impulses are answered, if it is not M
  };
  // y: the state of the middle; its speeds become those at the end without contacts. Rows are off before and after.
  Outcome solve(const Middle& middle, std::vector<double>& y);
  // Accepts a step: keeps what the next one begins with, and which sides have met.
  void keep();
  [[nodiscard]] ContactSwitches& switches() { return switches_; }
  [[nodiscard]] const Reach& reach() const { return reach_; }
  [[nodiscard]] Gaps& gaps() { return gaps_; }  // of what solve() has found nothing is left behind them

  // ---- of the last solve()
  // Sides that stay together; a friction that holds its slip at zero.
  [[nodiscard]] bool rests(std::uint32_t unilateral) const;
  [[nodiscard]] bool sticks(std::uint32_t friction) const;

  // ---- of the last solve(), which was kept
  [[nodiscard]] bool touched() const { return made_.multipliers.size() > 0 && made_.multipliers.norm() > 0; }
  [[nodiscard]] const Eigen::VectorXd& jump() const { return jump_; }  // of the speeds
  [[nodiscard]] const Eigen::VectorXd& way() const { return way_; }  // the same for the positions: half of it, times h
  [[nodiscard]] const std::vector<double>& impulses() const { return impulses_.of_step; }  // by row of the model
  // Sides that have met in this step.
  [[nodiscard]] bool met(std::uint32_t unilateral) const { return bounds_[unilateral].met; }
  [[nodiscard]] bool lowered() const { return state_.lowered; }  // restitutions
  [[nodiscard]] double error() const { return made_.error; }     // what the conditions are missed by, of the speeds

  // Explains a failure, without its time.
  [[nodiscard]] const Diagnostic& failure() const { return failure_; }

  // Saves or reads what the next step begins with.
  void transfer(Archive& archive) {
    archive.fixed(impulses_.of_step);
    impulses_.kept.reset();
  }

 private:
  Outcome solve_switched(const Middle& middle, std::vector<double>& y);
  bool look(const Middle& middle, std::vector<double>& y);
  void speeds_of_rows(const std::vector<double>& y, std::vector<double>& out);
  Outcome bounds();
  void begin_problem();
  [[nodiscard]] bool meets_softly() const;
  Outcome settle(double share);
  void take(std::uint32_t unilateral);
  bool take_violated();
  void want(double share);
  void let_slide_what_slips();
  bool more_slides();
  bool more_rests();
  struct Slip {
    double size = 0, norm = 0, along_before = 0;
  };
  [[nodiscard]] Slip slip_behind(std::size_t k) const;
  [[nodiscard]] bool rest_holds_more(std::size_t k) const;
  struct Limit {  // of an impulse
    double sliding = 0, still = 0;
  };
  void limits(const Eigen::VectorXd& impulses, std::vector<Limit>& out);
  Outcome limits_hold();
  [[nodiscard]] bool adds_energy() const;
  Outcome lower_restitutions(Outcome whole);
  void take_by_row(const Eigen::VectorXd& impulses, const Eigen::VectorXd& without);
  Outcome fail(Kind kind, std::uint32_t row, std::vector<std::string> args, const char* help);

  Equations& equations_;
  const problem::Problem& info_;
  const problem::Events& events_;
  ConstraintProjector& projector_;
  settings::Impact law_;
  double tolerance_;
  ContactSwitches switches_;
  Reach reach_;
  ContactRows rows_;
  Gaps gaps_;
  struct Look {                         // at the middle
    double t = 0, h = 0, extent = 0;    // extent: of the speeds
    std::vector<double> y, dy, values;  // state, rates; values of the events
    std::vector<double> before, free;   // of the rows: speeds with which the step began, and without contacts
    Eigen::VectorXd lambda;             // by row of the model: impulses of equations, without contacts
  };
  Look look_;
  struct Bound {
    double closes = 0, parts = 0;  // the least speed that keeps the gap; that of restitution
    bool acts = false, meets = false, met = false;
  };
  std::vector<Bound> bounds_;           // by inequality
  std::vector<std::uint32_t> bounded_;  // those within reach; the others have none
  double usual_ = 0;                    // restitution of slips that name none
  struct State {
    bool meets = false, driven = false, lowered = false;  // sides; sides that move by themselves; restitutions
    bool rough = false;                                   // a friction is not disabled, within reach or not
    bool whole = false;                                   // impacts without restitution leave nothing of the speed
  } state_;
  std::vector<std::uint32_t> acting_;  // frictions that are not disabled
  struct Limits {                      // of these
    std::vector<char> slides, turned;  // by which it is held: that of sliding; tried at rest as it turned round
    std::vector<Limit> tried;          // with the last impulses
  } limits_;
  NearRows near_;
  ConeProblem problem_;
  ConeSolution made_;
  Eigen::VectorXd start_;  // impulses to begin with
  Eigen::VectorXd jump_, way_;
  struct Impulses {  // by row of the model
    std::vector<double> of_step;
    std::optional<std::vector<std::uint32_t>> kept;  // rows of contacts for which that may not be zero, where known
    Eigen::VectorXd by_row, none;                    // of take_by_row()
    std::vector<std::uint32_t> taken;                // rows of contacts among them
  } impulses_;
  Diagnostic failure_;
};

}  // namespace mbc::runtime
