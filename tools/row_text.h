// SPDX-License-Identifier: Apache-2.0
// A constraint row explained: its statement, its derivation as on paper, its numbers, what it depends on.
#pragma once
#include <string>

#include "mbc/mbc.h"

namespace mbc::tools {

// `rows` are those of the simulation at the state in question, and `name` is one of them. `index` finds the declaration
// that the row belongs to; it may be null. `places`: with file, line and column of its statement.
[[nodiscard]] std::string row_text(Simulation& simulation, const RowSet& rows, const std::string& name,
                                   const SourceIndex* index, bool places);

}  // namespace mbc::tools
