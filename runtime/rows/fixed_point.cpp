// SPDX-License-Identifier: Apache-2.0
#include "runtime/rows/fixed_point.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

constexpr int kMostSteps = 60;
constexpr int kIdleSteps = 3;       // that bring nothing end the iteration
constexpr double kMet = 1e-15;      // of the largest number: the map gives x back
constexpr double kGoodFor = 1e-11;  // of it: what rounding may leave

}  // namespace

FixedPoint fixed_point(Eigen::Index n, const std::function<bool(const Vector& x, Vector& g)>& map) {
  FixedPoint out{false, Vector::Zero(n)};
  Vector x = Vector::Zero(n), g(n), last;
  Eigen::MatrixXd H = -Eigen::MatrixXd::Identity(n, n);  // of the inverse Jacobian of g(x) - x
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
      if (n == 1 && worst > kGoodFor * size && !(change[0] * step[0] < 0)) return {};
      const double along = step.dot(moved);
      if (along != 0) H += (step - moved) * (step.transpose() * H) / along;
    }
    if (k == 1 && n == 1 && !((now - defect)[0] * step[0] < 0)) return {};
    if (worst <= kMet * size) break;
    defect = now;
    step = -H * now;
    x += step;
  }
  out.found = best <= kGoodFor * size;
  return out.found && !at_best && !map(out.x, g) ? FixedPoint{} : out;
}

}  // namespace mbc::runtime
