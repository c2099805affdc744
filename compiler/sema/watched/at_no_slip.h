// SPDX-License-Identifier: Apache-2.0
// The limit of a friction where nothing slips.
#pragma once
#include <span>

#include "compiler/sema/names.h"

namespace mbc::sema {

// Where a limit jumps with its slip (`if p.vx > 0 then 0.5 else 2`): the limit with the slip 0, which is what holds at
// rest whatever rounding leaves of the slip. Another limit as it is.
NodeId at_no_slip(graph::Graph& g, NodeId limit, std::span<const NodeId> slip);

}  // namespace mbc::sema
