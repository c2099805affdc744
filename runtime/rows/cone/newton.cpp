// SPDX-License-Identifier: Apache-2.0
#include "runtime/rows/cone/newton.h"

#include <algorithm>
#include <limits>

#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

constexpr std::size_t kMostProducts = 5'000'000;  // entries of G
constexpr double kConverged = 1e-10;              // of the speeds: where the set of rows that press and stick is known
constexpr double kProximal = 1e-6;                // compliance of proximal steps
constexpr double kLessProximal = 1e-2, kLeastProximal = 1e-12;  // of it, where they are slow; and at last
constexpr int kProximalSteps = 20, kStepsOfProximal = 10;
constexpr int kMostMinimising = 200;
constexpr double kDescends = 1e-4;  // of the slope at the beginning of a step: as much it has to descend
constexpr int kMostDescents = 30, kDescentHalvings = 12;
constexpr double kSpannedByOthers = 1e-11;    // of the largest pivot of the derivative: one that is zero
constexpr double kClearlyIndependent = 1e-4;  // of a row: what the rows before it leave
constexpr double kDependent = 1e-9;           // of the largest pivot: one that is zero
// Relative to the multipliers: largest difference between the limit of small compliance and a small one.
constexpr double kShareMoves = 1e-2;
Matrix left_out(const Matrix& columns) {
  return row_space(Matrix::Identity(columns.rows(), columns.rows()) - columns * columns.transpose(), 0.5);
}

}  // namespace

bool ConeNewton::fits() { return map_.products() <= kMostProducts; }

Matrix ConeNewton::derivative() const {
  const auto n = static_cast<Index>(derivative_.unknowns.size());
  Matrix J = Matrix::Zero(n, n);
  for (const NaturalMap::Entry& e : derivative_.entries) J(e.row, e.column) += e.value;
  return J;
}

// The step of all rows from that of the unknowns.
void ConeNewton::spread(const Vector& unknowns, Vector& step) const {
  step = -map_.residual();
  for (std::size_t k = 0; k < derivative_.unknowns.size(); ++k)
    step[derivative_.unknowns[k]] = unknowns[static_cast<Index>(k)];
}

// Behind evaluate(q). False: the derivative is singular.
bool ConeNewton::take_step(const Vector& q, Vector& step) {
  map_.differentiate(q, derivative_);
  const auto n = static_cast<Index>(derivative_.unknowns.size());
  Vector x(n);
  if (n > 0 && n <= kMostDense) {
    Matrix solved;
    lu_.compute(derivative());
    lu_.solve(derivative_.right, solved);
    x = solved.col(0);
  } else if (n > 0) {
    entries_.clear();
    for (const NaturalMap::Entry& e : derivative_.entries)
      if (!derivative_.symmetric || e.row >= e.column)
        entries_.push_back({static_cast<int>(e.row), static_cast<int>(e.column), e.value});
    if (derivative_.symmetric ? !cholesky_.compute(static_cast<int>(n), entries_)
                              : !sparse_lu_.compute(static_cast<int>(n), entries_))
      return false;
    x = derivative_.symmetric ? cholesky_.solve(derivative_.right) : sparse_lu_.solve(derivative_.right);
  }
  spread(x, step);
  return step.allFinite();
}

// To rounding: beyond kConverged as long as steps make it better by half.
bool ConeNewton::converge(Vector& q, int most_steps) {
  if (map_.problem().is_convex()) return minimise(q);
  Vector at = q, step;
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k <= most_steps; ++k) {
    const double error = map_.evaluate(at);
    const bool near = last <= kConverged * size_;
    if (error <= 0.01 * target_ || (near && !(error <= 0.5 * last))) {
      if (near && error > last) at -= step;
      q = at;
      return true;
    }
    last = error;
    if (k == most_steps || !take_step(at, step)) break;
    at += step;
  }
  return last <= kConverged * size_ ? (q = at, true) : false;
}

