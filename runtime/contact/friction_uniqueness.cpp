// SPDX-License-Identifier: Apache-2.0
// Whether what was found for contact and friction is the only answer: by the principal minors of how limits depend on
// forces (a P-matrix has one solution of the complementarity problem; Cottle, Pang and Stone, "The Linear
// Complementarity Problem", 1992, theorem 3.3.7), and where multipliers are not unique, whether the motion is.
#include <algorithm>
#include <cmath>

#include "runtime/contact/friction.h"
#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

constexpr int kMostMinors = 10;  // frictions that slide, of which all principal minors are looked at

// By elimination with column pivots.
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

}  // namespace

// Every principal minor of 1 - d limit/d size is positive.
bool Friction::is_unique(double t, const std::vector<double>& y) {
  const auto m = static_cast<Eigen::Index>(sliding_.size());
  if (m == 0) return true;
  Eigen::MatrixXd P = Eigen::MatrixXd::Identity(m, m);
  const double step = std::max(sizes_.cwiseAbs().maxCoeff(), acting_[sliding_[0]].limit_size);
  Vector at(m);
  for (Eigen::Index k = 0; k < m; ++k) at[k] = limit(acting_[sliding_[static_cast<std::size_t>(k)]]);
  for (Eigen::Index j = 0; j < m && step > 0; ++j) {
    Vector moved = sizes_;
    moved[j] += step;
    values_at(t, y, moved);
    for (Eigen::Index k = 0; k < m; ++k)
      P(k, j) -= (limit(acting_[sliding_[static_cast<std::size_t>(k)]]) - at[k]) / step;
  }
  values_at(t, y, sizes_);
  if (m > kMostMinors) return determinant(P) > 0;
  for (unsigned set = 1; set < 1u << m; ++set) {
    std::vector<Eigen::Index> taken;
    for (Eigen::Index k = 0; k < m; ++k)
      if ((set >> k & 1u) != 0) taken.push_back(k);
    if (!(determinant(P(taken, taken)) > 0)) return false;
  }
  return true;
}

// Where the multipliers are not unique the motion is: what slides takes the same force together however they are
// shared.
bool Friction::is_determined(double t, const std::vector<double>& y, const std::vector<Resting>& resting) {
  if (sliding_.empty()) return true;
  std::vector<std::uint32_t> rows = rows_;
  for (const Resting& r : resting) {
    const std::uint32_t row = events_.unilaterals[r.which].row;
    const double gained = scaled_.row(row).dot(acceleration_) - wanted_[row];
    if (!r.held && std::fabs(gained) <= row_tolerance(row)) rows.push_back(row);
  }
  if (rows.empty()) return true;
  const auto n = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixXd all(n, scaled_.cols());
  Vector norms(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const auto row = scaled_.row(rows[static_cast<std::size_t>(k)]);
    norms[k] = row.norm() > 0 ? row.norm() : 1;
    all.row(k) = row / norms[k];
  }
  const SingularDecomposition found = singular_decomposition(all);
  const auto rank = (found.values.array() > kSpanned * found.values[0]).count();
  const Eigen::MatrixXd free = found.V.leftCols(rank);
  const Vector lambda = lambda_;
  bool same = true;
  for (Eigen::Index j = rank; j < n && same; ++j) {
    Vector moved = lambda;
    for (Eigen::Index k = 0; k < n; ++k) moved[rows[static_cast<std::size_t>(k)]] += found.U(k, j) * size_ / norms[k];
    Vector force = Vector::Zero(scaled_.cols());
    for (std::size_t k = 0; k < sliding_.size(); ++k) {
      const Acting& a = acting_[sliding_[k]];
      const FrictionInfo& f = events_.frictions[a.which];
      set_lambda(moved);
      equations_.outputs(t, y.data(), dy_.data());
      const double gained = limit(a) - sizes_[static_cast<Eigen::Index>(k)];
      force += gained * (scaled_.middleRows(f.row, f.count).transpose() * a.direction);
    }
    force -= free * (free.transpose() * force);
    same = force.norm() <= kReached * size_;
  }
  values_at(t, y, sizes_);
  return same;
}

}  // namespace mbc::runtime
