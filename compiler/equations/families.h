// SPDX-License-Identifier: Apache-2.0
// Equations that differ by an index only, as one equation: what the model writes `for i in 2..n` is read so.
#pragma once
#include <utility>
#include <vector>

#include "compiler/equations/drafts.h"

namespace mbc::equations {

// The leaves that stand for names with an index, such as p[i-1].x, in the equations that were made.
using IndexedLeaves = std::vector<std::pair<NodeId, reading::SymbolName>>;

// Puts the first of each family in the place of its members, with names in the index, and gives it its range. A family
// has three members or more, whose indices follow each other; every name in them is the same or moves with an index.
// `names` has the names of leaves that the model does not know.
[[nodiscard]] IndexedLeaves merge_families(std::vector<DraftSection>& sections, WrittenSystem& written,
                                           const LeafNames& names);

}  // namespace mbc::equations
