// Equal index tables and plans of a kernel kept once.
#pragma once
#include "runtime/kernel.h"

namespace mbc::formulate {

// Functions evaluate the same families, so most of their tables are equal.
void share_words(kernel::Kernel& kernel);

}  // namespace mbc::formulate
