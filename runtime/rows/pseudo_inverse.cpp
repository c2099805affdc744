// SPDX-License-Identifier: Apache-2.0
// Solves minimum-norm least-squares problems by complete orthogonal decompositions, A P = Q [T 0; 0 0] Z.
#include <Eigen/QR>

#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

using Decomposition = Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>;

MinimumNorm minimum_norm_by_orthogonal(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, double tolerance) {
  Decomposition factors;
  // The threshold is set before compute, because the second triangularisation depends on the rank.
  factors.setThreshold(tolerance);
  factors.compute(A);
  MinimumNorm out;
  out.rank = static_cast<int>(factors.rank());
  if (out.rank > 0) out.x = factors.solve(b);
  return out;
}

struct PseudoInverse::Factors {
  Decomposition of;
};

PseudoInverse::PseudoInverse() : factors_(make_hidden<Factors>()) {}
void PseudoInverse::compute(const Eigen::MatrixXd& A) { factors_->of.compute(A); }
Eigen::VectorXd PseudoInverse::times(const Eigen::VectorXd& b) const { return factors_->of.solve(b); }

Eigen::MatrixXd PseudoInverse::times(const Eigen::MatrixXd& B) const { return factors_->of.solve(B); }

}  // namespace mbc::runtime
