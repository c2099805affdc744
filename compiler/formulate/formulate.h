// System to kernel: the equations of motion by the generalised inverse (DESIGN: udwadia_kalaba), as functions
//
//   rhs        q', u', work rates; multipliers and pivots
//   assemble   A, b, M, f: for certification, projection, the literal formula and the robust solve
//   residuals  position- and velocity-level residuals of the rows
//   correct_position, correct_velocity
//              residuals, |G_k|^2 and the smallest mass-weighted displacement w with A w = -residual (mask: rows to
//              meet)
//   constraint_power
//              power of the constraint forces from given multipliers
//   outputs    energies and the user's outputs (reads u' and the multipliers that rhs left)
#pragma once
#include "compiler/formulate/layout.h"
#include "compiler/lower/system.h"
#include "runtime/kernel.h"

namespace mbc::formulate {

enum class Solve : std::uint8_t {
  schur,     // S = A M^-1 A^T (udwadia_kalaba)
  augmented  // [M A^T; A 0] [u'; -lambda] = [f; b]
};

// Which rows are added to the mass matrix before it is inverted: those its structure asks for (Euler parameters,
// coordinates without inertia), or also all rows of representations, or all rows. More rows than needed change nothing
// but the cost.
enum class InertiaRows : std::uint8_t { structure, representations, all };

struct FormulateOptions {
  Solve solve = Solve::schur;
  InertiaRows inertia_rows = InertiaRows::structure;
  // Straight-line code up to this many estimated operations, loops and the dense routine above.
  std::uint64_t straight_limit = 6000;
  // b with Baumgarte's terms (lower/baumgarte.h), in all functions.
  bool baumgarte = false;
};

struct Formulated {
  kernel::Kernel kernel;
  SystemLayout layout;
  bool straight = true;
  std::uint32_t operations = 0;  // of rhs
};

Formulated formulate(const lower::System& system, const FormulateOptions& options = {});

}  // namespace mbc::formulate
