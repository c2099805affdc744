// SPDX-License-Identifier: Apache-2.0
// Measures times in the programs without Google Benchmark. The result is the least of many short turns. All subjects of
// a comparison take turns in one process, so that a slow phase of the machine affects all of them. Ratios compare the
// least times.
#pragma once
#include <functional>
#include <vector>

namespace mbc::bench {

double now();  // seconds of a monotonic clock

// Prevents the compiler from optimising accesses to the array away.
inline void touch(const double* values) { asm volatile("" : : "g"(values) : "memory"); }

using Work = std::function<void(int count)>;  // does something `count` times

// Returns the least seconds of one repetition for each work. A turn takes at least one millisecond.
std::vector<double> take_turns(const std::vector<Work>& all, int turns = 100);

}  // namespace mbc::bench
