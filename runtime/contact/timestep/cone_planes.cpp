// SPDX-License-Identifier: Apache-2.0
#include "runtime/contact/timestep/cone_planes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

constexpr double kOfDiagonal = 1e-4;  // eps
constexpr int kMostRounds = 100;      // sweeps, and the rows that press
constexpr int kSweepsOfRound = 10;
constexpr int kMostSets = 300;  // of rows that press, in one round
constexpr int kMostGradients = 50;
constexpr int kConePlanesMostHalvings = 8;
constexpr double kDescends = 1e-4;                 // of the slope at the beginning of a step
constexpr double kFlat = 1e-15;                    // curvature that is rounding
constexpr std::size_t kMostProducts = 50'000'000;  // entries of G

class Planes {
 public:
  // rows: of norm 1.
  Planes(RowList rows, std::uint32_t n, const Vector& wanted, const Vector& start)
      : rows_(std::move(rows)), wanted_(wanted), q_(start.cwiseMax(0)), w_(n), touching_(n) {
    for (std::size_t k = 0; k < rows_.size(); ++k)
      for (std::uint32_t e = rows_.begin[k]; e < rows_.begin[k + 1]; ++e)
        touching_[rows_.column[e]].emplace_back(static_cast<Index>(k), rows_.value[e]);
  }

  [[nodiscard]] std::size_t products() const {
    std::size_t sum = 0;
    for (const auto& rows : touching_) sum += rows.size() * rows.size() / 2;
    return sum;
  }
  [[nodiscard]] const Vector& impulses() const { return q_; }
  // What one more sweep would change at most.
  [[nodiscard]] double error() { return q_.cwiseMin(slope()).cwiseAbs().maxCoeff(); }

  bool settle(double target) {
    for (int round = 0; round < kMostRounds; ++round) {
      for (int k = 0; k < kSweepsOfRound; ++k) sweep();
      if (!q_.allFinite()) return false;
      if (error() <= target) return true;
      presses_ = q_.array() > 0;
      Found found = Found::row_gone;
      for (int set = 0; set < kMostSets && found == Found::row_gone; ++set) found = minimum(0.5 * target);
      if (found == Found::none) return false;
    }
    return error() <= target;
  }

 private:
  enum class Found { minimum, row_gone, none };

  // G q.
  const Vector& times(const Vector& q) {
    w_.setZero();
    for (std::size_t k = 0; k < rows_.size(); ++k)
      if (const double x = q[static_cast<Index>(k)]; x != 0) rows_.add_to(k, x, w_.data());
    product_.resize(q.size());
    for (std::size_t k = 0; k < rows_.size(); ++k) product_[static_cast<Index>(k)] = rows_.times(k, w_.data());
    return product_;
  }
  Vector slope() { return times(q_) - wanted_; }

