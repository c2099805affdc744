// SPDX-License-Identifier: Apache-2.0
// From text to the first right-hand side, and to native code, for models of several sizes (docs/benchmarks.md,
// "Compile to first step"): what bench/compile.cpp and bench/targets.cpp time.
#pragma once
#include <string>
#include <vector>

namespace mbc::bench {

struct FirstStep {  // least seconds
  std::string name;
  double asked = 0;
  double kernel = 0;       // the compiler's stages
  double interpreted = 0;  // what a run does
  double native = 0;       // `--native`, nothing in the cache
  double cached = 0;       // `--native`, from the cache
  double difference = 0;   // of the first derivatives, native code from the interpreter
};

// Each is measured a few times, in a cache of its own.
std::vector<FirstStep> measure_first_steps();

}  // namespace mbc::bench
