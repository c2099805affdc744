// SPDX-License-Identifier: Apache-2.0
// Runs SUNDIALS' explicit methods (ARKODE, ERKStep) as a yardstick for the methods with adaptive steps. They use the
// same compiled kernel as a host would (RhsFunction).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mbc/mbc.h"

namespace mbc::bench {

struct ArkodeProblem {
  RhsFunction rhs;
  std::vector<double> start;
  // The first `controlled` entries are subject to error control; the work integrals are not.
  std::size_t controlled = 0;
  double begin = 0, end = 1;
};

struct ArkodeRun {
  std::vector<double> state;
  std::uint64_t evaluations = 0;
};

// Integrates with ARKODE's default table of the order (8: Fehlberg 13-7-8, 5: Cash-Karp 6-4-5) and rtol = atol =
// tolerance. The time includes creating and freeing the memory. The function throws ARKODE's message if the run fails.
ArkodeRun run_arkode(const ArkodeProblem& problem, int order, double tolerance);

}  // namespace mbc::bench
