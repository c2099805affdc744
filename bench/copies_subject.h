// SPDX-License-Identifier: Apache-2.0
// Measures planar double pendulums as members of a sweep, eight at a time, and eight hand-written copies in lanes, for
// bench/copies.cpp and bench/targets.cpp.
#pragma once
#include <cstddef>

#include "jit/engine.h"

namespace mbc::bench {

inline constexpr int kCopies = 10'000;

// The model has a parameter `a` and the simulations `free` (stabilise = none) and `kept` (project).
extern const char* const kDoublePendulums;

struct CopiesSeconds {  // seconds for one step of the Runge-Kutta method of one copy
  double by_hand = 0, none = 0, project = 0;
  std::size_t none_instructions = 0, project_instructions = 0;
  double difference = 0;  // difference of the last states without projection
};

// Throws if the states differ from those of the hand-written copies.
CopiesSeconds measure_copies(jit::Engine& engine);

}  // namespace mbc::bench
