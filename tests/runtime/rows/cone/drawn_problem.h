// SPDX-License-Identifier: Apache-2.0
// Draws random contact problems: impacts and rest of bodies with up to 30 contacts, many of them dependent, with given
// mass ratios and frictions. The errors of the contact laws are computed only from the rows, without the solver.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "runtime/rows/cone/problem.h"

namespace mbc::test {

struct DrawnProblem {
  Eigen::MatrixXd rows;    // in the mass metric
  Eigen::VectorXd wanted;  // one value for each row
  std::vector<std::uint32_t> unilateral;
  struct Friction {
    std::uint32_t row = 0, count = 1, pressed_by = 0;
    double coefficient = 0;
  };
  std::vector<Friction> frictions;
  double size = 1;        // size of the speeds
  bool rebounds = false;  // Bodies separate after the impact; in this case a solution need not exist.

  // The result refers to the object.
  [[nodiscard]] runtime::ConeProblem problem(double tolerance) const;
  // Returns the largest violation of a condition, as a velocity jump relative to the size of the speeds.
  [[nodiscard]] double error(const Eigen::VectorXd& multipliers) const;
};

enum class DrawnKind : std::uint8_t {
  rows,          // unstructured rows, some of them between two others, with frictions of other directions
  plane_bodies,  // bodies in the plane, on each other and on the ground
  space_bodies,  // the same in space, with frictions of two rows
  plane_stack,   // boxes on top of each other, each on two to four points
  space_stack    // boxes on their corners
};
inline constexpr DrawnKind kDrawnKinds[] = {DrawnKind::rows, DrawnKind::plane_bodies, DrawnKind::space_bodies,
                                            DrawnKind::plane_stack, DrawnKind::space_stack};

// Draws a problem with masses spread over `decades` powers of ten.
DrawnProblem draw_problem(DrawnKind kind, std::uint64_t seed, double decades, int most_contacts = 30);

}  // namespace mbc::test
