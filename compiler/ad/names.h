// SPDX-License-Identifier: Apache-2.0
// The names of the expression graph that this folder uses throughout.
#pragma once
#include "compiler/graph/graph.h"

namespace mbc::ad {

using graph::Graph;
using graph::LeafKind;
using graph::Node;
using graph::NodeId;
using graph::Op;

}  // namespace mbc::ad
