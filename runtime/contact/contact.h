// SPDX-License-Identifier: Apache-2.0
// Rows that only push (`constraint deck: p.z >= 0`) at one instant: the impacts where their sides meet, and which of
// them are held from there on.
//
// Impact, of all rows that touch at once, with all equations of the model: Newton's law in the mass metric. The jump of
// the velocities is the least one (in the norm of M) after which every row that met at v- < 0 parts with at least
// -e v-, every other one that touches does not close, and the equations hold:
//   M (u+ - u-) = A^T P,  0 <= P,  and  v+ + e v- >= 0, one of the two being zero row by row
// (J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, CISM 302, Springer 1988, 1-82). With
// one e for all of them no energy comes of it; where different ones would add some they are lowered by one factor.
//
// From there on those are held whose sides do not part, such that none pulls: the accelerations are the ones nearest to
// the free ones that close no gap (Gauss's principle of least constraint with inequalities), and the rows that press on
// them are switched on as equations: of rows that depend on each other all that have a share of the forces.
//
// A rebound that is lower than positions are known is no rebound: the row is held, and the impacts are said to
// accumulate where the flights that are left out would have ended.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "base/settings.h"
#include "kernel/problem/problem.h"
#include "runtime/constraints/constraint_projector.h"
#include "runtime/contact/friction.h"
#include "runtime/contact/instant_rows.h"
#include "runtime/equations/equations.h"
#include "runtime/rows/cone/problem.h"

namespace mbc::runtime {

class Contact {
 public:
  // Everything outlives the object. lowest_rebound: of the size of the model, when it is asked for.
  Contact(Equations& equations, const problem::Problem& info, const ConstraintProjector& projector, InstantRows& rows,
          Friction& friction, settings::Impact law, const double& lowest_rebound);

  // A row whose sides touch at the instant.
  struct Touching {
    std::uint32_t which = 0;  // of problem::Events::unilaterals
    double speed = 0;         // before the instant
    double part = 0;          // the speed it should part with, at least
    double at_rest = 0;       // a speed that counts as none
    double restitution = 0;
    double impulse = 0;
    double gap_size = 0, push_size = 0;  // of gaps and multipliers: what rounding of them is measured by
    bool parts = false;                  // after it
    bool rests = false;                  // its rebound would be too low
    bool presses = false, idle = false;  // behind it; idle, begins: as Friction::Resting
    bool begins = false;
    bool kept = false;                  // was held, and is pushed by an event
    bool stops = false;                 // its sides stay together by the impulse that it has
    std::optional<double> accumulates;  // when the impacts of a restitution would end there
  };
  using Outcome = ContactOutcome;

  // The events that have led to the state. was_held and met have 1 by number for contacts that were active before, and
  // for those whose event has fired. `pushed`: impulses of events act, from which active contacts do not rebound.
  // `displaced`: an event has moved sides, so that contacts that were active may be open.
  struct Before {
    const std::vector<char>&was_held, &met, &was_idle;
    const std::vector<double>& seen;  // the smallest gaps that events see
    bool pushed = false, displaced = false;
    bool begins = false;  // nothing: a run begins
  };
  // At a state y = [q; u; s]. u is changed by impacts; the switches of all are set.
  Outcome settle(double t, std::vector<double>& y, const Before& before);

  [[nodiscard]] const std::vector<Touching>& touching() const { return touching_; }
  [[nodiscard]] bool moved() const { return moved_; }      // velocities have jumped
  [[nodiscard]] bool lowered() const { return lowered_; }  // restitutions, so that no energy is added
  // Explains a failure, without its time.
  [[nodiscard]] const Diagnostic& failure() const { return failure_; }

 private:
  Outcome find_touching(double t, const std::vector<double>& y, const Before& before);
  bool leave_out_undefined(const Before& before);
  // The sizes that the gap and the speed of a row are relative to.
  struct Extent {
    double place, speed;
  };
  Outcome look_at(std::uint32_t which, double t, Extent extent, const Before& before);
  bool assemble(double t, const std::vector<double>& y);
  [[nodiscard]] Eigen::VectorXd norms_of_sides() const;
  Outcome meet(double t, std::vector<double>& y);
  // A jump to be found, in the metric of the masses: the speeds of the sides that touch, at the state it begins with,
  // what they should be behind it at least, and what has moved the model there beside the equations.
  struct Wanted {
    Eigen::VectorXd speeds, parts, applied;
  };
  Outcome jump_within_energy(double t, const std::vector<double>& y, ConeSolution& made);
  Outcome jump_by_law(double t, const std::vector<double>& y, double share, ConeEffort effort, ConeSolution& made);
  Outcome give_back(double t, const std::vector<double>& y, double share, ConeEffort effort, ConeSolution& made);
  Outcome jump(double t, const std::vector<double>& y, const Wanted& wanted, const Friction::Rebound& rebound,
               ConeEffort effort, ConeSolution& made);
  [[nodiscard]] std::vector<double> moved_by(const std::vector<double>& y, const Eigen::VectorXd& jump) const;
  [[nodiscard]] double usual_restitution() const;
  [[nodiscard]] Eigen::VectorXd given_back(double share, const ConeSolution& stopped) const;
  [[nodiscard]] bool is_shared_uniquely(double share, const ConeSolution& stopped) const;
  [[nodiscard]] bool may_add_energy(const std::vector<double>& y) const;
  [[nodiscard]] Eigen::VectorXd driven_speeds(const std::vector<double>& y) const;
  [[nodiscard]] bool adds_energy(const std::vector<double>& y, const Eigen::VectorXd& w) const;
  Outcome press(double t, const std::vector<double>& y);
  void note_pressing(const ConeProblem& problem, const Eigen::VectorXd& multipliers);
  [[nodiscard]] Eigen::VectorXd norms_of_parts(const Eigen::VectorXd& scaled) const;
  bool bounces_too_low(double t, const std::vector<double>& y, const Before& before);
  void stop_with_them();
  [[nodiscard]] Eigen::Map<const Eigen::VectorXd> speeds(const std::vector<double>& y) const;
  [[nodiscard]] std::string name(std::uint32_t which) const;
  [[nodiscard]] problem::DiscreteState discrete() const { return equations_.discrete_state(info_.events); }
  Outcome fail(Kind kind, std::uint32_t which, std::vector<std::string> args, const char* help = "");
  Outcome cannot_keep(const char* what, const ConeSolution& made);
  [[nodiscard]] std::uint32_t row_of(const Touching& c) const { return list_[c.which].row; }

  Equations& equations_;
  const problem::Problem& info_;
  const std::vector<problem::Unilateral>& list_;
  const ConstraintProjector& projector_;
  Friction& friction_;
  settings::Impact law_;
  const double& lowest_rebound_;
  InstantRows& rows_;
  Eigen::VectorXd acceleration_;  // L^T u', of what presses
  std::vector<Touching> touching_;
  std::vector<double> values_, dy_;
  bool moved_ = false, lowered_ = false;
  Diagnostic failure_;
};

}  // namespace mbc::runtime
