// SPDX-License-Identifier: Apache-2.0
// The contribution of a kinetic energy written by hand (`kinetic`) to the equations of motion.
#pragma once
#include <cstddef>
#include <vector>

#include "compiler/lower/system.h"

namespace mbc::lower {

// The roots of the family are T(t,q,u,s), then the angular velocities of `turning` free bodies, three speeds each in
// body axes. T has to hold no other speeds that are not rates of coordinates.
void kinetic_term(Family& family, std::size_t turning, std::vector<Contribution>& out);
// Returns whether no abs, min, if and the like in T holds a speed.
[[nodiscard]] bool in_one_piece(const Family& family);

}  // namespace mbc::lower
