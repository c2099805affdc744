// SPDX-License-Identifier: Apache-2.0
#include "runtime/constraints/singular/branch_drift.h"

#include <cmath>

namespace mbc::runtime {

namespace {
constexpr double kOfDrift = 0.1;  // of a gap, or of s^2 of the extent: from there on drift decides
}

bool BranchDrift::explains(double missed, const SignChange& change, std::size_t part, double t, const double* y) {
  const Eigen::VectorXd e = rank_.off(t, y, part);
  if (e.size() != change.left.size() || std::fabs(change.left.dot(e)) <= kOfDrift * missed) return false;
  found_ = missed;
  return true;
}

bool BranchDrift::decides(double t, const double* y, const std::vector<CountedPart>& parts, double weak) {
  const double extent = rank_.extent(y);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const CountedPart& part = parts[k];
    if (!part.by_position || part.weak(weak) == 0) continue;
    const Eigen::VectorXd e = rank_.off(t, y, k);
    if (e.size() != part.U.rows()) continue;
    const double off = std::fabs(part.U.col(part.rank - 1).dot(e)), s = part.smallest();
    if (off <= kOfDrift * s * s * extent) continue;
    found_ = off;
    return true;
  }
  return false;
}

}  // namespace mbc::runtime
