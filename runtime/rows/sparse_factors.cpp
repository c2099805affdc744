// SPDX-License-Identifier: Apache-2.0
// Computes the Cholesky factorisation of a sparse matrix in minimum-degree order, and the LU factorisation in an order
// of little fill.
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#include <type_traits>

#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

template <bool symmetric>
struct SparseFactors<symmetric>::Factors {
  using Matrix = Eigen::SparseMatrix<double>;
  std::conditional_t<symmetric, Eigen::SimplicialLLT<Matrix, Eigen::Lower>, Eigen::SparseLU<Matrix>> of;
};

template <bool symmetric>
SparseFactors<symmetric>::SparseFactors() : factors_(make_hidden<Factors>()) {}

template <bool symmetric>
bool SparseFactors<symmetric>::compute(int n, const std::vector<SparseEntry>& entries) {
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(entries.size());
  for (const SparseEntry& e : entries) triplets.emplace_back(e.row, e.column, e.value);
  typename Factors::Matrix M(n, n);
  M.setFromTriplets(triplets.begin(), triplets.end());
  factors_->of.compute(M);
  return factors_->of.info() == Eigen::Success;
}

template <bool symmetric>
Eigen::VectorXd SparseFactors<symmetric>::solve(const Eigen::VectorXd& b) const {
  return factors_->of.solve(b);
}

template class SparseFactors<true>;
template class SparseFactors<false>;

}  // namespace mbc::runtime
