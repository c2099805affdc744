// SPDX-License-Identifier: Apache-2.0
// Computes Cholesky factorisations and eigenvalues of symmetric matrices.
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

bool cholesky(const Eigen::MatrixXd& M, Eigen::MatrixXd& L) {
  const Eigen::LLT<Eigen::MatrixXd> factors(M);
  if (factors.info() != Eigen::Success) return false;
  L = factors.matrixL();
  return true;
}

Eigen::VectorXd solve_semidefinite(const Eigen::MatrixXd& M, const Eigen::VectorXd& b) { return M.ldlt().solve(b); }

Eigensystem symmetric_eigensystem(const Eigen::MatrixXd& M) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(M);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

}  // namespace mbc::runtime
