// SPDX-License-Identifier: Apache-2.0
// The value of an expression when nothing moves but t.
#pragma once
#include "compiler/graph/graph.h"

namespace mbc::lower {

// All speeds are 0. 0/x is 0 here: where x vanishes, the expression itself is not finite.
graph::NodeId at_rest(graph::Graph& g, graph::NodeId e);

}  // namespace mbc::lower
