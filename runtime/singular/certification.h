// SPDX-License-Identifier: Apache-2.0
// Certification of the rows during a run: when it is asked for, on which state, and what its verdict changes.
//
// The rank is decided at the start, after events, and at accepted steps where a cheap indicator asks for it; on a copy
// of the state projected onto the constraints; never inside the stages of a step. The indicator is the pivots d_k/S_kk
// of the elimination, which the kernel leaves behind: the squared sine of the angle between a row and those eliminated
// before. A changed verdict is an event. A drop of the rank changes the mask only when it persists at the next accepted
// step. At an isolated drop the previous set stays, because leaving a row out for one step injects a kick (seed 003:
// the generalised inverse is discontinuous there).
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/archive.h"
#include "runtime/constraints/constraint_projector.h"
#include "runtime/singular/rank_event.h"
#include "runtime/singular/regularity.h"

namespace mbc::runtime {

struct Verdict {
  RankReport report;
  bool conflict = false;
  std::vector<int> conflicting;  // a minimal set, when conflict
  std::int32_t failed = 0;       // the rows could not be evaluated
};

class Certification {
 public:
  // All outlive the object. tolerance: sine of the angle to the other rows below which a row is dependent.
  Certification(Equations& equations, const problem::Problem& info, ConstraintProjector& projector, double tolerance);

  // At the start: decides the mask and the solve mode.
  Verdict begin(double t, const double* y);
  // After an rhs at an accepted state: whether all rows are in the set, were so before and are far from depending on
  // each other. Then check() would find nothing, and no row is left out or near (SingularLimit).
  bool rows_apart();
  // At an accepted state away from the singular position that the run began at: as begin(), with an event.
  void decide_again(double t, const double* y);
  // The independent rows have come near to each other, while all rows together hold what they did: others of them are
  // taken, those far from each other. False where the set stays as it is.
  bool choose_again(double t, const double* y);
  // After an rhs at an accepted state, where rows are left out: whether it is time for choose_again().
  bool rows_near();
  // A minimal set of rows that contradict each other at a state which the motion does not have, and nothing is changed
  // by.
  std::vector<int> conflict_at(double t, const double* y) { return certify(t, y).conflicting; }
  // By row: pivots that rows which are apart are above as well.
  void watch(const std::vector<double>& pivots) { least_pivots_ = pivots; }
  [[nodiscard]] const std::vector<double>& watched() const { return least_pivots_; }
  // After an rhs at an accepted state: cheap unless the indicator asks, or the caller does.
  std::optional<Verdict> check(double t, const double* y, bool ask);

  [[nodiscard]] const std::vector<RankEvent>& events() const { return events_; }
  // A row that the last verdict found dependent and those before it did not.
  [[nodiscard]] std::optional<std::size_t> lost_row() const { return lost_row_; }
  // The last verdict took other rows for those that repeat each other, at the same rank.
  [[nodiscard]] bool exchanged() const { return exchanged_; }
  // Rows were nearly dependent at the start, and are held all the same.
  [[nodiscard]] bool always_near() const { return always_near_; }
  [[nodiscard]] int count() const { return count_; }
  // What the states so far say.
  [[nodiscard]] const Regularity& regularity() const { return regularity_; }
  [[nodiscard]] bool near_singular() const { return regularity_.near_singular(); }
  [[nodiscard]] double smallest_ratio() const { return smallest_ratio_; }
  [[nodiscard]] double smallest_distance() const { return std::sqrt(std::max(smallest_ratio_, 0.0)); }
  bool allow_mode_change = true;

  void transfer(Archive& archive) {
    archive.fixed(seen_dependent_, least_pivots_);
    archive(allow_mode_change, last_rank_, events_, any_seen_, always_near_, count_, regularity_, begun_,
            smallest_ratio_, asked_at_);
    const auto rows = static_cast<int>(seen_dependent_.size());
    archive.expect(last_rank_ >= 0 && last_rank_ <= rows && count_ >= 0 && count_ < std::numeric_limits<int>::max());
  }

 private:
  // d/S of a kept row below which others are looked for, if there are any
  static constexpr double kNearEachOther = 0.1;

  [[nodiscard]] RankOptions rank_options(bool look_for_others, const std::vector<int>& rows) const;
  void certify_dense(double t, std::vector<double>& y, bool look_for_others, Verdict& verdict);
  Verdict certify(double t, const double* y, bool look_for_others = false);
  Eigen::VectorXd drift_of_speeds(double t, std::vector<double>& y, const Assembled& s);
  bool take_mask(const RankReport& found);
  void act(const Verdict& verdict, double t);
  void keep_isolated(double t, const double* y, const RankReport& found);
  [[nodiscard]] bool asked();

  Equations& equations_;
  const problem::Problem& info_;
  ConstraintProjector& projector_;
  double tolerance_;
  int last_rank_ = 0;
  std::vector<RankEvent> events_;
  std::vector<bool> seen_dependent_;  // by the last verdict
  std::vector<char> of_contact_;      // by row: of inequalities and frictions
  Assembled assembled_;               // by certify()
  std::vector<double> least_pivots_;
  std::optional<std::size_t> lost_row_;
  double asked_at_ = 2 * kNearEachOther;  // d/S of the nearest kept row when others were last looked for
  bool any_seen_ = false;
  bool exchanged_ = false;
  bool always_near_ = false;  // rows were nearly dependent at the start: they are meant to be held all the same
  int count_ = 0;
  Regularity regularity_;
  double begun_ = std::numeric_limits<double>::quiet_NaN();  // the time of begin()
  double smallest_ratio_ = 1;                                // d/S: the square of the distance
};

}  // namespace mbc::runtime
