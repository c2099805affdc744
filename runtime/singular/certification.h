// SPDX-License-Identifier: Apache-2.0
// Certification decides during a run which rows are independent: it determines when the rank is checked, at which
// state, and what a verdict changes.
//
// The rank is decided at the start, after events, and at accepted steps if an inexpensive indicator requests it. The
// decision uses a copy of the state that is projected onto the constraints. It is never made inside the stages of a
// step. The indicator consists of the pivots d_k/S_kk that the elimination of the kernel leaves: each is the squared
// sine of the angle between a row and those eliminated before. A changed verdict is an event. A lower rank changes the
// mask only if it persists at the next accepted step. At an isolated drop the previous set stays, because leaving out a
// row for one step changes the velocities abruptly (seed 003: the generalised inverse is discontinuous there).
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "base/archive.h"
#include "runtime/constraints/constraint_projector.h"
#include "runtime/record/run_data.h"
#include "runtime/singular/regularity.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

struct Verdict {
  RankReport report;
  bool conflict = false;
  std::vector<int> conflicting;  // a minimal set, if `conflict` is set
  std::int32_t failed = 0;       // nonzero if the rows could not be evaluated
};

class Certification {
 public:
  // The arguments must outlive the object. A row is dependent if the sine of its angle to the other rows is below
  // `tolerance`.
  Certification(Equations& equations, const problem::Problem& info, ConstraintProjector& projector, double tolerance);

  // Decides the mask and the solve mode at the start.
  Verdict begin(double t, const double* y);
  // Returns whether all rows are in the set, were in it before and are far from dependent. The call follows an rhs at
  // an accepted state. If the result is true, check() would find nothing, and no row is left out or nearly dependent
  // (SingularLimit).
  bool rows_apart();
  // Acts like begin(), with an event, at an accepted state away from the singular position at which the run started.
  void decide_again(double t, const double* y);
  // Chooses other independent rows that are far from each other, because those in use have come close to each other
  // while the rank of all rows is the same. The result is false if the set does not change.
  bool choose_again(double t, const double* y);
  // Returns whether choose_again() should be called, because rows in use have come close to each other or have shrunk.
  // The call follows an rhs at an accepted state with rows that are left out.
  bool rows_near();
  // Returns a minimal set of contradicting rows at a state that is not part of the motion. Nothing changes.
  std::vector<int> conflict_at(double t, const double* y) { return certify(t, y).conflicting; }
  // Sets the pivots that separated rows also exceed, one for each row.
  void watch(const std::vector<double>& pivots) { least_pivots_ = pivots; }
  [[nodiscard]] const std::vector<double>& watched() const { return least_pivots_; }
  // Checks the rows after an rhs at an accepted state. The check is inexpensive unless the indicator or the caller
  // requests certification.
  std::optional<Verdict> check(double t, const double* y, bool ask);

  [[nodiscard]] const std::vector<RankEvent>& events() const { return events_; }
  // Returns a row that the last verdict found dependent and earlier verdicts did not.
  [[nodiscard]] std::optional<std::size_t> lost_row() const { return lost_row_; }
  // Returns whether the last verdict replaced rows that repeat each other by others at the same rank.
  [[nodiscard]] bool exchanged() const { return exchanged_; }
  // Returns whether rows were nearly dependent at the start. Such rows are kept.
  [[nodiscard]] bool always_near() const { return always_near_; }
  [[nodiscard]] int count() const { return count_; }
  // Returns the regularity of the states so far.
  [[nodiscard]] const Regularity& regularity() const { return regularity_; }
  [[nodiscard]] bool near_singular() const { return regularity_.near_singular(); }
  [[nodiscard]] double smallest_ratio() const { return smallest_ratio_; }
  [[nodiscard]] double smallest_distance() const { return std::sqrt(std::max(smallest_ratio_, 0.0)); }
  bool allow_mode_change = true;

  void transfer(Archive& archive) {
    archive.fixed(seen_dependent_, least_pivots_, usual_);
    archive(allow_mode_change, last_rank_, events_, any_seen_, always_near_, count_, regularity_, begun_,
            smallest_ratio_, asked_at_);
    const auto rows = static_cast<int>(seen_dependent_.size());
    archive.expect(last_rank_ >= 0 && last_rank_ <= rows && count_ >= 0 && count_ < std::numeric_limits<int>::max());
  }

 private:
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
  std::vector<bool> seen_dependent_;  // found by the last verdict
  std::vector<char> of_contact_;      // one flag per row: rows of unilateral constraints and frictions
  Assembled assembled_;               // used by certify()
  std::vector<double> least_pivots_;
  std::vector<double> usual_;  // by row: the largest S_kk beside rows that are left out
  std::optional<std::size_t> lost_row_;
  double asked_at_ = 2 * kNearEachOther;  // d/S of the nearest kept row at the last search for other rows
  bool any_seen_ = false;
  bool exchanged_ = false;
  bool always_near_ = false;  // Rows were nearly dependent at the start and are kept intentionally.
  int count_ = 0;
  Regularity regularity_;
  double begun_ = std::numeric_limits<double>::quiet_NaN();  // time of begin()
  double smallest_ratio_ = 1;                                // the smallest d/S, which is the square of the distance
};

}  // namespace mbc::runtime
