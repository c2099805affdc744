// SPDX-License-Identifier: Apache-2.0
#include "runtime/rows/row_basis.h"

#include <algorithm>
#include <numeric>

#include "base/epsilon.h"

namespace mbc::runtime {
namespace {

// Measures row i against the basis: fills its coordinates and its distance, leaves the remainder in `vector` and
// returns its norm. Classical Gram-Schmidt is repeated until nothing cancels any more; two passes are enough for rows
// that stay in the basis.
double measure(RowBasis& basis, const ScaledRows& rows, int i, Eigen::VectorXd& vector) {
  const auto Q = basis.Q.leftCols(basis.rank);
  basis.coordinates.row(i).setZero();
  vector = rows.columns.col(i);
  double norm = vector.norm();
  for (int pass = 0; pass < 3 && basis.rank > 0; ++pass) {
    const Eigen::VectorXd part = Q.transpose() * vector;
    vector.noalias() -= Q * part;
    basis.coordinates.row(i).head(basis.rank) += part.transpose();
    const double before = norm;
    norm = vector.norm();
    if (norm > 0.7 * before) break;
  }
  basis.distance(i) = norm / rows.weight(i);
  return norm;
}

RowBasis empty_basis(const ScaledRows& rows) {
  const Eigen::Index m = rows.columns.cols(), n = rows.columns.rows(), k = std::min(m, n);
  RowBasis basis;
  basis.Q = Eigen::MatrixXd::Zero(n, k);
  basis.coordinates = Eigen::MatrixXd::Zero(m, k);
  basis.distance = Eigen::VectorXd::Zero(m);
  return basis;
}

void append(RowBasis& basis, int row, const Eigen::VectorXd& remainder, double norm) {
  basis.Q.col(basis.rank) = remainder / norm;
  basis.coordinates(row, basis.rank) = norm;
  basis.selected.push_back(row);
  ++basis.rank;
}

void set_triangle(RowBasis& basis) {
  basis.L = Eigen::MatrixXd::Zero(basis.rank, basis.rank);
  for (int k = 0; k < basis.rank; ++k)
    basis.L.row(k).head(k + 1) = basis.coordinates.row(basis.selected[k]).head(k + 1);
}

double entry_or_zero(const Eigen::VectorXd& v, Eigen::Index i) { return v.size() == 0 ? 0.0 : v(i); }

// Returns the first row in declaration order whose remainder is at least half the largest, or -1 if no remainder is
// above the tolerance.
int pivot(const Eigen::MatrixXd& remainders, const std::vector<char>& taken, double tolerance) {
  double largest = 0;
  const Eigen::VectorXd norms = remainders.colwise().norm();
  for (int i = 0; i < norms.size(); ++i)
    if (!taken[i]) largest = std::max(largest, norms(i));
  if (largest <= tolerance) return -1;
  for (int i = 0; i < norms.size(); ++i)
    if (!taken[i] && norms(i) >= 0.5 * largest) return i;
  return -1;
}

}  // namespace

ScaledRows scale_rows(const Eigen::MatrixXd& G, const Eigen::VectorXd& row_noise, const Eigen::VectorXd& row_terms,
                      const RankOptions& options, const Eigen::VectorXd& usual) {
  const Eigen::Index m = G.rows(), n = G.cols();
  ScaledRows out;
  out.columns = G.transpose();
  out.scale.setZero(m);
  out.weight.setZero(m);
  out.noise.setZero(m);
  out.zero.assign(static_cast<std::size_t>(m), 0);
  for (Eigen::Index i = 0; i < m; ++i) {
    auto column = out.columns.col(i);
    const double norm = n == 0 ? 0.0 : column.stableNorm();
    const double noise = entry_or_zero(row_noise, i), terms = entry_or_zero(row_terms, i);
    out.scale(i) = norm;
    if (norm == 0 || norm <= options.zero_factor * noise || norm <= options.zero_of_terms * terms) {
      out.zero[i] = 1;
      column.setZero();
      continue;
    }
    const double known = options.zero_factor * noise / norm;  // < 1
    out.noise(i) = noise > 0 ? noise / norm : 64 * kEpsilon;
    const double shrunk = std::min(1.0, norm / std::max(norm, entry_or_zero(usual, i)));
    out.weight(i) = shrunk * (known > options.tolerance ? options.tolerance / known : 1.0);
    column = (column / norm) * out.weight(i);
  }
  return out;
}

RowBasis basis_in_order(const ScaledRows& rows, double tolerance, const std::vector<char>& in_use) {
  RowBasis basis = empty_basis(rows);
  const int most = static_cast<int>(basis.Q.cols());
  Eigen::VectorXd vector;
  std::vector<int> order(static_cast<std::size_t>(rows.columns.cols()));
  std::iota(order.begin(), order.end(), 0);
  if (!in_use.empty()) std::stable_partition(order.begin(), order.end(), [&](int i) { return in_use[i] != 0; });
  for (int i : order) {
    if (rows.zero[i]) continue;
    const double norm = measure(basis, rows, i, vector);
    if (norm > tolerance && basis.rank < most) append(basis, i, vector, norm);
  }
  set_triangle(basis);
  return basis;
}

RowBasis basis_pivoted(const ScaledRows& rows, int rank, double tolerance) {
  RowBasis basis = empty_basis(rows);
  const int m = static_cast<int>(rows.columns.cols()), most = static_cast<int>(basis.Q.cols());
  Eigen::MatrixXd remainders = rows.columns;
  std::vector<char> taken(rows.zero);
  Eigen::VectorXd vector;
  while (basis.rank < std::min(rank, most)) {
    const int i = pivot(remainders, taken, tolerance);
    if (i < 0) break;
    taken[i] = 1;
    const double norm = measure(basis, rows, i, vector);
    if (norm == 0) continue;
    append(basis, i, vector, norm);
    const auto q = basis.Q.col(basis.rank - 1);
    remainders -= q * (q.transpose() * remainders).eval();
  }
  std::vector<char> chosen(static_cast<std::size_t>(m), 0);
  for (int i : basis.selected) chosen[i] = 1;
  for (int i = 0; i < m; ++i)
    if (!rows.zero[i] && !chosen[i]) measure(basis, rows, i, vector);
  set_triangle(basis);
  return basis;
}

Eigen::VectorXd solve_in_basis(const RowBasis& basis, const ScaledRows& rows, const Eigen::VectorXd& r) {
  Eigen::VectorXd z(basis.rank);
  for (int k = 0; k < basis.rank; ++k) z(k) = rows.scaled(r(basis.selected[k]), basis.selected[k]);
  if (basis.rank > 0) basis.L.triangularView<Eigen::Lower>().solveInPlace(z);
  return z;
}

}  // namespace mbc::runtime
