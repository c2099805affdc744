// SPDX-License-Identifier: Apache-2.0
// Planar double pendulums as members of a sweep, eight at a time, beside eight copies by hand in lanes: what
// bench/copies.cpp and bench/targets.cpp time.
#pragma once
#include <cstddef>

#include "jit/engine.h"

namespace mbc::bench {

inline constexpr int kCopies = 10'000;

// A parameter `a`, simulations `free` (stabilise = none) and `kept` (project).
extern const char* const kDoublePendulums;

struct CopiesSeconds {  // a copy and step of Runge and Kutta's method
  double by_hand = 0, none = 0, project = 0;
  std::size_t none_instructions = 0, project_instructions = 0;
  double difference = 0;  // of the last states without projection
};

// Throws when the states are not those by hand.
CopiesSeconds measure_copies(jit::Engine& engine);

}  // namespace mbc::bench
