// SPDX-License-Identifier: Apache-2.0
// Options of a kernel, and the result of the formulation.
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

// The linear solve of looped kernels; `automatic` takes the cheaper one.
enum class LinearSolve : std::uint8_t { automatic, dense, sparse };

struct FormulateOptions {
  const Formulation* formulation = &kUdwadiaKalaba;
  std::vector<Direction> momenta;  // for formulations that use them
  InertiaRows inertia_rows = InertiaRows::structure;
  // Kernels are unrolled up to this many estimated operations; larger ones are loops and calls of the solves above.
  std::uint64_t unrolled_limit = 6000;
  LinearSolve linear = LinearSolve::automatic;
  bool lanes = true;  // long and thin systems have a `fast_rhs` in lanes; their other functions are looped
  // Unrolled kernels also have step_rates, step_position and step_velocity, if these exist (step.h).
  bool step_parts = false;
  // Contact rows are off in every evaluation of accelerations. Sparse looped kernels leave them out everywhere except
  // in separate functions, `contact_rows` (like `assemble`) and `contact_residuals`. Nothing else writes their places
  // in A, b and the residuals of positions and velocities.
  bool contacts_apart = false;
  // All functions use b with Baumgarte's terms (lower/baumgarte.h).
  bool baumgarte = false;
};

struct Formulated {
  kernel::Kernel kernel;
  SystemLayout layout;
  bool unrolled = true;
  std::string too_large;         // why there is no kernel, if it would not fit into memory
  std::uint32_t operations = 0;  // number of operations of rhs
};

}  // namespace mbc::formulate
