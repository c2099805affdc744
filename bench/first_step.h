// From text to the first right-hand side, and to native code, for models of several sizes (docs/benchmarks.md).
#pragma once

namespace mbc::bench {

// Each is measured a few times and the least is taken; prints a table.
void print_first_steps();

}  // namespace mbc::bench
