// SPDX-License-Identifier: Apache-2.0
// Formulates a system as a kernel: the equations of motion by the generalised inverse, as functions
//
//   rhs        q', u', work rates; multipliers and pivots
//   fast_rhs   the derivatives only, in less time, or kGaveUp (kernel/kernel.h); systems that have one
//   assemble   A, b, M, f: for certification, projection, the literal formula and the robust solve
//   residuals  position- and velocity-level residuals of the rows
//   correct_position, correct_velocity
//              residuals, |G_k|^2 and the smallest mass-weighted displacement w with A w = -residual (mask: rows that
//              are corrected)
//   constraint_power
//              power of the constraint forces from given multipliers
//   rates, expand, rhs_quasi
//              for formulations in independent speeds (formulation.h: Solve::maggi, Solve::projected): A, c, Y, Z, M, N
//              at a state; u from [q; y; s]; the rate of [q; y; s]
//   nonideal   f + C, C the forces of `nonideal` blocks at the multipliers in "ideal" (models that have them)
//   outputs    energies and the user's outputs (reads u' and the multipliers that rhs computed)
#pragma once
#include "compiler/formulate/blocks/names.h"
#include "compiler/formulate/builder/options.h"
#include "compiler/formulate/builder/system_facts.h"

namespace mbc::formulate {

Formulated formulate(const System& system, const FormulateOptions& options = {});

}  // namespace mbc::formulate
