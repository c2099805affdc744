// SPDX-License-Identifier: Apache-2.0
// The usual rank of the constraint rows: how many directions each part of them (row_parts.h) holds wherever the motion
// is not just at a singular position. It is counted once, at a certified state, and then used beside singular
// positions, where no threshold could find it: accelerations and corrections are made of as many leading singular
// directions of the state at hand (runtime/rows/counted_inverse.h).
//
// Only parts with rows of position level are watched. Rows of velocity level that lose their rank (knife edges) leave a
// motion that is regular; they are the certification's (certification.h).
//
// States are y = [q; u; s], n_y entries; t in s.
#pragma once
#include <cstdint>
#include <vector>

#include "base/archive.h"
#include "base/split_mix64.h"
#include "kernel/problem/problem.h"
#include "runtime/constraints/constraint_projector.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

class UsualRank {
 public:
  // All outlive the object.
  UsualRank(Equations& equations, const problem::Problem& info, ConstraintProjector& projector);

  // Whether there is something to watch, and it can be: rows of position level, few enough for full matrices.
  [[nodiscard]] bool watches() const { return watches_; }
  // At a certified state. clear: the mask is that of the usual rank; else the state may be a singular position itself,
  // and the rank is what it is on both sides of it along the motion. False where it differs, or cannot be found.
  // goes_on: other rows have come into use along the motion, and what was usual until there remains so.
  bool count(double t, const double* y, bool clear, bool goes_on = false);

  // The state that was counted is at rest on a singular position.
  [[nodiscard]] bool rests() const { return at_rest_; }
  // Something moves, but not a part that lies on a singular position (or all of it moves without turning), and the
  // loads drive it off: along what the rows leave open there, of which no direction is that of the motion. The ranks of
  // such parts are then those off the position.
  [[nodiscard]] bool driven_off() const { return driven_off_; }

  // After an rhs: the least pivot of a watched row, in units of what is usual for it (1 and more: nothing near). Pivots
  // are compared with themselves elsewhere, not with the norm of the row at the state, which may vanish as well.
  [[nodiscard]] double least_pivot() const;
  // By row: pivots below which least_pivot() may be near; 0 for rows that are not watched.
  [[nodiscard]] const std::vector<double>& limits() const { return limits_; }

  // The accelerations of the counted directions: as Equations::rhs. The decomposition is left in equations.counted().
  std::int32_t rhs(double t, const double* y, double* dy);
  // How far the watched parts of the last decomposition are from a singular position, in units of the distance below
  // which nothing is to be evaluated: more than 1 is far enough.
  [[nodiscard]] double clearance(double bound) const;

  struct Correction {
    bool converged = true;
    double moved = 0;      // positions, mass-weighted
    double uncounted = 0;  // what is left of the residuals in the directions that are not counted, mass-weighted
  };
  // Brings y onto the constraints by corrections in the counted directions: positions, then speeds.
  Correction project(double t, double* y, double tolerance);
  // The same for positions alone in all but the `weak` last of the directions of part k; e is what is left of W e
  // there.
  bool project_strong(double t, double* y, std::size_t k, int weak, Eigen::VectorXd& e);

  // W e of the rows of part k at the state, where they are those of `project_strong`.
  Eigen::VectorXd off(double t, const double* y, std::size_t k);

  // The parts that the last decomposition found nearer than `bound` have lost directions for good: they are not watched
  // any more, and left to the certification. False where there is none.
  bool give_up(double bound);

  // Size of the positions, mass-weighted: what their rounding is measured by.
  [[nodiscard]] double extent(const double* y) const { return projector_.extent(true, y); }

  void transfer(Archive& archive);

 private:
  bool correct(bool position, double t, double* y, double tolerance, Correction& made);
  void take_ranks(CountedInverse& level, double t, const double* y);
  void raise_references();
  void look_around(double t, const double* y, bool goes_on);
  bool count_beside(double t, const double* y, double offset);
  bool count_there(double t);
  void displace(double t, const double* y, const Assembled& here, const Eigen::VectorXd& w);
  bool find_vanishing(double t, const double* y, const Assembled& here, SplitMix64& random);
  bool weigh_vanishing(double t, bool first);
  bool singular_at_rest(double t, const double* y);
  [[nodiscard]] std::vector<char> still_parts(double t, const double* y, const Assembled& here, double e);
  bool leads_off(double t, const double* y, double e);
  bool leads_off(double t, const double* y, const Assembled& here, const std::vector<char>& still);
  void leave(CountedPart& part);
  void find_determined(double t, const double* y);
  bool hold_more_there(double t, const std::vector<CountedPart>& parts, const std::vector<char>& which);

  Equations& equations_;
  const problem::Problem& info_;
  ConstraintProjector& projector_;
  bool watches_ = false, at_rest_ = false, driven_off_ = false;
  CountedInverse position_, velocity_;  // the rows that positions, and speeds, have to meet
  std::vector<double> watched_;         // by row
  std::vector<double> usual_, limits_;  // pivots by row
  std::vector<double> scratch_, rates_, beside_;
};

}  // namespace mbc::runtime
