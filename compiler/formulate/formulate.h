// SPDX-License-Identifier: Apache-2.0
// System to kernel: the equations of motion by the generalised inverse, as functions
//
//   rhs        q', u', work rates; multipliers and pivots
//   fast_rhs   the derivatives only, in less time, or kGaveUp (kernel/kernel.h); systems that have one
//   assemble   A, b, M, f: for certification, projection, the literal formula and the robust solve
//   residuals  position- and velocity-level residuals of the rows
//   correct_position, correct_velocity
//              residuals, |G_k|^2 and the smallest mass-weighted displacement w with A w = -residual (mask: rows to
//              meet)
//   constraint_power
//              power of the constraint forces from given multipliers
//   rates, expand, rhs_quasi
//              of formulations in independent speeds (formulation.h: Solve::maggi, Solve::projected): A, c, Y, Z, M, N
//              at a state; u from [q; y; s]; the rate of [q; y; s]
//   nonideal   f + C, C the forces of `nonideal` blocks at the multipliers in "ideal" (models that have them)
//   outputs    energies and the user's outputs (reads u' and the multipliers that rhs left)
#pragma once
#include <string>

#include "compiler/formulate/formulations/formulation.h"
#include "compiler/lower/system.h"
#include "kernel/kernel.h"
#include "kernel/layout.h"
#include "kernel/limits.h"

namespace mbc::formulate {

using kernel::kMaxDenseRows;
using kernel::QuasiLayout;
using kernel::SystemLayout;

// A constant direction c of the speeds whose momentum c.dT/du is conserved.
using Direction = std::vector<std::pair<std::uint32_t, double>>;

// Which rows are added to the mass matrix before it is inverted: those its structure asks for (Euler parameters,
// coordinates without inertia), or also all rows of representations, or all rows. More rows than needed change nothing
// but the cost.
enum class InertiaRows : std::uint8_t { structure, representations, all };

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
  // Straight-line kernels also have step_rates, step_position and step_velocity, where they can be had (step.h).
  bool step_parts = false;
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

// What of the system decides which methods apply (`momenta` is left at 0).
SystemFacts facts_of(const lower::System& system);

Formulated formulate(const lower::System& system, const FormulateOptions& options = {});

}  // namespace mbc::formulate
