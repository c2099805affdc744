// SPDX-License-Identifier: Apache-2.0
// The value of an expression at rest, where only t changes.
#pragma once
#include "compiler/lower/names.h"

namespace mbc::lower {

// Sets all speeds to 0. 0/x becomes 0: where x vanishes, the expression itself is not finite.
NodeId at_rest(Graph& g, NodeId e);

}  // namespace mbc::lower
