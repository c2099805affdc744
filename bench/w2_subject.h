// SPDX-License-Identifier: Apache-2.0
// The spatial triple pendulum of free bodies on ball joints by representation of their rotations, beside a kernel
// written by hand: what bench/w2.cpp and bench/targets.cpp time.
#pragma once
#include <string>
#include <vector>

#include "jit/engine.h"

namespace mbc::bench {

struct BodiesSeconds {
  std::string bodies;         // quaternion, natural, euler_parameters
  double rhs = 0, stage = 0;  // a call
  double difference = 0;      // of the accelerations of the mass centres, from those by hand
};
struct TriplePendulumSeconds {
  double by_hand = 0;
  std::vector<BodiesSeconds> mbc;
};

// One right-hand side; the same state in every call. Throws when accelerations are not those by hand, or those of
// `fast_rhs` not those of `rhs`. `engine` may be null: then everything is interpreted.
TriplePendulumSeconds measure_triple_pendulum(jit::Engine* engine);

}  // namespace mbc::bench
