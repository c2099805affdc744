// SPDX-License-Identifier: Apache-2.0
// Certification of the rows during a run: when it is asked for, on which state, and what its verdict changes.
//
// The rank is decided at the start, after events and at accepted step boundaries where a cheap indicator asks, on a
// copy of the state projected onto the constraints, never inside the stages of a step. The indicator is the pivots
// d_k/S_kk of the elimination, which the kernel leaves behind: the squared sine of the angle between a row and those
// eliminated before. A changed verdict is an event. A rank drop is acted on (mask) only when it persists to the next
// boundary: at an isolated drop the previous set stays, because leaving a row out for one stage injects a kick
// (seeds/003: the generalised inverse is discontinuous there).
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/archive.h"
#include "runtime/constraints/constraint_projector.h"

namespace mbc::runtime {

struct RankEvent {
  double t = 0;
  int rank_before = 0, rank_after = 0;
  std::vector<std::string> rows;  // those that became dependent (or independent again)

  void transfer(Archive& archive) { archive(t, rank_before, rank_after, rows); }
};

struct Verdict {
  RankReport report;
  bool conflict = false;
  std::vector<int> conflicting;  // a minimal set, when conflict
  std::int32_t failed = 0;       // the rows could not be evaluated
};

class Certification {
 public:
  Certification(Equations& equations, const ModelInfo& info, Projector& projector, double tolerance);

  // At the start: decides the mask and the solve mode.
  Verdict begin(double t, const double* y);
  // After an rhs at an accepted state: that all rows are in the set, were so before and are far from depending on each
  // other. Then check() finds nothing, and no row is left out or near (SingularPassage).
  bool quiet();
  // After an rhs at an accepted state: cheap unless the indicator asks, or the caller does.
  std::optional<Verdict> check(double t, const double* y, bool ask);

  [[nodiscard]] const std::vector<RankEvent>& events() const { return events_; }
  [[nodiscard]] int count() const { return count_; }
  // A rank drop was seen, or nearly, in the last steps.
  [[nodiscard]] bool near_singular() const { return calm_ < kCalmSteps; }
  [[nodiscard]] double smallest_distance() const { return std::sqrt(std::max(smallest_ratio_, 0.0)); }
  bool allow_mode_change = true;

  void transfer(Archive& archive) {
    archive(allow_mode_change, last_rank_, events_, seen_dependent_, any_seen_, count_, calm_, begun_, smallest_ratio_);
  }

 private:
  static constexpr int kCalmSteps = 10;
  Verdict certify(double t, const double* y);
  Eigen::VectorXd drift_of_speeds(double t, std::vector<double>& y, const Assembled& s);
  void act(const Verdict& verdict, double t);
  void keep_isolated(double t, const double* y);
  [[nodiscard]] bool asked();

  Equations& equations_;
  const ModelInfo& info_;
  Projector& projector_;
  double tolerance_;
  int last_rank_ = 0;
  std::vector<RankEvent> events_;
  std::vector<bool> seen_dependent_;  // by the last verdict
  bool any_seen_ = false;
  int count_ = 0;
  int calm_ = kCalmSteps;
  double begun_ = std::numeric_limits<double>::quiet_NaN();  // the time of begin()
  double smallest_ratio_ = 1;                                // d/S: the square of the distance
};

}  // namespace mbc::runtime
