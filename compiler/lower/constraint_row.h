// SPDX-License-Identifier: Apache-2.0
// The contributions of one scalar row to A u' = b, and its residuals.
#pragma once
#include <vector>

#include "compiler/ad/motion.h"
#include "compiler/lower/system.h"

namespace mbc::lower {

// The root of the family is e of a row e = 0: A = J, b = -g (compiler/ad/motion.h). Returns whether the row is linear
// in the speeds, A u + c = 0.
bool constraint_row(Family& family, ad::Level level, std::vector<Contribution>& out);

}  // namespace mbc::lower
