// SPDX-License-Identifier: Apache-2.0
// Measures the time from the text to the first right-hand side and to native code for models of several sizes
// (docs/benchmarks.md, "Compile to first step"), for bench/compile.cpp and bench/targets.cpp.
#pragma once
#include <string>
#include <vector>

namespace mbc::bench {

struct FirstStep {  // the least times in seconds
  std::string name;
  double asked = 0;
  double kernel = 0;       // the stages of the compiler
  double interpreted = 0;  // the default of a run
  double native = 0;       // `--native` with an empty cache
  double cached = 0;       // `--native` with a filled cache
  double difference = 0;   // difference of the first derivatives between native code and the interpreter
};

// Measures each model several times with a cache of its own.
std::vector<FirstStep> measure_first_steps();

}  // namespace mbc::bench
