// SPDX-License-Identifier: Apache-2.0
// `test` blocks: each check becomes values that the kernel computes at every row of the run, and the times at which
// they are checked.
#pragma once
#include "compiler/sema/expressions/elaboration.h"

namespace mbc::sema {

// Reads all `test` blocks of a file. It runs after everything else: a test may use outputs and `simulate` blocks
// further down.
void read_tests(Elaboration& shared, const ast::File& file);

}  // namespace mbc::sema
