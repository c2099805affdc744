// SPDX-License-Identifier: Apache-2.0
#include "runtime/contact/timestep/cone_sweeps.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

constexpr int kConeSweepsMostSweeps = 100'000;

// The larger eigenvalue of B_f B_f^T, of one row or two.
double largest_answer(const RowList& rows, const ConeProblem::Friction& f) {
  const double first = rows.square(f.row);
  if (f.count == 1) return first;
  const double second = rows.square(f.row + 1), both = rows.product(f.row, f.row + 1);
  return 0.5 * (first + second) + std::hypot(0.5 * (first - second), both);
}

class Sweeps {
 public:
  Sweeps(const RowList& rows, std::uint32_t n, const ConeProblem& problem, const Vector& start)
      : rows_(rows), problem_(problem), limits_(problem.frictions.size()), squares_(rows.size()) {
    made_.jump = Vector::Zero(n);
    made_.impulses = Vector::Zero(static_cast<Eigen::Index>(rows.size()));
    made_.impulses.head(start.size()) = start;
    for (const ConeProblem::Friction& f : problem.frictions) steps_.push_back(largest_answer(rows, f));
    for (std::size_t k = 0; k < rows.size(); ++k) {
      squares_[k] = rows.square(k);
      if (made_.impulses[static_cast<Eigen::Index>(k)] != 0)
        rows_.add_to(k, made_.impulses[static_cast<Eigen::Index>(k)], made_.jump.data());
    }
  }

  ConeSolution settle() {
    const double target = std::max(problem_.tolerance, kNoChange);
    double size = problem_.size, best = size, changed = size;
    for (int since = 0; made_.sweeps < kConeSweepsMostSweeps && changed > target * size; ++since) {
      ++made_.sweeps;
      changed = sweep();
      if (!std::isfinite(changed)) return std::move(made_);
      size = std::max(problem_.size, made_.jump.norm());
      if (changed < 0.5 * best) {
        best = changed;
        since = 0;
      } else if (since > problem_.patience) {
        break;
      }
    }
    made_.settled = changed <= std::max(target, kNearlyNoChange) * size && !are_lost(rows_, problem_, made_);
    if (made_.settled) made_.error = size > 0 ? sweep() / size : 0;
    return std::move(made_);
  }

 private:
  // The largest change of a speed in the scale of the masses.
  double sweep() {
    double changed = 0;
    for (const std::uint32_t row : problem_.pushing) changed = std::max(changed, push(row));
    if (!problem_.frictions.empty()) problem_.limits(made_.impulses, limits_);
    for (std::size_t k = 0; k < problem_.frictions.size(); ++k) changed = std::max(changed, rub(k));
    return changed;
  }

  double push(std::uint32_t row) {
    const double square = squares_[row];
    if (!(square > 0)) return 0;
    double& impulse = made_.impulses[row];
    const double by = (problem_.wanted[row] - rows_.times(row, made_.jump.data())) / square;
    const double change = std::max(impulse + by, 0.0) - impulse;
    if (change == 0) return 0;
    rows_.add_to(row, change, made_.jump.data());
    impulse += change;
    return std::fabs(change) * std::sqrt(square);
  }

  // Against the slip as a whole: a step along what is left of it, then onto the disc of the limit.
  double rub(std::size_t which) {
    const ConeProblem::Friction& f = problem_.frictions[which];
    const double square = steps_[which];
    double force = 0, by = 0;
    if (!(square > 0)) return 0;
    double now[2] = {0, 0};
    for (std::uint32_t i = 0; i < f.count; ++i) {
      const std::uint32_t row = f.row + i;
      now[i] = made_.impulses[row] + (problem_.wanted[row] - rows_.times(row, made_.jump.data())) / square;
      force = std::hypot(force, now[i]);
    }
    const double most = std::max(limits_[which], 0.0);
    for (std::uint32_t i = 0; i < f.count; ++i) {
      if (force > most) now[i] *= most / force;
      const double change = now[i] - made_.impulses[f.row + i];
      rows_.add_to(f.row + i, change, made_.jump.data());
      made_.impulses[f.row + i] = now[i];
      by = std::hypot(by, change);
    }
    return by * std::sqrt(square);
  }

  const RowList& rows_;
  const ConeProblem& problem_;
  std::vector<double> limits_;
  std::vector<double> squares_;
  std::vector<double> steps_;  // by friction: the most that a unit of it gives its slip
  ConeSolution made_;
};

}  // namespace

bool are_lost(const RowList& rows, const ConeProblem& problem, const ConeSolution& made) {
  double largest = 0;
  for (std::size_t k = 0; k < rows.size(); ++k)
    largest = std::max(largest, std::fabs(made.impulses[static_cast<Eigen::Index>(k)]) * std::sqrt(rows.square(k)));
  const double size = std::max(problem.size, made.jump.norm());
  return !(largest * std::numeric_limits<double>::epsilon() <= std::max(problem.tolerance, kNearlyNoChange) * size);
}

ConeSolution sweep_cones(const RowList& rows, std::uint32_t n, const ConeProblem& problem, const Vector& start) {
  return Sweeps(rows, n, problem, start).settle();
}

}  // namespace mbc::runtime
