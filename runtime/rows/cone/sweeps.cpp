// SPDX-License-Identifier: Apache-2.0
#include "runtime/rows/cone/sweeps.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mbc::runtime {

// steps_: the larger eigenvalue of B_f B_f^T.
ConeSweeps::ConeSweeps(const NaturalMap& map)
    : map_(map), w_(map.problem().n), limits_(map.problem().frictions.size() + map.problem().given.size()) {
  const RowList& rows = map.rows();
  for (const auto& [row, count] : map.problem().frictions) {
    const double first = rows.square(row);
    if (count == 1) {
      steps_.push_back(first);
      continue;
    }
    const double second = rows.square(row + 1), both = rows.product(row, row + 1);
    steps_.push_back(0.5 * (first + second) + std::hypot(0.5 * (first - second), both));
  }
}

double ConeSweeps::sweep(Eigen::VectorXd& q, int times, double enough) {
  const ConeProblem& problem = map_.problem();
  w_ = map_.jump(q);
  double changed = 0;
  for (int k = 0; k < times; ++k) {
    changed = 0;
    for (const std::uint32_t row : problem.unilateral) changed = std::max(changed, push(row, 0, q));
    for (const std::uint32_t row : problem.held)
      changed = std::max(changed, push(row, -std::numeric_limits<double>::infinity(), q));
    if (!limits_.empty()) problem.limits(q.cwiseQuotient(map_.scale()), limits_);
    for (std::size_t f = 0; f < problem.frictions.size(); ++f) changed = std::max(changed, rub(f, q));
    for (std::size_t g = 0; g < problem.given.size(); ++g)
      changed = std::max(changed, give(problem.given[g], limits_[problem.frictions.size() + g], q));
    if (!(changed > enough) || !std::isfinite(changed)) break;
  }
  return changed;
}

double ConeSweeps::push(std::uint32_t row, double least, Eigen::VectorXd& q) {
  const double square = map_.rows().square(row);
  if (!(square > 0)) return 0;
  const double by = (map_.wanted()[row] - map_.rows().times(row, w_.data())) / square;
  const double change = std::max(q[row] + by, least) - q[row];
  if (change != 0) map_.rows().add_to(row, change, w_.data());
  q[row] += change;
  return std::fabs(change);
}

double ConeSweeps::give(std::uint32_t row, double force, Eigen::VectorXd& q) {
  const double change = force * map_.scale()[row] - q[row];
  map_.rows().add_to(row, change, w_.data());
  q[row] += change;
  return std::fabs(change);
}

// Against the slip as a whole: a step along what is left of it, then onto the disc of the limit.
double ConeSweeps::rub(std::size_t friction, Eigen::VectorXd& q) {
  const auto [row, count] = map_.problem().frictions[friction];
  if (!(steps_[friction] > 0)) return 0;
  double now[2] = {0, 0}, force = 0, changed = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    now[i] = q[row + i] + (map_.wanted()[row + i] - map_.rows().times(row + i, w_.data())) / steps_[friction];
    force = std::hypot(force, now[i]);
  }
  const double most = std::max(limits_[friction], 0.0) * map_.scale()[row];
  for (std::uint32_t i = 0; i < count; ++i) {
    if (force > most) now[i] *= most / force;
    const double change = now[i] - q[row + i];
    map_.rows().add_to(row + i, change, w_.data());
    q[row + i] = now[i];
    changed = std::hypot(changed, change);
  }
  return changed;
}

}  // namespace mbc::runtime
