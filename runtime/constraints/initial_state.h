// SPDX-License-Identifier: Apache-2.0
// Checks whether a state satisfies the constraints at the start of a run. The diagnostic of a failure contains a table
// of constraints and residuals and the smallest mass-weighted correction. Soft values have been moved before
// (assembly.h). States are y = [q; u; s], and times are in s.
#pragma once
#include <optional>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "runtime/constraints/assembly.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

struct InitialCheck {
  enum class Outcome : std::uint8_t { met, assembled, off, undefined, interrupted } outcome = Outcome::met;
  std::optional<Diagnostic> diagnostic;  // set for the outcomes off and undefined
  double moved[2] = {0, 0};              // mass-weighted corrections of positions and velocities, if assembled
};

// If `assemble` is set, the smallest correction is accepted and y becomes the corrected state. Otherwise y does not
// change. Hard expressions of `problem` are satisfied like rows. If the projection finds no state, the assembly
// searches with everything soft before a contradiction is reported.
InitialCheck check_initial_state(Equations& equations, const problem::Problem& info, ConstraintProjector& projector,
                                 double t, std::vector<double>& y, bool assemble, const AssemblyProblem& problem = {});

// Returns whether the largest |e|/|G| of both levels is within the tolerance. The result is false if it is not finite.
bool meets_constraints(Equations& equations, ConstraintProjector& projector, double t, const std::vector<double>& y);

// These notes of a diagnostic list the residuals of unsatisfied rows at y and the changes of a correction.
struct RowsOff {
  std::vector<int> rows;
  std::vector<std::string> table;
};
RowsOff rows_off(Equations& equations, const problem::Problem& info, double t, const std::vector<double>& y);
std::vector<std::string> correction_table(const problem::Problem& info, const std::vector<double>& before,
                                          const std::vector<double>& after);

// Returns a name in backticks. "constraint in line 3" stays as it is.
std::string quoted_name(const std::string& name);
std::vector<std::string> text_lines(const std::string& text);
// Returns for example "a, b and 3 more" with at most `most` names.
std::string some_of(const std::vector<std::string>& names, std::size_t most = 5);

}  // namespace mbc::runtime
