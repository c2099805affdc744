// SPDX-License-Identifier: Apache-2.0
// Columns that the writer lined up: kept lined up, with as few blanks as that needs.
#pragma once
#include <vector>

#include "compiler/format/layout.h"

namespace mbc::format {

// Adds to Piece::gap.
void align(std::vector<Line>& lines);

}  // namespace mbc::format
