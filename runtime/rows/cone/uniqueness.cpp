// SPDX-License-Identifier: Apache-2.0
#include "runtime/rows/cone/uniqueness.h"

#include <algorithm>
#include <cmath>

#include "runtime/rows/cone/problem.h"
#include "runtime/rows/decompositions.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

constexpr int kMostMinors = 10;     // frictions, or parting rows, of which all principal minors are looked at
constexpr double kMoves = 1e-8;     // of the speeds: a change that counts
constexpr double kLoadStep = 1e-6;  // of the forces: loads, which need not be affine, are differentiated by it

template <class Such>
bool any_minor(const Matrix& P, Index m, const Such& such) {
  for (unsigned set = P.rows() > m ? 0 : 1; set < 1u << m; ++set) {
    std::vector<Index> taken;
    for (Index k = 0; k < P.rows(); ++k)
      if (k >= m || (set >> k & 1u) != 0) taken.push_back(k);
    if (such(determinant(P(taken, taken)))) return true;
  }
  return false;
}

}  // namespace

ConeUniqueness::ConeUniqueness(const ConeState& state) : state_(state) {
  holding_ = normal(state.holding);
  sizes_ = state.sizes(state.multipliers);
  const auto m = static_cast<Index>(state.sliding.size());
  motions_.resize(state.n, m);
  multipliers_.resize(state.multipliers.size(), m);
  growth_ = Matrix::Identity(m, m);
  for (Index k = 0; k < m; ++k) {
    const Response made = respond(state.sliding[static_cast<std::size_t>(k)].multipliers);
    motions_.col(k) = made.motion;
    multipliers_.col(k) = made.multipliers;
    const double size = force(state.sliding[static_cast<std::size_t>(k)].multipliers).norm();
    const double step = (size > 0 && state.size > 0 ? state.size / size : 1) *
                        (m > static_cast<Index>(state.frictions) ? kLoadStep : 1);
    growth_.col(k) -= gained(step * made.multipliers) / step;
  }
}

double ConeUniqueness::norm(std::uint32_t row) const {
  const double square = state_.rows->square(row);
  return square > 0 ? std::sqrt(square) : 1;
}

