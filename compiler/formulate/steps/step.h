// SPDX-License-Identifier: Apache-2.0
// A step of the Runge-Kutta method as one function: the rates, the sums, quaternions normalised, and one Newton step
// onto the position-level and one onto the velocity-level rows. There are two forms: the whole step for eight members
// of a sweep at once, in the lanes of one block, where entry i of an array of one member lies at [8 i + lane]; or, for
// a single run, the part after the rates at the accepted state, which the run has examined.
//
// The function does the work of the loop of a run in the normal case, with the same roundings: all rows are certified
// and far from depending on each other, residuals are small enough for one Newton step, everything is finite. Otherwise
// the verdict reports it, and the step is made in pieces (runtime/run/batch.h, runtime/step/fused_step.h).
#pragma once
#include <optional>

#include "compiler/formulate/blocks/names.h"
#include "kernel/step_function.h"

namespace mbc::formulate {

using kernel::kStepLanes;
using kernel::StepFunction;
using kernel::StepShape;

// Returns the step of a kernel with step_parts (FormulateOptions); nothing if it has none, or if the step would be too
// long.
std::optional<StepFunction> rk4_in_lanes(const kernel::Kernel& kernel, const SystemLayout& layout,
                                         const StepShape& shape);
// Does the same; the extremes and recorded values of `shape` are ignored.
std::optional<StepFunction> rk4_after_rates(const kernel::Kernel& kernel, const SystemLayout& layout,
                                            const StepShape& shape);

}  // namespace mbc::formulate
