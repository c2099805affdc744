// SPDX-License-Identifier: Apache-2.0
// Compares the spatial triple pendulum of free bodies on ball joints with a hand-written kernel, for each
// representation of the rotations. bench/w2.cpp and bench/targets.cpp use the results.
#pragma once
#include <string>
#include <vector>

#include "jit/engine.h"

namespace mbc::bench {

struct BodiesSeconds {
  std::string bodies;         // quaternion, natural or euler_parameters
  double rhs = 0, stage = 0;  // seconds per call
  double difference = 0;  // difference of the accelerations of the mass centres from those of the hand-written kernel
};
struct TriplePendulumSeconds {
  double by_hand = 0;
  std::vector<BodiesSeconds> mbc;
};

// Measures one right-hand side with the same state in every call. Throws if the accelerations differ from those of the
// hand-written kernel, or those of `fast_rhs` from those of `rhs`. If `engine` is null, everything is interpreted.
TriplePendulumSeconds measure_triple_pendulum(jit::Engine* engine);

}  // namespace mbc::bench
