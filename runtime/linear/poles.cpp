// SPDX-License-Identifier: Apache-2.0
#include "runtime/linear/poles.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/epsilon.h"
#include "runtime/rows/decompositions.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

// Returns powers of 2 by which D^-1 A D has rows and columns of about the same norm (B. N. Parlett, C. Reinsch, Numer.
// Math. 13 (1969) 293-304). Units of entries then matter little.
Eigen::VectorXd balance(const Eigen::MatrixXd& A) {
  Eigen::MatrixXd B = A;
  const Eigen::Index n = A.rows();
  Eigen::VectorXd D = Eigen::VectorXd::Ones(n);
  for (bool changed = true; changed;) {
    changed = false;
    for (Eigen::Index i = 0; i < n; ++i) {
      const double column = B.col(i).norm(), row = B.row(i).norm();
      if (column == 0 || row == 0) continue;
      const double factor = std::exp2(std::round(0.5 * std::log2(row / column)));
      if (factor == 1 || std::hypot(column * factor, row / factor) >= 0.95 * std::hypot(column, row)) continue;
      B.col(i) *= factor;
      B.row(i) /= factor;
      D[i] *= factor;
      changed = true;
    }
  }
  return D;
}

// A matrix from which the pole zero is taken out: inner = Q^T A Q has no null space.
struct Deflated {
  Eigen::MatrixXd Q, inner;
};

Deflated deflate(const Eigen::MatrixXd& A, Spectrum& out) {
  Deflated d{Eigen::MatrixXd::Identity(A.rows(), A.rows()), A};
  std::vector<Eigen::Index> dimensions;
  const double size = A.size() > 0 ? A.norm() : 0;
  while (d.inner.rows() > 0) {
    const RightSingular svd = full_right_singular(d.inner);
    const Eigen::Index n = d.inner.rows();
    Eigen::Index rank = 0;
    while (rank < n && svd.values[rank] > kZeroPole * size) ++rank;
    if (rank == n) break;
    if (rank > 0 && (out.smallest_kept == 0 || svd.values[rank - 1] / size < out.smallest_kept))
      out.smallest_kept = svd.values[rank - 1] / size;
    if (size > 0) out.largest_dropped = std::max(out.largest_dropped, svd.values[rank] / size);
    if (dimensions.empty()) out.zero_directions = svd.V.rightCols(n - rank);
    dimensions.push_back(n - rank);
    const Eigen::MatrixXd kept = svd.V.leftCols(rank);
    d.inner = (kept.transpose() * d.inner * kept).eval();
    d.Q = (d.Q * kept).eval();
  }
  for (std::size_t k = dimensions.size(); k-- > 0;) {
    const Eigen::Index larger = k + 1 < dimensions.size() ? dimensions[k + 1] : 0;
    for (Eigen::Index i = larger; i < dimensions[k]; ++i) out.zero_blocks.push_back(static_cast<int>(k) + 1);
  }
  return d;
}

// Returns the eigenvector of A for the value of a vector of the inner matrix: x = A^k Q z / value^k up to a factor, as
// Q z differs from it by parts in the spaces of the pole zero, which A takes away.
Eigen::VectorXcd lifted(const Eigen::MatrixXd& A, const Eigen::VectorXcd& z, std::complex<double> value,
                        std::size_t steps) {
  Eigen::VectorXcd x = z;
  for (std::size_t k = 0; k < steps; ++k) x = (A * x / value).eval();
  return x;
}

}  // namespace

Spectrum spectrum(Eigen::MatrixXd A, const Eigen::MatrixXd& errors) {
  Spectrum out;
  A = (A.array().abs() > errors.array()).select(A, 0).eval();
  const Eigen::VectorXd D = balance(A);
  const Eigen::MatrixXd balanced = D.cwiseInverse().asDiagonal() * A * D.asDiagonal();
  const Deflated deflated = deflate(balanced, out);
  const GeneralEigensystem found = general_eigensystem(deflated.inner);
  out.converged = found.converged;
  if (!out.converged) return out;
  const Eigen::Index n = found.values.size();
  std::vector<Eigen::Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](Eigen::Index k) {
    const std::complex<double> v = found.values[k];
    return std::tuple{std::abs(v), v.real(), -v.imag()};
  };
  std::stable_sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) { return key(a) < key(b); });
  out.values.resize(n);
  out.errors.resize(n);
  out.shapes.resize(A.rows(), n);
  // The QR algorithm adds errors of the size of the rounding of the norm.
  const double rounding =
      kEpsilon * std::sqrt(static_cast<double>(std::max<Eigen::Index>(A.rows(), 1))) * balanced.norm();
  const Eigen::MatrixXd scaled_errors = D.cwiseInverse().asDiagonal() * errors * D.asDiagonal();
  const Eigen::MatrixXd inner_errors = deflated.Q.cwiseAbs().transpose() * scaled_errors * deflated.Q.cwiseAbs();
  const std::size_t steps = out.zero_blocks.empty() ? 0 : static_cast<std::size_t>(out.zero_blocks.front());
  for (Eigen::Index k = 0; k < n; ++k) {
    const Eigen::Index from = order[static_cast<std::size_t>(k)];
    out.values[k] = found.values[from];
    const Eigen::VectorXd x = found.vectors.col(from).cwiseAbs(), y = found.left.row(from).transpose().cwiseAbs();
    out.errors[k] = rounding * y.norm() + y.dot(inner_errors * x);
    Eigen::VectorXcd shape = lifted(balanced, deflated.Q * found.vectors.col(from), found.values[from], steps);
    shape = (D.asDiagonal() * shape).eval();
    Eigen::Index largest = 0;
    shape.cwiseAbs().maxCoeff(&largest);
    out.shapes.col(k) = shape / shape[largest];
  }
  if (out.zero_directions.size() > 0) out.zero_directions = (D.asDiagonal() * out.zero_directions).eval();
  return out;
}

}  // namespace mbc::runtime
