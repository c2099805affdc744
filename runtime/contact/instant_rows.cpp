// SPDX-License-Identifier: Apache-2.0
#include "runtime/contact/instant_rows.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/disjoint_sets.h"
#include "runtime/rows/decompositions.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double kFollows = 1e-7;        // of a row: what others leave of it that is nothing
constexpr double kInstantExact = 1e-14;  // of the speeds: what the laws of contact may be missed by
constexpr int kLeadCorrections = 4;      // Newton's method, for a state near its rows

}  // namespace

InstantRows::InstantRows(Equations& equations, const problem::Problem& info)
    : equations_(equations),
      info_(info),
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

std::vector<std::uint32_t> InstantRows::independent(const std::vector<std::uint32_t>& rows) const {
  std::vector<std::uint32_t> out;
  Matrix basis(assembled_.scaling.size(), std::min<Eigen::Index>(assembled_.scaling.size(), rows.size()));
  for (const std::uint32_t row : rows) {
    const auto count = static_cast<Eigen::Index>(out.size());
    if (count == basis.cols() || !(norm(row) > 0)) continue;
    Vector w = dense(row) / norm(row);
    for (int k = 0; k < 2; ++k) w -= basis.leftCols(count) * (basis.leftCols(count).transpose() * w);
    if (!(w.norm() > kFollows)) continue;
    basis.col(count) = w.normalized();
    out.push_back(row);
  }
  return out;
}

// The multipliers that give no force are the complement of the range of the rows. Its projector joins two rows where
// such multipliers have parts in both.
std::vector<std::uint32_t> InstantRows::groups(const std::vector<char>& marked) const {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < marked.size(); ++row)
    if (marked[row] != 0 && norm(row) > 0) rows.push_back(row);
  std::vector<std::uint32_t> out(marked.size(), kNoGroup);
  if (rows.empty()) return out;
  const Matrix range = row_space(normal(rows).transpose(), kRankTolerance);
  const auto count = static_cast<Eigen::Index>(rows.size());
  const Matrix open = Matrix::Identity(count, count) - range * range.transpose();
  DisjointSets sets(marked.size());
  std::vector<char> is_open(marked.size());
  for (Eigen::Index i = 0; i < count; ++i) {
    is_open[rows[static_cast<std::size_t>(i)]] = open(i, i) > kFollows ? 1 : 0;
    for (Eigen::Index j = 0; j < i; ++j)
      if (std::fabs(open(i, j)) > kFollows)
        sets.join(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(j)]);
  }
  const auto counts = [&](std::uint32_t row) { return marked[row] != 0 && norm(row) > 0; };
  for (const problem::Friction& f : info_.events.frictions) {
    if (!counts(f.row)) continue;
    for (std::uint32_t i = 1; i < f.count; ++i) sets.join(f.row, f.row + i);
    for (const std::uint32_t row : f.limit_rows)
      if (counts(row)) sets.join(f.row, row);
  }
  std::vector<char> has_open(marked.size());
  for (const std::uint32_t row : rows)
    if (is_open[row] != 0) has_open[sets.root(row)] = 1;
  for (const std::uint32_t row : rows)
    if (has_open[sets.root(row)] != 0) out[row] = sets.root(row);
  return out;
}

bool InstantRows::lead(ConstraintProjector& projector, double t, double ahead, const Vector& acceleration,
                       const std::vector<std::uint32_t>& rows, std::vector<double>& y) {
  const kernel::SystemLayout& l = equations_.layout();
  const Vector speeds = Eigen::Map<const Vector>(y.data() + l.speeds_at(), l.n_speeds), gained = ahead * acceleration,
               way = ahead * (speeds + 0.5 * gained);
  projector.displace(true, t, y.data(), way.data());
  projector.displace(false, t, y.data(), gained.data());
  for (const bool position : {true, false}) {
    std::vector<std::uint32_t> of_level;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(of_level), [&](std::uint32_t row) {
      const problem::Level level = info_.rows[row].level;
      return level == problem::Level::position || (!position && level == problem::Level::velocity);
    });
    for (int k = 0; k < kLeadCorrections && !of_level.empty(); ++k) {
      if (!assemble(t + ahead, y)) return false;
      equations_.residuals(t + ahead, y.data());
      const Vector off = Eigen::Map<const Vector>(equations_.residual(position), l.n_rows)(of_level);
      const MinimumNorm made =
          minimum_norm_by_orthogonal(normal(of_level), off.cwiseQuotient(norms_(of_level)), kRankTolerance);
      if (made.rank == 0 || !(made.x.norm() > kInstantExact * projector.extent(position, y.data()))) break;
      const Vector correction = -assembled_.scaling.from_scaled(made.x);
      projector.displace(position, t + ahead, y.data(), correction.data());
    }
  }
  return assemble(t + ahead, y);
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

void InstantRows::add_load(double t, const std::vector<double>& y, double& size, std::span<const problem::Slope> slopes,
                           ConeProblem& problem) {
  Assembled one;
  size = 1;
  equations_.assemble(t, y.data(), one, false);
  size = 0;
  const Vector force = one.scaling.to_scaled(one.free_acceleration()) - free_acceleration();
  problem.given.push_back(static_cast<std::uint32_t>(problem.rows.size()));
  for (Eigen::Index j = 0; j < force.size(); ++j)
    if (force[j] != 0) problem.rows.add(static_cast<std::uint32_t>(j), force[j]);
  problem.rows.close();
  problem.wanted.push_back(0);
  std::vector<std::uint32_t>& rows = problem.limit_rows.emplace_back();
  for (const problem::Slope& s : slopes) rows.push_back(s.row);
}

}  // namespace mbc::runtime
