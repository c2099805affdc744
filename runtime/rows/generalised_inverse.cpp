// SPDX-License-Identifier: Apache-2.0
#include "runtime/rows/generalised_inverse.h"

#include <algorithm>
#include <cmath>

#include "runtime/rows/decompositions.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {
namespace {

struct Equilibrated {
  Eigen::MatrixXd G;
  Eigen::VectorXd r;
};

// Scales rows to norm 1. A zero row stays as it is and counts only in the residual.
Equilibrated equilibrate(const Eigen::MatrixXd& G, const Eigen::VectorXd& r) {
  Equilibrated out{G, r};
  for (int i = 0; i < G.rows() && G.cols() > 0; ++i) {
    const double norm = Eigen::VectorXd(G.row(i).transpose()).stableNorm();
    if (norm == 0) continue;
    out.G.row(i) /= norm;
    out.r(i) /= norm;
  }
  return out;
}

}  // namespace

LiteralSolution literal_generalised_inverse(const Eigen::MatrixXd& G, const Eigen::VectorXd& r,
                                            const LiteralOptions& options) {
  LiteralSolution out;
  out.non_finite = find_non_finite(G, r);
  if (out.non_finite.found) return out;
  const Equilibrated system = equilibrate(G, r);
  out.y = Eigen::VectorXd::Zero(G.cols());
  if (G.size() > 0) {
    const bool svd = options.method == LiteralOptions::Method::svd;
    MinimumNorm found = svd ? minimum_norm_by_svd(system.G, system.r, options.tolerance)
                            : minimum_norm_by_orthogonal(system.G, system.r, options.tolerance);
    out.rank = found.rank;
    if (found.rank > 0) out.y.swap(found.x);
  }
  out.residual = (system.G * out.y - system.r).norm();
  if (r.size() > 0) out.raw_residual = (G * out.y - r).cwiseAbs().maxCoeff();
  return out;
}

void RobustSolver::reserve(int rows, int coordinates) {
  // One additional column holds the row that is being tested.
  const int most = std::max(1, std::min(rows, coordinates) + 1);
  if (factor_.rows() < coordinates || factor_.cols() < most)
    factor_.resize(std::max<Eigen::Index>(factor_.rows(), coordinates), std::max<Eigen::Index>(factor_.cols(), most));
  const auto grow = [](Eigen::VectorXd& v, int size) {
    if (v.size() < size) v.setZero(size);
  };
  grow(tau_, most);
  grow(z_, most);
  grow(y_, coordinates);
  grow(multipliers_, rows);
  grow(scale_, rows);
  kept_.reserve(static_cast<std::size_t>(rows));
  skipped_.reserve(static_cast<std::size_t>(rows));
}

RobustSolver::Status RobustSolver::solve(const Eigen::Ref<const Eigen::MatrixXd>& G,
                                         const Eigen::Ref<const Eigen::VectorXd>& r, std::span<const int> active) {
  rows_ = static_cast<int>(G.rows());
  coordinates_ = static_cast<int>(G.cols());
  reserve(rows_, coordinates_);
  rank_ = 0;
  residual_ = 0;
  kept_.clear();
  skipped_.clear();
  y_.head(coordinates_).setZero();
  multipliers_.head(rows_).setZero();
  for (int row : active) {
    if (!load_column(G, row) || !std::isfinite(r(row))) return Status::non_finite;
    for (int k = 0; k < rank_; ++k) reflect(k, factor_.col(rank_).head(coordinates_));
    if (!append_column(row, r(row))) skipped_.push_back(row);
  }
  recover_solution();
  recover_multipliers();
  measure_residual(G, r, active);
  return skipped_.empty() ? Status::ok : Status::skipped_rows;
}

// Makes the row the next column, scaled to norm 1. Returns false if it is not finite.
bool RobustSolver::load_column(const Eigen::Ref<const Eigen::MatrixXd>& G, int row) {
  auto column = factor_.col(rank_).head(coordinates_);
  column = G.row(row).transpose();
  if (!column.allFinite()) return false;
  const double norm = coordinates_ == 0 ? 0.0 : column.stableNorm();
  scale_(row) = norm;
  if (norm > 0) column /= norm;
  return true;
}

// Reflector k is I - tau v v^T with v = (0 .. 0, 1, factor_(k+1.., k)).
void RobustSolver::reflect(int k, Eigen::Ref<Eigen::VectorXd> column) const {
  const auto v = factor_.col(k).segment(k + 1, coordinates_ - k - 1);
  auto below = column.segment(k + 1, coordinates_ - k - 1);
  const double s = tau_(k) * (column(k) + v.dot(below));
  column(k) -= s;
  below -= s * v;
}

// Makes the reflector that clears the column below its diagonal, and the next component of z. Returns false if nothing
// remains of the column.
bool RobustSolver::append_column(int row, double r) {
  if (rank_ >= coordinates_ || scale_(row) == 0) return false;
  auto column = factor_.col(rank_).head(coordinates_);
  const double left = column.tail(coordinates_ - rank_).norm();
  if (left <= kCancelled) return false;
  const double head = column(rank_), diagonal = head > 0 ? -left : left;
  tau_(rank_) = (diagonal - head) / diagonal;
  column.tail(coordinates_ - rank_ - 1) /= head - diagonal;
  column(rank_) = diagonal;
  z_(rank_) = (r / scale_(row) - column.head(rank_).dot(z_.head(rank_))) / diagonal;
  kept_.push_back(row);
  ++rank_;
  return true;
}

// Computes y = H_0 H_1 .. [z; 0].
void RobustSolver::recover_solution() {
  y_.head(rank_) = z_.head(rank_);
  for (int k = rank_ - 1; k >= 0; --k) reflect(k, y_.head(coordinates_));
}

// Solves R mu = z by columns, in place, and sets lambda = mu / |row|.
void RobustSolver::recover_multipliers() {
  for (int k = rank_ - 1; k >= 0; --k) {
    z_(k) /= factor_(k, k);
    z_.head(k) -= z_(k) * factor_.col(k).head(k);
    multipliers_(kept_[k]) = z_(k) / scale_(kept_[k]);
  }
}

void RobustSolver::measure_residual(const Eigen::Ref<const Eigen::MatrixXd>& G,
                                    const Eigen::Ref<const Eigen::VectorXd>& r, std::span<const int> active) {
  for (int row : active) {
    double sum = -r(row);
    for (int j = 0; j < coordinates_; ++j) sum += G(row, j) * y_(j);
    const double scale = scale_(row) > 0 ? scale_(row) : 1.0;
    residual_ = std::max(residual_, std::abs(sum) / scale);
  }
}

}  // namespace mbc::runtime
