// SPDX-License-Identifier: Apache-2.0
#include "runtime/contact/instant_rows.h"

#include <algorithm>
#include <cmath>

#include "runtime/rows/decompositions.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double kFollows = 1e-7;        // of a row: what others leave of it that is nothing
constexpr double kInstantExact = 1e-14;  // of the speeds: what the laws of contact may be missed by

}  // namespace

InstantRows::InstantRows(Equations& equations, const problem::Problem& info)
    : equations_(equations),
      of_contact_(info.events.rows_of_contact(equations.layout().n_rows)),
      row_lengths_(equations.layout(), info) {}

// Most rows of contacts are zero, as their sides are apart.
bool InstantRows::assemble(double t, const std::vector<double>& y) {
  if (equations_.assemble(t, y.data(), assembled_, false) != 0) return false;
  std::vector<std::uint32_t> filled;
  for (std::uint32_t row = 0; row < of_contact_.size(); ++row)
    if (assembled_.filled[row] != 0) filled.push_back(row);
  const Matrix G = assembled_.scaling.scale_rows(assembled_.rows_of(assembled_.A, filled));
  norms_ = Vector::Zero(static_cast<Eigen::Index>(of_contact_.size()));
  scaled_.clear();
  equations_of_model_.clear();
  lengths_.assign(of_contact_.size(), 1);
  Eigen::Index next = 0;
  for (std::uint32_t row = 0; row < of_contact_.size(); ++row) {
    if (assembled_.filled[row] != 0) {
      norms_[row] = G.row(next).norm();
      lengths_[row] = row_lengths_.of(row, assembled_.A);
      for (Eigen::Index j = 0; j < G.cols(); ++j)
        if (G(next, j) != 0) scaled_.add(static_cast<std::uint32_t>(j), G(next, j));
      ++next;
    }
    scaled_.close();
    if (of_contact_[row] == 0 && norms_[row] > 0) equations_of_model_.push_back(row);
  }
  return true;
}

Vector InstantRows::dense(std::uint32_t row) const {
  Vector out = Vector::Zero(assembled_.scaling.size());
  scaled_.add_to(row, 1, out.data());
  return out;
}

Matrix InstantRows::normal(const std::vector<std::uint32_t>& rows) const {
  Matrix out = Matrix::Zero(assembled_.scaling.size(), static_cast<Eigen::Index>(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (norm(rows[k]) > 0) scaled_.add_to(rows[k], 1 / norm(rows[k]), out.col(static_cast<Eigen::Index>(k)).data());
  return out.transpose();
}

Matrix InstantRows::basis(const std::vector<std::uint32_t>& rows) const {
  if (rows.empty()) return Matrix::Zero(assembled_.scaling.size(), 0);
  return row_space(normal(rows), kRankTolerance);
}

bool InstantRows::follows(std::uint32_t row, const Matrix& basis) const {
  const Vector w = dense(row);
  return (w - basis * (basis.transpose() * w)).norm() <= kFollows * w.norm();
}

void InstantRows::reconcile(ConeProblem& problem) const {
  if (problem.held.empty()) return;
  Eigen::Map<Vector> wanted(problem.wanted.data(), static_cast<Eigen::Index>(problem.wanted.size()));
  const Vector of_unit_rows = wanted(problem.held).cwiseQuotient(norms_(problem.held));
  const MinimumNorm made = minimum_norm_by_orthogonal(normal(problem.held), of_unit_rows, kRankTolerance);
  for (const std::uint32_t row : problem.held) wanted[row] = made.rank > 0 ? times(row, made.x) : 0;
}

double InstantRows::size(const Vector& speeds, const Vector& wanted) const {
  double most = speeds.norm();
  for (std::uint32_t row = 0; row < of_contact_.size(); ++row)
    if (norms_[row] > 0) most = std::max(most, std::fabs(wanted[row]) / norms_[row]);
  return most;
}

ConeProblem InstantRows::problem(const Vector& wanted, double size) const {
  ConeProblem out;
  out.rows = scaled_;
  out.n = static_cast<std::uint32_t>(assembled_.scaling.size());
  out.wanted.assign(wanted.begin(), wanted.end());
  out.lengths = lengths_;
  out.held = equations_of_model_;
  out.size = size;
  out.tolerance = kInstantExact;
  return out;
}

}  // namespace mbc::runtime
