// SPDX-License-Identifier: Apache-2.0
// Equal index tables and plans of a kernel kept once.
#pragma once
#include "kernel/kernel.h"

namespace mbc::formulate {

// Functions evaluate the same families, so most of their tables are equal.
void share_words(kernel::Kernel& kernel);
// The same for the tables of one function, before others are made.
void share_words(kernel::Function& function);

}  // namespace mbc::formulate
