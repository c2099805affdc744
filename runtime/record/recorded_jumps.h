// SPDX-License-Identifier: Apache-2.0
// Constraints that jump between two rows, in runs that bring no state back onto them (`none`, `baumgarte`): there the
// jump stays in the residuals, or is pulled away by forces that are not the model's. Rows that are off since a step is
// too large, and not since they switch, are told by others.
#pragma once
#include <optional>
#include <vector>

#include "base/archive.h"
#include "runtime/constraints/jumps.h"

namespace mbc::runtime {

class RecordedJumps {
 public:
  // All outlive the object.
  RecordedJumps(Equations& equations, const problem::Problem& info, const ConstraintProjector& projector)
      : equations_(equations), info_(info), projector_(projector), jumps_(equations, info, projector) {}

  // A row: the state y with its rate dy, whose residuals have just been evaluated. instants: events until now; the
  // states before and after one do not belong to each other. Rows of constraints that have jumped since the last row:
  // the first of them, as a failure.
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
  std::vector<double> y_, dy_, positions_, rates_;  // of the last row; empty before the first
  std::uint64_t instants_ = 0;
};

}  // namespace mbc::runtime
