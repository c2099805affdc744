// SPDX-License-Identifier: Apache-2.0
// The derivative rules of every operation, on which forward mode is built.
#pragma once
#include "compiler/ad/names.h"

namespace mbc::ad {

// First and second partial derivatives of v = op(a, b) as nodes; an invalid id is a structural zero.
struct Partials {
  NodeId a, b;
  NodeId aa, ab, bb;
};

// Handles smooth operations only. Piecewise ones (abs, sign, floor, min, max, select, comparisons, logic) have their
// own rule in forward.cpp: the derivative of the chosen piece. `second` also fills aa, ab, bb.
Partials partials(Graph& g, NodeId node, bool second);

}  // namespace mbc::ad
