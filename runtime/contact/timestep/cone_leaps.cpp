// SPDX-License-Identifier: Apache-2.0
#include "runtime/contact/timestep/cone_leaps.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

constexpr double kAlike = 0.1;  // of a change: by how much the next one differs from it where both are one
constexpr double kNoLeap = 10;  // sweeps: no more than some of them
constexpr double kNever = std::numeric_limits<double>::infinity();

// Of a row that only pushes: when it presses no more.
double until_none(double impulse, double change) { return change < 0 ? impulse / -change : kNever; }

// When |p + a d| reaches the limit m + a c: the least such a > 0.
double until_limit(const Vector& p, const Vector& d, double m, double c) {
  const double square = d.squaredNorm() - c * c, half = p.dot(d) - m * c, rest = p.squaredNorm() - m * m;
  if (!(rest < 0)) return kNever;  // it slides already
  if (square == 0) return half > 0 ? -rest / (2 * half) : kNever;
  const double under = half * half - square * rest;
  if (under < 0) return kNever;
  double least = kNever;
  for (const double a : {(-half + std::sqrt(under)) / square, (-half - std::sqrt(under)) / square})
    if (a > 0 && m + a * c >= 0) least = std::min(least, a);
  return least;
}

}  // namespace

bool leap_along_sweeps(const RowList& rows, std::uint32_t n, ConeProblem& problem, ConeSolution& solution) {
  problem.patience = 1;
  Vector at[3] = {solution.impulses, {}, {}};
  for (int k = 1; k < 3; ++k) {
    solution = sweep_cones(rows, n, problem, at[k - 1]);
    at[k] = solution.impulses;
    if (solution.settled || !at[k].allFinite()) return solution.settled;
  }
  const Vector before = at[1] - at[0], change = at[2] - at[1];
  if (!((change - before).norm() <= kAlike * before.norm())) return false;
  std::vector<double> limits(problem.frictions.size()), were(limits.size());
  if (!limits.empty()) {
    problem.limits(at[1], were);
    problem.limits(at[2], limits);
  }
  // what is at its end already is carried along, and put back by the next sweep
  double times = kNever;
  const auto ends = [&times](double after) {
    if (after > kNoLeap) times = std::min(times, after);
  };
  for (const std::uint32_t row : problem.pushing) ends(until_none(at[2][row], change[row]));
  for (std::size_t k = 0; k < limits.size(); ++k) {
    const auto [row, count] = problem.frictions[k];
    ends(until_limit(at[2].segment(row, count), change.segment(row, count), std::max(limits[k], 0.0),
                     limits[k] - were[k]));
  }
  if (!std::isfinite(times)) return false;
  solution.impulses = at[2] + times * change;
  for (const std::uint32_t row : problem.pushing) solution.impulses[row] = std::max(solution.impulses[row], 0.0);
  return true;
}

}  // namespace mbc::runtime
