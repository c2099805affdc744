// SPDX-License-Identifier: Apache-2.0
// Finds the inequalities that a friction needs: both of its limits are zero while none of them is active. Also tells
// whether a limit may become negative along a motion.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/sema/model.h"

namespace mbc::sema {

// Returns the first rows of inequalities; none if the friction may act without them.
std::vector<std::uint32_t> pressed_by(const Model& model, const Friction& friction);

// Returns whether a limit may become negative along the motion. Multipliers of unilateral constraints are not negative,
// and parameters do not change; anything else in a limit counts.
bool limits_vary(const Model& model, const Friction& friction);

}  // namespace mbc::sema
