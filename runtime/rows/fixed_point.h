// SPDX-License-Identifier: Apache-2.0
// Solves x = g(x) for a map that is affine or nearly so, without its derivatives. It serves forces that depend on the
// multipliers they change; x holds their sizes.
//
// Method: C. G. Broyden, A class of methods for solving nonlinear simultaneous equations, Math. Comp. 19 (1965)
// 577-593, starting from the Jacobian of a map that does not depend on x. An affine map of n numbers is solved in 2 n
// steps. For one number it is the secant method, which is exact in the second step.
#pragma once
#include <Eigen/Core>
#include <functional>

namespace mbc::runtime {

struct FixedPoint {
  bool found = false;
  Eigen::VectorXd x;
};

// Iterates from x = 0. `map` returns false if it is undefined; its last call is at the x that is returned. For one
// number a point counts only if the map grows by less than its argument; otherwise there is no solution, or another
// one. `rounding` bounds the error of the map beyond a part of its size.
FixedPoint fixed_point(Eigen::Index n, const std::function<bool(const Eigen::VectorXd& x, Eigen::VectorXd& g)>& map,
                       double rounding = 0);

// Does the same by Newton's method, with the derivatives dg_i/dx_j of the map.
using DifferentiatedMap = std::function<bool(const Eigen::VectorXd& x, Eigen::VectorXd& g, Eigen::MatrixXd& slope)>;
FixedPoint newton_point(Eigen::Index n, const DifferentiatedMap& map, double rounding = 0);

}  // namespace mbc::runtime
