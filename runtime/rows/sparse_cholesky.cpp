// SPDX-License-Identifier: Apache-2.0
// Computes the Cholesky factorisation of a sparse matrix in minimum-degree order.
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

struct SparseCholesky::Factors {
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>, Eigen::Lower> llt;
};

SparseCholesky::SparseCholesky() : factors_(std::make_unique<Factors>()) {}
SparseCholesky::~SparseCholesky() = default;
SparseCholesky::SparseCholesky(SparseCholesky&&) noexcept = default;
SparseCholesky& SparseCholesky::operator=(SparseCholesky&&) noexcept = default;

bool SparseCholesky::compute(int n, const std::vector<SparseEntry>& entries) {
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(entries.size());
  for (const SparseEntry& e : entries) triplets.emplace_back(e.row, e.column, e.value);
  Eigen::SparseMatrix<double> M(n, n);
  M.setFromTriplets(triplets.begin(), triplets.end());
  factors_->llt.compute(M);
  return factors_->llt.info() == Eigen::Success;
}

Eigen::VectorXd SparseCholesky::solve(const Eigen::VectorXd& b) const { return factors_->llt.solve(b); }

}  // namespace mbc::runtime
