// SPDX-License-Identifier: Apache-2.0
// How the programs without Google Benchmark measure: least of many short turns, all subjects of a comparison taking
// turns in one process, so that a slow phase of the machine meets all of them. The ratio is that of the least times.
#pragma once
#include <functional>
#include <vector>

namespace mbc::bench {

double now();  // seconds, of a clock that does not jump

// Keeps the compiler from seeing through the arrays.
inline void touch(const double* values) { asm volatile("" : : "g"(values) : "memory"); }

using Work = std::function<void(int count)>;  // does something `count` times

// Least seconds of one time, for each; a turn is at least a millisecond long.
std::vector<double> take_turns(const std::vector<Work>& all, int turns = 100);

}  // namespace mbc::bench
