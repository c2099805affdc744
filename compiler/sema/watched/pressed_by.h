// SPDX-License-Identifier: Apache-2.0
// Which inequalities a friction needs: its limit, and that at rest, are zero while none of them presses. And whether a
// limit may become negative along a motion.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/sema/model.h"

namespace mbc::sema {

// First rows of inequalities; none where the friction may hold without them.
std::vector<std::uint32_t> pressed_by(const Model& model, const Friction& friction);

// What pushes is not negative, and parameters stay: of anything else in a limit this is looked at along the motion.
bool limits_vary(const Model& model, const Friction& friction);

}  // namespace mbc::sema
