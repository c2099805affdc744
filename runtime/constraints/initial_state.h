// SPDX-License-Identifier: Apache-2.0
// Whether a state satisfies the constraints at the start of a run, and what is said when it does not: a table of
// constraints and residuals, and the smallest mass-weighted correction. Soft values have been moved before
// (assembly.h). States are y = [q; u; s], times in s.
#pragma once
#include <optional>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "runtime/constraints/assembly.h"

namespace mbc::runtime {

// A state is taken as it is when its scaled residuals are below this, relative to its largest coordinate or speed
// (absolute below 1): users write as many digits of sqrt(2)/2.
inline constexpr double kInitialTolerance = 1e-9;

struct InitialCheck {
  enum class Outcome : std::uint8_t { met, assembled, off, undefined, interrupted } outcome = Outcome::met;
  std::optional<Diagnostic> diagnostic;  // off, undefined
  double moved[2] = {0, 0};              // assembled: mass-weighted, positions and velocities
};

// assemble: the smallest correction is accepted, and y becomes the corrected state; else y stays as it is. Hard
// expressions of `problem` are met like rows. Where the projection finds nothing, the assembly searches with everything
// soft before anything is said to contradict.
InitialCheck check_initial_state(Equations& equations, const problem::Problem& info, ConstraintProjector& projector,
                                 double t, std::vector<double>& y, bool assemble, const AssemblyProblem& problem = {});

// Largest |e|/|G| of both levels within the tolerance; false also when they are not finite.
bool meets_constraints(Equations& equations, ConstraintProjector& projector, double t, const std::vector<double>& y);

// Notes of a diagnostic: the residuals of rows that are not met at y, and what a correction changes.
struct RowsOff {
  std::vector<int> rows;
  std::vector<std::string> table;
};
RowsOff rows_off(Equations& equations, const problem::Problem& info, double t, const std::vector<double>& y);
std::vector<std::string> correction_table(const problem::Problem& info, const std::vector<double>& before,
                                          const std::vector<double>& after);

// A name in backticks; "constraint in line 3" stays as it is.
std::string quoted_name(const std::string& name);
std::vector<std::string> text_lines(const std::string& text);
// "a, b and 3 more" of at most `most` names.
std::string some_of(const std::vector<std::string>& names, std::size_t most = 5);

}  // namespace mbc::runtime
