// SPDX-License-Identifier: Apache-2.0
// Derivative rules of every operation: the one list forward mode is built on.
#pragma once
#include "compiler/ad/names.h"

namespace mbc::ad {

// First and second partial derivatives of v = op(a, b) as nodes; an invalid id is a structural zero.
struct Partials {
  NodeId a, b;
  NodeId aa, ab, bb;
};

// Smooth operations only; piecewise ones (abs, sign, floor, min, max, select, comparisons, logic) have their own rule
// in forward.cpp: the derivative of the piece that is chosen. `second` also fills aa, ab, bb.
Partials partials(Graph& g, NodeId node, bool second);

}  // namespace mbc::ad