// Without friction the problem with compliance is the minimum of a convex function, to which shortened steps lead from
// everywhere.
bool ConeNewton::minimise(Vector& q) {
  Vector at = q, step, tried;
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kMostMinimising; ++k) {
    map_.weigh_slips(1);
    const double error = map_.evaluate(at);
    if (error <= 0.01 * target_ || (error <= kConverged * size_ && !(error <= 0.5 * last))) {
      q = at;
      return true;
    }
    last = error;
    map_.weigh_by_compliance();
    map_.evaluate(at);
    if (!take_step(at, step)) break;
    const double value = map_.potential(), slope = map_.jump(map_.residual()).dot(map_.jump(step));
    double part = 1;
    map_.evaluate(tried = at + step);
    for (int h = 0; h < kDescentHalvings && map_.potential() > value + kDescends * part * slope; ++h) {
      part *= 0.5;
      map_.evaluate(tried = at + part * step);
    }
    at = tried;
  }
  map_.weigh_slips(1);
  return false;
}

// Refines a solution by proximal steps. If these are slow because rows are nearly dependent, they continue with less
// compliance.
bool ConeNewton::refine(Vector& q) {
  Vector at = q;
  double best = std::numeric_limits<double>::infinity(), last = best, compliance = kProximal;
  for (int k = 0; k < kProximalSteps; ++k) {
    map_.give_way(0);
    const double error = map_.evaluate(at);
    if (error < best) {
      best = error;
      q = at;
    }
    if (best <= target_) break;
    if (k > 2 && error > 0.5 * last) compliance *= kLessProximal;
    if (compliance < kLeastProximal) break;
    last = error;
    map_.pull_to(Vector(at), compliance);
    if (!converge(at, kStepsOfProximal)) break;
  }
  map_.give_way(0);
  map_.evaluate(q);
  return best <= target_;
}

void ConeNewton::descend(Vector& q) {
  map_.give_way(0);
  double error = map_.evaluate(q);
  Vector step, tried;
  for (int k = 0; k < kMostDescents && error > target_; ++k) {
    map_.differentiate(q, derivative_);
    const Matrix J = derivative();
    if (!J.allFinite() || !derivative_.right.allFinite()) break;
    Vector x = Vector::Zero(J.cols());
    if (J.cols() > 0)
      if (MinimumNorm found = minimum_norm_by_orthogonal(J, derivative_.right, kSpannedByOthers); found.rank > 0)
        x = found.x;
    spread(x, step);
    double part = 1, made = map_.evaluate(tried = q + step);
    for (int h = 0; h < kDescentHalvings && !(made < error); ++h) {
      part *= 0.5;
      made = map_.evaluate(tried = q + part * step);
    }
    if (!(made < error)) break;
    error = made;
    q = tried;
  }
  map_.evaluate(q);
}

