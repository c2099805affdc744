// SPDX-License-Identifier: Apache-2.0
// Builds diagnostics that explain, in the terms of the model, why a run ends or what it warns of. Times are in s; y is
// a state [q; u; s].
#pragma once
#include <cstdint>

#include "base/diagnostics/diagnostic.h"
#include "kernel/problem/problem.h"
#include "runtime/equations/equations.h"
#include "runtime/equations/integrated_state.h"
#include "runtime/record/options.h"
#include "runtime/record/run_data.h"

namespace mbc::runtime {

// The right-hand side is not finite at an accepted state.
Diagnostic why_undefined(Equations& equations, const problem::Problem& info, double t, const double* y);
// The same inside a step, at a state of the kind that is integrated.
Diagnostic why_stage_undefined(Equations& equations, const problem::Problem& info, const IntegratedState& integrated,
                               double t, const std::vector<double>& state);
// Rows of the choice of independent speeds depend on the others at a state of either kind.
Diagnostic speeds_lost(Equations& equations, const problem::Problem& info, double t, const double* state);
// An entry of y is not finite after a step.
Diagnostic state_overflow(const problem::Problem& info, const kernel::SystemLayout& layout, std::uint32_t entry,
                          double t);
// dopri5 found no step from t, down to size h, that is accurate enough for an entry of y. `near_singular`: rows are
// nearly dependent. `projects`: states are projected onto the constraints.
Diagnostic step_too_small(const problem::Problem& info, const kernel::SystemLayout& layout, std::uint32_t entry,
                          double t, double h, bool near_singular, bool projects, bool by_sizes);
// The equations of an implicit step of size h at t were not solved. `off`: those of the constraints are among them.
Diagnostic implicit_step_unsolved(double t, double h, Span chosen, bool off);
// The steps of size h at t are limited by the stability of the method at `rate`, a rate of decay or an angular
// frequency. `entry` is the entry of y that contributes most.
Diagnostic stiff(const problem::Problem& info, const kernel::SystemLayout& layout, std::uint32_t entry, double t,
                 double rate, double h, bool vibrates);
// An expression jumps in step after step and makes an entry of y jump.
Diagnostic chattering(const problem::Problem& info, const kernel::SystemLayout& layout, std::uint32_t entry,
                      Span expression, double t);
// A coordinate grows exponentially; `doubling` is the time in which it doubles.
Diagnostic runs_away(const problem::Problem& info, const kernel::SystemLayout& layout, std::uint32_t coordinate,
                     double t, double value, double doubling);
// The energy differs from the work done, from time t on. `tolerance` is the setting that the steps follow from, or null
// if they are fixed.
Diagnostic unbalanced(double t, const EnergyBalance& balance, const char* tolerance);
// Steps of fixed size have led to an error of this part of the size of the motion; 1: as much as all of it.
Diagnostic inaccurate(double error, const SimulateOptions& options);
// Without stabilisation a row is off by `most` of the size of the model, first at t.
Diagnostic drifts_off(const problem::Problem& info, std::uint32_t row, double t, double most);
// The motion depends on the choice of multipliers. `names` lists the frictions, loads and contacts that use it.
Diagnostic shares_decide(const problem::Problem& info, const std::vector<std::string>& names);
// M with the added rows is not positive definite. Returns nothing if it is.
std::optional<Diagnostic> missing_inertia(Equations& equations, const problem::Problem& info, double t, const double* y,
                                          bool on_the_way);

}  // namespace mbc::runtime
