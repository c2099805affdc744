// SPDX-License-Identifier: Apache-2.0
#include "runtime/record/recorded_jumps.h"

#include <cmath>

namespace mbc::runtime {

// Returns whether a residual that can jump has changed enough to be checked.
bool RecordedJumps::moved() const {
  if (!equations_.can_jump(Equations::k_residuals)) return false;
  for (std::size_t k = 0; k < info_.rows.size(); ++k) {
    const double seen = Jumps::kSeen * std::sqrt(equations_.pivot_scale()[k]);
    if (std::fabs(equations_.position_residual()[k] - positions_[k]) > seen * projector_.size().position ||
        std::fabs(equations_.velocity_residual()[k] - rates_[k]) > seen * projector_.size().speed)
      return true;
  }
  return false;
}

std::optional<Diagnostic> RecordedJumps::look(double t, const std::vector<double>& y, const std::vector<double>& dy,
                                              std::uint64_t instants) {
  const bool looks = !y_.empty() && instants == instants_ && t > t_ && moved();
  positions_.assign(equations_.position_residual(), equations_.position_residual() + info_.rows.size());
  rates_.assign(equations_.velocity_residual(), equations_.velocity_residual() + info_.rows.size());
  std::optional<Diagnostic> found;
  if (looks) {
    found = jumps_.interrupted({t_, t, y_, dy_, y, y});
    std::vector<double> again(y.size());  // the work arrays have to hold this state again
    if (!found) equations_.rhs(t, y.data(), again.data());
  }
  t_ = t;
  y_ = y;
  dy_ = dy;
  instants_ = instants;
  return found;
}

}  // namespace mbc::runtime
