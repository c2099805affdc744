// SPDX-License-Identifier: Apache-2.0
// Factors a sparse matrix that need not be symmetric, in an order of little fill.
#include <Eigen/SparseCore>
#include <Eigen/SparseLU>

#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

struct SparseLu::Factors {
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu;
};

SparseLu::SparseLu() : factors_(std::make_unique<Factors>()) {}
SparseLu::~SparseLu() = default;
SparseLu::SparseLu(SparseLu&&) noexcept = default;
SparseLu& SparseLu::operator=(SparseLu&&) noexcept = default;

bool SparseLu::compute(int n, const std::vector<SparseEntry>& entries) {
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(entries.size());
  for (const SparseEntry& e : entries) triplets.emplace_back(e.row, e.column, e.value);
  Eigen::SparseMatrix<double> M(n, n);
  M.setFromTriplets(triplets.begin(), triplets.end());
  factors_->lu.compute(M);
  return factors_->lu.info() == Eigen::Success;
}

Eigen::VectorXd SparseLu::solve(const Eigen::VectorXd& b) const { return factors_->lu.solve(b); }

}  // namespace mbc::runtime
