// SPDX-License-Identifier: Apache-2.0
// The limit of a friction at rest.
#pragma once
#include <span>

#include "compiler/sema/names.h"

namespace mbc::sema {

// Returns a limit that jumps with its slip (`if p.vx > 0 then 0.5 else 2`) for the slip 0. That limit holds at rest,
// whatever rounding leaves of the slip. Other limits are returned as they are.
NodeId at_no_slip(graph::Graph& g, NodeId limit, std::span<const NodeId> slip);

}  // namespace mbc::sema
