// SPDX-License-Identifier: Apache-2.0
// Equal index tables and plans of a kernel kept once.
#pragma once
#include "kernel/kernel.h"

namespace mbc::formulate {

// Functions evaluate the same families, so most of their tables are equal.
void deduplicate_tables(kernel::Kernel& kernel);
// The same for the tables of one function, before others are made.
void deduplicate_tables(kernel::Function& function);

}  // namespace mbc::formulate
