// SPDX-License-Identifier: Apache-2.0
// Two decompositions compared.
#include "runtime/singular/sign_changes.h"

#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

std::vector<SignChange> sign_changes(const RowComponent& from, const RowComponent& to, double weak) {
  std::vector<SignChange> out;
  const int count = from.weak(weak);
  if (count == 0) return out;
  const Eigen::Index first = from.rank - count;
  const Eigen::MatrixXd u = from.U.middleCols(first, count), v = from.V.middleCols(first, count);
  const Eigen::Index both = to.values.size();
  const Eigen::MatrixXd there =
      (u.transpose() * to.U.leftCols(both)) * to.values.asDiagonal() * (to.V.leftCols(both).transpose() * v);
  const Eigen::VectorXd here = from.values.segment(first, count);
  // in units of what it was: the identity where nothing has changed
  const Eigen::VectorXd scale = here.cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd relative = scale.asDiagonal() * (0.5 * (there + there.transpose())) * scale.asDiagonal();
  const Eigensystem eigen = symmetric_eigensystem(relative);
  for (Eigen::Index k = 0; k < count; ++k) {
    if (!(eigen.values[k] < 0)) continue;
    const Eigen::VectorXd x = scale.cwiseProduct(eigen.vectors.col(k));
    out.push_back({1 / (1 - eigen.values[k]), (u * x).normalized()});
  }
  return out;
}

}  // namespace mbc::runtime
