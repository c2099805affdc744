// SPDX-License-Identifier: Apache-2.0
// What redundant rows cost: models with one redundant row in a hundred beside the same models without them. What
// bench/targets.cpp times.
#pragma once
#include <string>
#include <vector>

#include "jit/engine.h"

namespace mbc::bench {

struct RedundantSeconds {
  struct Costs {
    std::size_t rows = 0;
    double stage = 0;  // a call of what the inner stages of an integrator call
    double rhs = 0;    // a call of what accepted states call
    double step = 0;   // of a run, kept on its constraints
  };
  std::string name;
  Costs independent, redundant;
  double difference = 0;  // of the derivatives
};

// A chain of rods, which runs in lanes, and a net of rods, which does not. Throws when derivatives differ.
std::vector<RedundantSeconds> measure_redundant(jit::Engine& engine);

}  // namespace mbc::bench
