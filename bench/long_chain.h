// SPDX-License-Identifier: Apache-2.0
// Measures long chains by mbc and the hand-written chain in eight lanes at one state, for bench/lanes.cpp and
// bench/targets.cpp.
#pragma once
#include "jit/engine.h"

namespace mbc::bench {

// The times are those of one call of three functions. The inner stages of an integrator call `fast_rhs`. Accepted
// states call `fast_full` if all rows are well separated, or `rhs` if the model has no such function. The last one is
// `rhs`.
struct LongChainSeconds {
  double by_hand = 0, stage = 0, accepted = 0, rhs = 0;
};

struct LongChain {
  LongChainSeconds seconds;
  double difference = 0;  // difference of the accelerations from those of the hand-written chain
  bool laned = false;
};

// Throws if the accelerations differ from those of the hand-written chain.
LongChain measure_long_chain(int rods, jit::Engine& engine);

}  // namespace mbc::bench
