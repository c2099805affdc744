// SPDX-License-Identifier: Apache-2.0
// Unrolled kernels of the formulations that routines of the support library solve: `rhs` as `assemble`, calls, and the
// power of the constraints; and the functions in independent speeds.
#pragma once
#include "compiler/formulate/unrolled/unrolled.h"

namespace mbc::formulate {

// Data of the functions, all of it on `g`.
struct UnrolledParts {
  Graph& g;
  const UnrolledValues& values;
  const LinearSystem& linear;
};

// The kernel has `assemble` and `constraint_power` already. `rhs` becomes the first of its functions.
void add_functions_by_calls(KernelBuilder& b, const UnrolledParts& parts);

// Returns the stores of f + C, with the ideal multipliers in work.
std::vector<Store> nonideal_stores(const KernelBuilder& b, const UnrolledParts& parts);

}  // namespace mbc::formulate
