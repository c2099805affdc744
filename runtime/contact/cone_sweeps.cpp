// SPDX-License-Identifier: Apache-2.0
#include "runtime/contact/cone_sweeps.h"

#include <algorithm>
#include <cmath>

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

constexpr int kMostSweeps = 100'000;
constexpr double kSettled = 1e-14;  // of the speeds: what a sweep changes at its end
constexpr double kEnough = 1e-10;   // the same where rounding keeps it from that

}  // namespace

ConeSolution sweep_cones(const ConeProblem& problem) {
  ConeSolution made;
  made.jump = Vector::Zero(problem.rows.cols());
  made.impulses = Vector::Zero(problem.rows.rows());
  std::vector<ConeProblem::Limit> limits(problem.frictions.size());
  const Vector squares = problem.rows.rowwise().squaredNorm();
  double changed = problem.size, size = problem.size;
  while (made.sweeps < kMostSweeps && changed > kSettled * size) {
    ++made.sweeps;
    changed = 0;
    for (const std::uint32_t i : problem.pushing) {
      if (!(squares[i] > 0)) continue;
      const double by = (problem.wanted[i] - problem.rows.row(i).dot(made.jump)) / squares[i];
      const double now = std::max(made.impulses[i] + by, 0.0), change = now - made.impulses[i];
      made.jump += change * problem.rows.row(i).transpose();
      made.impulses[i] = now;
      changed = std::max(changed, std::fabs(change) * std::sqrt(squares[i]));
    }
    if (!problem.frictions.empty()) problem.limits(made.impulses, limits);
    for (std::size_t k = 0; k < problem.frictions.size(); ++k) {
      const auto [row, count] = problem.frictions[k];
      const auto rows = problem.rows.middleRows(row, count);
      const double square = squares.segment(row, count).sum();
      if (!(square > 0)) continue;
      const Vector before = made.impulses.segment(row, count);
      Vector now = before + (problem.wanted.segment(row, count) - rows * made.jump) / square;
      const double most = std::max(limits[k].sliding, 0.0), still = std::max(limits[k].still, most), force = now.norm();
      if (force > still) now *= most / force;
      made.jump += rows.transpose() * (now - before);
      made.impulses.segment(row, count) = now;
      changed = std::max(changed, (now - before).norm() * std::sqrt(square));
    }
    if (!std::isfinite(changed)) return made;
    size = std::max(problem.size, made.jump.norm());
  }
  made.settled = changed <= kEnough * size;
  return made;
}

}  // namespace mbc::runtime
