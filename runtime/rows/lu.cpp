// SPDX-License-Identifier: Apache-2.0
// Computes LU factorisations with partial pivoting.
#include <Eigen/LU>

#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

struct LuFactors::Factors {
  Eigen::PartialPivLU<Eigen::MatrixXd> lu;
};

LuFactors::LuFactors() : factors_(make_hidden<Factors>()) {}

double determinant(Eigen::MatrixXd A) {
  double value = 1;
  for (Eigen::Index k = 0; k < A.rows(); ++k) {
    Eigen::Index pivot = 0;
    A.col(k).tail(A.rows() - k).cwiseAbs().maxCoeff(&pivot);
    if (pivot != 0) {
      A.row(k).swap(A.row(k + pivot));
      value = -value;
    }
    value *= A(k, k);
    if (A(k, k) == 0) return 0;
    for (Eigen::Index i = k + 1; i < A.rows(); ++i) A.row(i) -= A(i, k) / A(k, k) * A.row(k);
  }
  return value;
}

void LuFactors::compute(const Eigen::MatrixXd& A) { factors_->lu.compute(A); }
void LuFactors::solve(const Eigen::MatrixXd& B, Eigen::MatrixXd& X) const { X.noalias() = factors_->lu.solve(B); }

}  // namespace mbc::runtime
