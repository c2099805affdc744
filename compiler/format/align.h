// SPDX-License-Identifier: Apache-2.0
// Keeps columns that the writer lined up, with as few blanks as that needs.
#pragma once
#include <vector>

#include "compiler/format/layout.h"

namespace mbc::format {

// Adds the blanks to Piece::gap.
void align(std::vector<Line>& lines);

}  // namespace mbc::format
