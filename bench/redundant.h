// SPDX-License-Identifier: Apache-2.0
// Measures the cost of redundant rows for bench/targets.cpp: models with one redundant row in a hundred are compared
// with the same models without them.
#pragma once
#include <string>
#include <vector>

#include "jit/engine.h"

namespace mbc::bench {

struct RedundantSeconds {
  struct Costs {
    std::size_t rows = 0;
    double stage = 0;  // one call of the function that the inner stages of an integrator use
    double rhs = 0;    // one call of the function that accepted states use
    double step = 0;   // one step of a run that stays on its constraints
  };
  std::string name;
  Costs independent, redundant;
  double difference = 0;  // difference of the derivatives
};

// Measures a chain of rods, which runs in lanes, and a net of rods, which does not. Throws if the derivatives differ.
std::vector<RedundantSeconds> measure_redundant(jit::Engine& engine);

}  // namespace mbc::bench
