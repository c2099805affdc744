// SPDX-License-Identifier: Apache-2.0
#include "runtime/rows/fixed_point.h"

#include <algorithm>
#include <limits>

#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

constexpr int kMostSteps = 60;
constexpr int kIdleSteps = 3;       // without improvement, after which the iteration ends
constexpr int kIdleNewton = 8;      // the same for Newton's method
constexpr double kMet = 1e-15;      // of the largest number: the map returns x
constexpr double kGoodFor = 1e-11;  // of the largest number: error that rounding may leave

}  // namespace

FixedPoint fixed_point(Eigen::Index n, const std::function<bool(const Vector& x, Vector& g)>& map, double rounding) {
  FixedPoint out{false, Vector::Zero(n)};
  Vector x = Vector::Zero(n), g(n), last;
  Eigen::MatrixXd H = -Eigen::MatrixXd::Identity(n, n);  // approximates the inverse Jacobian of g(x) - x
  double best = std::numeric_limits<double>::infinity(), size = 0;
  Vector defect, step;
  int idle = 0;
  bool at_best = false;
  for (int k = 0; k < kMostSteps && idle < kIdleSteps; ++k) {
    if (!map(x, g) || !g.allFinite()) return {};
    const Vector now = g - x;
    size = std::max({size, g.cwiseAbs().maxCoeff(), x.cwiseAbs().maxCoeff()});
    const double worst = now.cwiseAbs().maxCoeff();
    at_best = worst < best;
    idle = at_best ? 0 : idle + 1;
    if (at_best) {
      best = worst;
      out.x = x;
    }
    if (k > 0) {
      const Vector change = now - defect, moved = H * change;
      if (n == 1 && worst > kGoodFor * size + rounding && !(change[0] * step[0] < 0)) return {};
      const double along = step.dot(moved);
      if (along != 0) H += (step - moved) * (step.transpose() * H) / along;
    }
    const bool goes_on = worst > rounding;
    if (k == 1 && n == 1 && goes_on && !((now - defect)[0] * step[0] < 0)) return {};
    if (worst <= kMet * size) break;
    defect = now;
    step = -H * now;
    x += step;
  }
  out.found = best <= kGoodFor * size + rounding;
  return out.found && !at_best && !map(out.x, g) ? FixedPoint{} : out;
}

FixedPoint newton_point(Eigen::Index n, const DifferentiatedMap& map, double rounding) {
  FixedPoint out{false, Vector::Zero(n)};
  Vector x = Vector::Zero(n), g(n);
  Eigen::MatrixXd slope(n, n), step;
  LuFactors factors;
  double best = std::numeric_limits<double>::infinity(), size = 0;
  int idle = 0;
  for (int k = 0; k < kMostSteps && idle < kIdleNewton; ++k) {
    if (!map(x, g, slope) || !g.allFinite()) return {};
    const Vector defect = g - x;
    size = std::max({size, g.cwiseAbs().maxCoeff(), x.cwiseAbs().maxCoeff()});
    const double worst = defect.cwiseAbs().maxCoeff();
    idle = worst < best ? 0 : idle + 1;
    const Eigen::MatrixXd A = Eigen::MatrixXd::Identity(n, n) - slope;
    if (worst < best) {
      best = worst;
      out.x = x;
    }
    if (worst <= kMet * size) break;
    factors.compute(A);
    step.resize(n, 1);
    factors.solve(defect, step);
    if (!step.allFinite()) break;
    x += step;
  }
  out.found = best <= kGoodFor * size + rounding;
  return out;
}

}  // namespace mbc::runtime
