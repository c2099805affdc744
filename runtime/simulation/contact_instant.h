// SPDX-License-Identifier: Apache-2.0
// What rows that only push (`constraint deck: p.z >= 0`) do at one instant: impacts where their sides meet, and which
// of them are held from there on.
//
// Impact, of all rows that touch at once, with all equations of the model: Newton's law in the mass metric. The jump of
// the velocities is the least one (in the norm of M) after which every row that met at v- < 0 parts with at least
// -e v-, every other one that touches does not close, and the equations hold:
//   M (u+ - u-) = A^T P,  0 <= P  and  v+ + e v- >= 0, one of them zero row by row
// (J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, CISM 302, Springer 1988, 1-82). With
// one e for all of them no energy comes of it; where different ones would add some they are lowered by one factor.
//
// From there on those are held whose sides do not part, such that none pulls: the accelerations are the ones nearest to
// the free ones that close no gap (Gauss's principle of least constraint with inequalities), and the rows that press on
// them are switched on as equations. They are linearly independent; others that touch are left to these.
//
// A rebound that is lower than positions are known is no rebound: the row is held, and impacts are said to accumulate
// where the flights that are left out would have ended.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/equations/dense_rows.h"
#include "runtime/rows/least_distance.h"
#include "runtime/simulation/event_watch.h"
#include "runtime/simulation/run_parts.h"

namespace mbc::runtime {

class ContactInstant {
 public:
  // Everything outlives the object. certify_again: after rows were switched.
  ContactInstant(RunParts& run, EventWatch& watch, std::function<bool(double t)> certify_again);

  [[nodiscard]] bool any() const { return !list_.empty(); }
  // At the state at t, whatever has brought it there. `fired`: the events of the instant. False: the run ends here.
  bool settle(double t, const std::vector<std::uint32_t>& fired);
  // The last settle() changed velocities or switched rows.
  [[nodiscard]] bool changed() const { return changed_; }
  // Where the values of the events are at the state behind it.
  void note_sides(const std::vector<double>& values);

 private:
  // The rows that touch, and what is known of each.
  struct Touching {
    std::uint32_t which = 0;  // of list_
    double speed = 0;         // before the instant
    double part = 0;          // the speed it should part with, at least
    double at_rest = 0;       // a speed that counts as none
    double restitution = 0;
    bool rests = false;  // its rebound would be too low
    double impulse = 0;
  };
  // The equations as an orthonormal basis of what they hold, mass-weighted, and the rows that touch beside them.
  struct Held {
    Eigen::MatrixXd basis;  // n x rank
    Eigen::MatrixXd rows;   // touching x n
    Eigen::MatrixXd free;   // the same without what the equations hold
  };
  bool find_touching(double t, const std::vector<std::uint32_t>& fired);
  bool assemble(double t);
  void take_rows();
  bool meet(double t);
  bool jump(double t, double share, LeastDistance& made);
  [[nodiscard]] double energy_added(const Eigen::VectorXd& w) const;
  [[nodiscard]] bool may_add_energy() const;
  bool press(double t, LeastDistance& made, Eigen::VectorXd& acceleration);
  bool bounces_too_low(double t, const Eigen::VectorXd& acceleration);
  bool hold(double t, const LeastDistance& made);
  void note_impacts(double t, const std::vector<std::uint32_t>& fired);
  [[nodiscard]] double gap_known(double row_norm) const;
  [[nodiscard]] double& held(std::uint32_t k) { return run_.equations.inputs()[events_.held_at + k]; }
  bool fail(Kind kind, std::uint32_t which, std::vector<std::string> args, double t, const char* help = "");

  RunParts& run_;
  const EventsInfo& events_;
  const std::vector<UnilateralInfo>& list_;
  EventWatch& watch_;
  std::function<bool(double t)> certify_again_;
  Assembled assembled_;
  Held rows_;
  std::vector<Touching> touching_;
  std::vector<double> values_, dy_;
  std::vector<char> was_held_;
  bool changed_ = false, moved_ = false;
};

}  // namespace mbc::runtime
