// SPDX-License-Identifier: Apache-2.0
// Numbers of states that are drawn to see whether an expression vanishes everywhere.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace mbc::graph {

// Returns a number in -1 .. 1 that has nothing to do with those of other leaves and states.
inline double drawn_number(std::uint32_t which, int state) {
  return std::sin(1 + 12.9898 * which + 78.233 * state) * std::cos(0.5 * which - 4.1414 * state);
}

// Returns a unit quaternion of the four numbers from `which` on.
inline std::array<double, 4> drawn_quaternion(std::uint32_t which, int state) {
  std::array<double, 4> p{};
  double square = 0;
  for (std::uint32_t k = 0; k < 4; ++k) {
    p[k] = drawn_number(which + k, state);
    square += p[k] * p[k];
  }
  for (double& x : p) x /= std::sqrt(square);
  return p;
}

// Returns the rotation matrix of that quaternion by rows, or one of the plane.
inline std::vector<double> drawn_rotation(std::uint32_t which, int state, std::size_t space) {
  if (space == 2) {
    const double angle = 3 * drawn_number(which, state);
    return {std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle)};
  }
  const auto [w, x, y, z] = drawn_quaternion(which, state);
  return {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
          2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
          2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
}

}  // namespace mbc::graph