  // Each impulse to its minimum, with the others held.
  void sweep() {
    times(q_);
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const auto i = static_cast<Index>(k);
      const double before = q_[i];
      q_[i] = std::max(before + wanted_[i] - rows_.times(k, w_.data()), 0.0);
      if (q_[i] != before) rows_.add_to(k, q_[i] - before, w_.data());
    }
  }

  // Of the function over the rows that press; row_gone where impulses became zero on the way.
  Found minimum(double target) {
    if (!factor()) return Found::none;
    Vector left = pressing(-slope()), scaled = precondition(left), along = scaled;
    if (onto_what_is_allowed(left, scaled)) return Found::row_gone;
    for (int k = 0; k < kMostGradients && left.cwiseAbs().maxCoeff() > target; ++k) {
      const double product = left.dot(scaled), curved = along.dot(times(along));
      double share = curved > kFlat * along.squaredNorm() ? product / curved : std::numeric_limits<double>::infinity();
      Index first = -1;
      for (const Index i : free_) {
        if (!(along[i] < 0) || !(q_[i] < -share * along[i])) continue;
        share = -q_[i] / along[i];
        first = i;
      }
      if (!std::isfinite(share)) return Found::none;
      q_ = (q_ + share * along).cwiseMax(0);
      if (first >= 0) {
        q_[first] = 0;
        presses_[first] = false;
        return Found::row_gone;
      }
      left = pressing(-slope());
      const Vector before = scaled;
      scaled = precondition(left);
      along = scaled + left.dot(scaled - before) / product * along;
    }
    return Found::minimum;
  }

  // A whole step that takes impulses below zero leaves these at zero, as far as that makes the function smaller.
  bool onto_what_is_allowed(const Vector& left, const Vector& whole) {
    if ((q_ + whole).minCoeff() >= 0) return false;
    double share = 1;
    for (int h = 0; h < kConePlanesMostHalvings; ++h, share *= 0.5) {
      const Vector moved = (q_ + share * whole).cwiseMax(0) - q_;
      const double descent = -left.dot(moved);
      if (!(descent < 0 && descent + 0.5 * moved.dot(times(moved)) <= kDescends * descent)) continue;
      const Vector reached = (q_ + moved).cwiseMax(0);
      bool gone = false;
      for (const Index i : free_)
        if (q_[i] + share * whole[i] <= 0) presses_[i] = !(gone = true);
      if (!gone) return false;
      q_ = reached;
      return true;
    }
    return false;
  }

  [[nodiscard]] Vector pressing(const Vector& of_all) const { return presses_.select(of_all, 0); }
  // (G + eps 1)^-1 of those that press.
  [[nodiscard]] Vector precondition(const Vector& v) const {
    Vector of_free(static_cast<Index>(free_.size())), out = Vector::Zero(v.size());
    if (free_.empty()) return out;
    for (std::size_t i = 0; i < free_.size(); ++i) of_free[static_cast<Index>(i)] = v[free_[i]];
    of_free = factors_.solve(of_free);
    for (std::size_t i = 0; i < free_.size(); ++i) out[free_[i]] = of_free[static_cast<Index>(i)];
    return out;
  }

  bool factor() {
    free_.clear();
    place_.assign(static_cast<std::size_t>(q_.size()), -1);
    for (Index i = 0; i < q_.size(); ++i) {
      if (!presses_[i]) continue;
      place_[static_cast<std::size_t>(i)] = static_cast<int>(free_.size());
      free_.push_back(i);
    }
    entries_.clear();
    for (int i = 0; i < static_cast<int>(free_.size()); ++i) entries_.push_back({i, i, kOfDiagonal});
    for (const auto& rows : touching_)
      for (std::size_t a = 0; a < rows.size(); ++a) {
        const int row = place_[static_cast<std::size_t>(rows[a].first)];
        for (std::size_t b = 0; row >= 0 && b <= a; ++b)
          if (const int other = place_[static_cast<std::size_t>(rows[b].first)]; other >= 0)
            entries_.push_back({row, other, rows[a].second * rows[b].second});
      }
    return free_.empty() || factors_.compute(static_cast<int>(free_.size()), entries_);
  }

  RowList rows_;
  Vector wanted_, q_, w_, product_;
  std::vector<std::vector<std::pair<Index, double>>> touching_;  // by speed the rows and their entries
  Eigen::Array<bool, Eigen::Dynamic, 1> presses_;
  std::vector<Index> free_;  // those that press
  std::vector<int> place_;   // among them
  std::vector<SparseEntry> entries_;
  SparseCholesky factors_;
};

}  // namespace

bool improve_by_planes(const RowList& rows, std::uint32_t n, const ConeProblem& problem, ConeSolution& solution) {
  if (!problem.frictions.empty() || problem.pushing.empty() || !(problem.size > 0)) return false;
  const auto m = static_cast<Index>(problem.pushing.size());
  Vector norms(m), wanted(m), start(m);
  RowList unit;
  for (Index k = 0; k < m; ++k) {
    const std::uint32_t row = problem.pushing[static_cast<std::size_t>(k)];
    norms[k] = std::sqrt(rows.square(row));
    if (!(norms[k] > 0)) return false;
    wanted[k] = problem.wanted[row] / norms[k];
    start[k] = std::isfinite(solution.impulses[row]) ? solution.impulses[row] * norms[k] : 0;
    for (std::uint32_t e = rows.begin[row]; e < rows.begin[row + 1]; ++e)
      unit.add(rows.column[e], rows.value[e] / norms[k]);
    unit.close();
  }
  Planes planes(std::move(unit), n, wanted, start);
  if (planes.products() > kMostProducts) return false;
  const double target = std::max(problem.tolerance, kNoChange) * problem.size;
  if (!planes.settle(target) && !(planes.error() <= kNearlyNoChange * problem.size)) return false;
  solution.jump = Vector::Zero(n);
  for (Index k = 0; k < m; ++k) {
    const std::uint32_t row = problem.pushing[static_cast<std::size_t>(k)];
    solution.impulses[row] = planes.impulses()[k] / norms[k];
    rows.add_to(row, solution.impulses[row], solution.jump.data());
  }
  solution.error = planes.error() / problem.size;
  solution.settled = true;
  return true;
}

}  // namespace mbc::runtime
