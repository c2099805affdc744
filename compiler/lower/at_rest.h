// SPDX-License-Identifier: Apache-2.0
// The value of an expression when nothing moves but t.
#pragma once
#include "compiler/lower/names.h"

namespace mbc::lower {

// All speeds are 0. 0/x is 0 here: where x vanishes, the expression itself is not finite.
NodeId at_rest(Graph& g, NodeId e);

}  // namespace mbc::lower
