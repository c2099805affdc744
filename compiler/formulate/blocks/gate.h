// SPDX-License-Identifier: Apache-2.0
// Blocks that most instances have nothing to do in: rows of contacts, multiplied by 0 while their sides are apart.
#pragma once
#include "compiler/formulate/blocks/names.h"

namespace mbc::formulate {

// Gives a block the gate it has: an input of each instance where what it stores are numbers known now while that input
// is 0, whatever the state. Nothing else changes.
void find_gate(Block& block);

}  // namespace mbc::formulate