Matrix ConeUniqueness::normal(const std::vector<std::uint32_t>& rows) const {
  Matrix out = Matrix::Zero(state_.n, static_cast<Index>(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k)
    state_.rows->add_to(rows[k], 1 / norm(rows[k]), out.col(static_cast<Index>(k)).data());
  return out.transpose();
}

Vector ConeUniqueness::force(const Vector& multipliers) const {
  Vector out = Vector::Zero(state_.n);
  for (std::size_t row = 0; row < state_.rows->size(); ++row)
    if (const double p = multipliers[static_cast<Index>(row)]; p != 0) state_.rows->add_to(row, p, out.data());
  return out;
}

// To forces of these multipliers, while the holding rows keep their speeds.
ConeUniqueness::Response ConeUniqueness::respond(const Vector& multipliers) const {
  Response out{force(multipliers), multipliers};
  if (state_.holding.empty()) return out;
  const MinimumNorm made = minimum_norm_by_orthogonal(holding_.transpose(), -out.motion, kRankTolerance);
  if (made.rank == 0) return out;
  out.motion += holding_.transpose() * made.x;
  for (std::size_t k = 0; k < state_.holding.size(); ++k)
    out.multipliers[state_.holding[k]] += made.x[static_cast<Index>(k)] / norm(state_.holding[k]);
  return out;
}

Vector ConeUniqueness::gained(const Vector& change) const { return state_.sizes(state_.multipliers + change) - sizes_; }

bool ConeUniqueness::is_unique() const {
  if (state_.sliding.empty()) return true;
  const auto frictions = static_cast<Index>(state_.frictions);
  const bool few = frictions <= kMostMinors;
  if (few ? any_minor(growth_, frictions, [](double x) { return !(x > 0); }) : !(determinant(growth_) > 0))
    return false;
  return !can_press_instead();
}

// Returns whether parting rows could press instead. The matrix of what a push at each of them does to the speeds of
// all, with the friction that follows from it (none if nothing slides), then has a negative principal minor. For one
// row this means that its push brings its own sides closer.
bool ConeUniqueness::can_press_instead() const {
  const auto n = static_cast<Index>(std::min<std::size_t>(state_.parting.size(), kMostMinors));
  if (n == 0) return false;
  LuFactors factors;
  factors.compute(growth_);
  Matrix moved(n, n);
  for (Index j = 0; j < n; ++j) {
    const std::uint32_t row = state_.parting[static_cast<std::size_t>(j)];
    const Response push =
        respond(Vector::Unit(state_.multipliers.size(), static_cast<Index>(row)) * (state_.size / norm(row)));
    Matrix more = gained(push.multipliers), sizes;
    for (Index k = 0; k < more.rows(); ++k)
      if (state_.sliding[static_cast<std::size_t>(k)].stays) more(k, 0) = 0;
    factors.solve(more, sizes);
    const Vector motion = (push.motion + motions_ * sizes) / state_.size;
    for (Index i = 0; i < n; ++i) {
      const std::uint32_t other = state_.parting[static_cast<std::size_t>(i)];
      moved(i, j) = state_.rows->times(other, motion.data()) / norm(other);
    }
  }
  return any_minor(moved, n, [](double x) { return x < -kRankTolerance; });
}

// A share is a combination of multipliers that change no speed, of rows that hold or are together. With the sliding
// forces that it changes, and what these change, multipliers grow by `changes` and speeds by `moved`. Where what is at
// its limit stays at rest, other rows hold it and take up whatever another share leaves.
bool ConeUniqueness::is_determined() const {
  if (std::all_of(state_.sliding.begin(), state_.sliding.end(), [](const auto& s) { return s.stays; })) return true;
  std::vector<std::uint32_t> rows = state_.holding;
  rows.insert(rows.end(), state_.together.begin(), state_.together.end());
  if (rows.empty()) return true;
  const SingularDecomposition found = singular_decomposition(normal(rows));
  const auto rank = (found.values.array() > kRankTolerance * found.values[0]).count();
  const Index open = static_cast<Index>(rows.size()) - rank;
  if (open == 0) return true;
  const auto free = found.V.leftCols(rank);
  Matrix changes = Matrix::Zero(state_.multipliers.size(), open), more(sizes_.size(), open), sizes;
  for (std::size_t k = 0; k < rows.size(); ++k)
    changes.row(rows[k]) = found.U.row(static_cast<Index>(k)).tail(open) * state_.size / norm(rows[k]);
  for (Index j = 0; j < open; ++j) more.col(j) = gained(changes.col(j));
  LuFactors factors;
  factors.compute(growth_);
  factors.solve(more, sizes);
  if (!sizes.allFinite()) return true;  // not the only motion for other reasons
  Matrix forces(state_.n, sizes_.size());
  for (Index k = 0; k < sizes_.size(); ++k)
    forces.col(k) = force(state_.sliding[static_cast<std::size_t>(k)].multipliers);
  const Matrix moved = (forces - free * (free.transpose() * forces)) * sizes;
  return !can_move(moved, changes + multipliers_ * sizes);
}

// Returns whether a combination of the columns changes speeds without a pull at a row that does not push. Each
// component of the motion gives a contact problem of the shares.
bool ConeUniqueness::can_move(const Matrix& moved, const Matrix& changes) const {
  const SingularDecomposition found = singular_decomposition(moved);
  const auto n = (found.values.array() > kMoves * state_.size).count();
  const Matrix motion = found.U.leftCols(n).transpose() * moved;
  ConeProblem problem;
  problem.n = static_cast<std::uint32_t>(moved.cols());
  problem.size = 1;
  problem.tolerance = kMoves;
  RowList planes;
  const auto add = [](const Eigen::RowVectorXd& row, RowList& to) {
    for (Index j = 0; j < row.size(); ++j) to.add(static_cast<std::uint32_t>(j), row[j]);
    to.close();
  };
  for (const std::uint32_t row : state_.pushing) {
    const double change = changes.row(row).norm();
    const bool pushes_already = state_.multipliers[row] * norm(row) > kMoves * state_.size;
    if (!pushes_already && change * norm(row) > kMoves * state_.size) add(changes.row(row) / change, planes);
  }
  problem.wanted.assign(planes.size() + 1, 0.0);
  problem.wanted.back() = 1;
  for (std::uint32_t k = 0; k <= planes.size(); ++k) problem.unilateral.push_back(k);
  for (Index k = 0; k < n; ++k)
    for (const double side : {1.0, -1.0}) {
      problem.rows = planes;
      add(side * motion.row(k).normalized(), problem.rows);
      if (solve_cones(problem, Vector()).settled) return true;
    }
  return false;
}

}  // namespace mbc::runtime
