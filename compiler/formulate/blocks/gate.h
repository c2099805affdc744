// SPDX-License-Identifier: Apache-2.0
// Gates of blocks that do nothing in most instances: rows of contacts are multiplied by 0 while the contact is open.
#pragma once
#include "compiler/formulate/blocks/names.h"

namespace mbc::formulate {

// Finds the gate of a block: an input of each instance such that all stored values are known numbers while this input
// is 0, whatever the state. Nothing else of the block changes.
void find_gate(Block& block);

}  // namespace mbc::formulate
