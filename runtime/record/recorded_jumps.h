// SPDX-License-Identifier: Apache-2.0
// Finds constraints that jump between two rows of runs without projection (`none`, `baumgarte`). There the jump stays
// in the residuals, or forces that do not belong to the model remove it. Rows that are off because a step is too large
// are reported elsewhere.
#pragma once
#include <optional>
#include <vector>

#include "base/archive.h"
#include "runtime/constraints/jumps.h"

namespace mbc::runtime {

class RecordedJumps {
 public:
  // References must outlive the object.
  RecordedJumps(Equations& equations, const problem::Problem& info, const ConstraintProjector& projector)
      : equations_(equations), info_(info), projector_(projector), jumps_(equations, info, projector) {}

  // Looks at a row: the state y with its rate dy, whose residuals have just been evaluated. `instants` counts the
  // events until now; states before and after an event are not compared. Returns a failure for the first row of a
  // constraint that has jumped since the last row.
  std::optional<Diagnostic> look(double t, const std::vector<double>& y, const std::vector<double>& dy,
                                 std::uint64_t instants);

  void transfer(Archive& archive) {
    archive(t_, y_, dy_, positions_, rates_, instants_);
    const std::size_t n = y_.empty() ? 0 : equations_.layout().n_y(), rows = y_.empty() ? 0 : info_.rows.size();
    archive.expect(y_.size() == n && dy_.size() == n && positions_.size() == rows && rates_.size() == rows);
  }

 private:
  [[nodiscard]] bool moved() const;

  Equations& equations_;
  const problem::Problem& info_;
  const ConstraintProjector& projector_;
  Jumps jumps_;
  double t_ = 0;
  std::vector<double> y_, dy_, positions_, rates_;  // at the last row; empty before the first
  std::uint64_t instants_ = 0;
};

}  // namespace mbc::runtime
