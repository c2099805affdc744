// SPDX-License-Identifier: Apache-2.0
// Contact problems drawn at random: impacts and rest of bodies with up to 30 contacts, many of them dependent, with
// mass ratios and frictions as they are asked for. What the laws of contact are missed by is computed from the rows
// alone, with nothing of the solver.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "runtime/rows/cone/problem.h"

namespace mbc::test {

struct DrawnProblem {
  Eigen::MatrixXd rows;    // in the metric of the masses
  Eigen::VectorXd wanted;  // by row
  std::vector<std::uint32_t> unilateral;
  struct Friction {
    std::uint32_t row = 0, count = 1, pressed_by = 0;
    double coefficient = 0;
  };
  std::vector<Friction> frictions;
  double size = 1;        // of the speeds
  bool rebounds = false;  // sides shall part again: then there need be no solution

  // Refers to the object.
  [[nodiscard]] runtime::ConeProblem problem(double tolerance) const;
  // The most that a condition is missed by, as a jump of a speed, of the size of the speeds.
  [[nodiscard]] double error(const Eigen::VectorXd& multipliers) const;
};

enum class DrawnKind : std::uint8_t {
  rows,          // of nothing in particular, some of them between two others, frictions of other directions
  plane_bodies,  // in the plane, on each other and on what is fixed
  space_bodies,  // the same in space, with frictions of two rows
  plane_stack,   // boxes on top of each other, each on two to four points
  space_stack    // boxes on their corners
};
inline constexpr DrawnKind kDrawnKinds[] = {DrawnKind::rows, DrawnKind::plane_bodies, DrawnKind::space_bodies,
                                            DrawnKind::plane_stack, DrawnKind::space_stack};

// Masses are spread over so many powers of ten.
DrawnProblem draw_problem(DrawnKind kind, std::uint64_t seed, double decades, int most_contacts = 30);

}  // namespace mbc::test
