// SPDX-License-Identifier: Apache-2.0
// SUNDIALS' explicit methods (ARKODE, ERKStep) as a yardstick for the methods that choose their steps: on the same
// compiled kernel, as a host has it (RhsFunction).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mbc/mbc.h"

namespace mbc::bench {

struct ArkodeProblem {
  RhsFunction rhs;
  std::vector<double> start;
  std::size_t controlled = 0;  // entries, from the first, whose errors count: works do not
  double begin = 0, end = 1;
};

struct ArkodeRun {
  std::vector<double> state;
  std::uint64_t evaluations = 0;
};

// By ARKODE's default table of that order (8: Fehlberg 13-7-8, 5: Cash-Karp 6-4-5), rtol = atol = tolerance; all of it,
// from memory to memory. Throws what ARKODE says where it cannot.
ArkodeRun run_arkode(const ArkodeProblem& problem, int order, double tolerance);

}  // namespace mbc::bench
