// SPDX-License-Identifier: Apache-2.0
// Removes duplicates among the index tables and plans of a kernel.
#pragma once
#include "kernel/kernel.h"

namespace mbc::formulate {

// Removes duplicate tables of a kernel. Functions evaluate the same families, so most of their tables are equal.
void deduplicate_tables(kernel::Kernel& kernel);
// Does the same for the tables of one function, before others are made.
void deduplicate_tables(kernel::Function& function);

}  // namespace mbc::formulate
