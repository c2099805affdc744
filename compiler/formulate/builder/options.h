// SPDX-License-Identifier: Apache-2.0
// What can be chosen of a kernel, and what comes out.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compiler/formulate/blocks/names.h"
#include "compiler/formulate/formulations/formulation.h"
#include "compiler/formulate/solve/inertia_rows.h"
#include "kernel/limits.h"

namespace mbc::formulate {

using kernel::kMaxDenseRows;

// A constant direction c of the speeds whose momentum c.dT/du is conserved.
using Direction = std::vector<std::pair<std::uint32_t, double>>;

// How looped kernels solve: as is cheaper, or as said.
enum class LinearSolve : std::uint8_t { automatic, dense, sparse };

struct FormulateOptions {
  const Formulation* formulation = &kUdwadiaKalaba;
  std::vector<Direction> momenta;  // for methods that use them
  InertiaRows inertia_rows = InertiaRows::structure;
  // Unrolled up to this many estimated operations, loops and calls of the solves above.
  std::uint64_t unrolled_limit = 6000;
  LinearSolve linear = LinearSolve::automatic;
  bool lanes = true;  // long and thin systems have a `fast_rhs` in lanes, and are looped for the rest
  // Unrolled kernels also have step_rates, step_position and step_velocity, where they can be had (step.h).
  bool step_parts = false;
  // Rows of contacts are off whenever accelerations are asked for: sparse looped kernels leave them out everywhere but
  // in functions of their own, `contact_rows` (as `assemble`) and `contact_residuals`. Nothing else writes their places
  // in A, b and the residuals of positions and velocities.
  bool contacts_apart = false;
  // b with Baumgarte's terms (lower/baumgarte.h), in all functions.
  bool baumgarte = false;
};

struct Formulated {
  kernel::Kernel kernel;
  SystemLayout layout;
  bool unrolled = true;
  std::string too_large;         // why there is no kernel, for models that would not fit into memory
  std::uint32_t operations = 0;  // of rhs
};

}  // namespace mbc::formulate