Vector ConeNewton::holding() const {
  const ConeProblem& problem = map_.problem();
  std::vector<std::uint32_t> rows = problem.held;
  rows.insert(rows.end(), problem.unilateral.begin(), problem.unilateral.end());
  for (const auto& [row, count] : problem.frictions)
    for (std::uint32_t i = 0; i < count; ++i) rows.push_back(row + i);
  Vector out = Vector::Zero(map_.size());
  Matrix B = Matrix::Zero(problem.n, static_cast<Index>(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k) map_.rows().add_to(rows[k], 1, B.col(static_cast<Index>(k)).data());
  if (rows.empty()) return out;
  const MinimumNorm found = minimum_norm_by_orthogonal(B.transpose() * B, map_.wanted()(rows), kRankTolerance);
  if (found.rank > 0) out(rows) = found.x;
  return out;
}

bool ConeNewton::is_determined(const Vector& q) const {
  const std::vector<std::uint32_t> rows = map_.touching(q, target_);
  const auto count = static_cast<Index>(rows.size());
  if (count > map_.problem().n || count > kMostDense) return false;
  Matrix products(count, count), L;
  Vector row = Vector::Zero(map_.problem().n);
  for (Index j = 0; j < count; ++j) {
    map_.rows().add_to(rows[j], 1, row.data());
    for (Index i = j; i < count; ++i) products(i, j) = map_.rows().times(rows[i], row.data());
    map_.rows().add_to(rows[j], -1, row.data());
  }
  return count == 0 || (cholesky(products, L) && L.diagonal().minCoeff() > kClearlyIndependent);
}

// A unilateral row that would pull has no force, and the speeds are found again without it.
void ConeNewton::polish(Vector& q) {
  map_.give_way(0);
  double best = std::max(map_.evaluate(q), target_);
  const std::vector<char> pushes = unilateral();
  Vector tried = q;
  for (const std::uint32_t row : map_.problem().unilateral) tried[row] = std::max(tried[row], 0.0);
  map_.evaluate(tried);
  std::vector<std::uint32_t> rows;
  if (!map_.holding(rows)) rows.clear();
  for (std::size_t last = rows.size() + 1; !rows.empty() && rows.size() < last;) {
    last = rows.size();
    Matrix N = Matrix::Zero(map_.problem().n, static_cast<Index>(last));
    for (std::size_t k = 0; k < last; ++k) map_.rows().add_to(rows[k], 1, N.col(static_cast<Index>(k)).data());
    const MinimumNorm speeds = minimum_norm_by_orthogonal(N.transpose(), map_.wanted()(rows), kRankTolerance);
    if (speeds.rank == 0) break;
    const MinimumNorm change = minimum_norm_by_orthogonal(N, speeds.x - map_.jump(tried), kRankTolerance);
    if (change.rank == 0) break;
    tried(rows) += change.x;
    for (const std::uint32_t row : rows)
      if (pushes[row] != 0) tried[row] = std::max(tried[row], 0.0);
    std::erase_if(rows, [&](std::uint32_t row) { return pushes[row] != 0 && tried[row] == 0; });
    if (const double error = map_.evaluate(tried); error <= best) {
      best = std::max(error, target_);
      q = tried;
    }
  }
  map_.evaluate(q);
}

std::vector<char> ConeNewton::unilateral() const {
  std::vector<char> out(static_cast<std::size_t>(map_.size()));
  for (const std::uint32_t row : map_.problem().unilateral) out[row] = 1;
  return out;
}

// Returns the move along those directions after which nothing is pulled. Unilateral rows that would pull leave, one
// after the other.
Vector ConeNewton::pulled_together(const Matrix& pulled, const Matrix& directions, const Vector& here) const {
  std::vector<Index> pushing, left;
  const std::vector<char> pushes = unilateral();
  for (std::size_t k = 0; k < derivative_.unknowns.size(); ++k)
    if (pushes[derivative_.unknowns[k]] != 0) pushing.push_back(static_cast<Index>(k));
  for (;;) {
    Vector x = Vector::Zero(directions.cols());
    Matrix free = Matrix::Identity(x.size(), x.size());
    if (!left.empty()) {
      const Matrix leaving = directions(left, Eigen::all);
      if (const MinimumNorm made = minimum_norm_by_orthogonal(leaving, -here(left), kDependent); made.rank > 0)
        x = made.x;
      free = left_out(row_space(leaving, kDependent));
    }
    const Vector pull = pulled * (here + directions * x);
    if (free.cols() > 0)
      if (const MinimumNorm made = minimum_norm_by_orthogonal(pulled * directions * free, -pull, kDependent);
          made.rank > 0)
        x += free * made.x;
    const Vector moved = directions * x;
    const auto least = std::min_element(pushing.begin(), pushing.end(),
                                        [&](Index i, Index j) { return here[i] + moved[i] < here[j] + moved[j]; });
    if (least == pushing.end() || !(here[*least] + moved[*least] < 0) || free.cols() == 0) return moved;
    left.push_back(*least);
    pushing.erase(least);
  }
}

// (J + e C) q = r at e = 0: of all q with J q = r the one with C q in the range of J.
void ConeNewton::share(Vector& q) {
  map_.give_way(0);
  const double before = map_.evaluate(q);
  map_.differentiate(q, derivative_);
  const auto n = static_cast<Index>(derivative_.unknowns.size());
  if (n == 0) return;
  const Matrix J = derivative();
  if (!J.allFinite()) return;
  const Vector pivots = pivoted_diagonal(J).cwiseAbs();
  if (pivots.minCoeff() > kDependent * pivots.maxCoeff()) return;
  const Matrix right = left_out(row_space(J, kDependent)), left = left_out(row_space(J.transpose(), kDependent));
  if (right.cols() == 0 || left.cols() == 0) return;
  const Matrix pulled = left.transpose() * map_.compliance()(derivative_.unknowns).asDiagonal();
  const Vector here = q(derivative_.unknowns);
  const Vector moved = pulled_together(pulled, right, here);
  Vector tried = q;
  tried(derivative_.unknowns) += moved;
  for (const std::uint32_t row : map_.problem().unilateral) tried[row] = std::max(tried[row], 0.0);
  if (moved.norm() <= kShareMoves * q.norm() && map_.evaluate(tried) <= std::max(before, target_)) q = tried;
  map_.evaluate(q);
}

}  // namespace mbc::runtime
