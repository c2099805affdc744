// SPDX-License-Identifier: Apache-2.0
// Long chains by mbc beside the chain by hand in eight lanes, on one state: what bench/lanes.cpp and bench/targets.cpp
// time.
#pragma once
#include "jit/engine.h"

namespace mbc::bench {

// A call of `fast_rhs`, which the inner stages of an integrator make; of `fast_full`, which accepted states make where
// all rows stand apart (where there is none: `rhs`); and of `rhs`.
struct LongChainSeconds {
  double by_hand = 0, stage = 0, accepted = 0, rhs = 0;
};

struct LongChain {
  LongChainSeconds seconds;
  double difference = 0;  // of the accelerations, from those by hand
  bool laned = false;
};

// Throws when accelerations are not those by hand.
LongChain measure_long_chain(int rods, jit::Engine& engine);

}  // namespace mbc::bench
