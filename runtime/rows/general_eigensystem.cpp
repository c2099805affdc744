// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and eigenvectors of general square matrices; the only file that includes Eigen's solver for them.
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

GeneralEigensystem general_eigensystem(const Eigen::MatrixXd& A) {
  GeneralEigensystem out;
  out.converged = true;
  if (A.size() == 0) return out;
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(A, true);
  out.converged = solver.info() == Eigen::Success;
  if (!out.converged) return out;
  out.values = solver.eigenvalues();
  out.vectors = solver.eigenvectors();
  for (Eigen::Index k = 0; k < out.vectors.cols(); ++k) out.vectors.col(k).normalize();
  out.left = out.vectors.partialPivLu().inverse();
  return out;
}

}  // namespace mbc::runtime
