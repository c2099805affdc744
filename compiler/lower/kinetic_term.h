// SPDX-License-Identifier: Apache-2.0
// What a kinetic energy written by hand (`kinetic`) adds to the equations of motion.
#pragma once
#include <cstddef>
#include <vector>

#include "compiler/lower/system.h"

namespace mbc::lower {

// Roots of the family: T(t,q,u,s), then the angular velocities of `turning` free bodies, three speeds each in body
// axes: all that T holds and that are no rates of coordinates.
void kinetic_term(Family& family, std::size_t turning, std::vector<Contribution>& out);
// No abs, min, if and the like of T holds a speed.
[[nodiscard]] bool in_one_piece(const Family& family);

}  // namespace mbc::lower
