// SPDX-License-Identifier: Apache-2.0
// A step of Runge and Kutta's method as one function: the rates, the sums, quaternions brought to norm 1 and one Newton
// step onto the position- and onto the velocity-level rows. Either the whole step, for eight members of a sweep at
// once, in the lanes of one block, and then entry i of an array of one member lies at [8 i + lane] of theirs; or, for a
// run by itself, what follows the rates at the accepted state, which the run has looked at.
//
// It does what the loop of a run does where nothing stands out, with the same roundings: all rows certified and far
// from depending on each other, residuals small enough for one Newton step, everything finite. Where that is
// not so the verdict says it, and the step is taken in pieces (runtime/run/batch.h,
// runtime/step/fused_step.h).
#pragma once
#include <optional>

#include "compiler/formulate/blocks/names.h"
#include "kernel/step_function.h"

namespace mbc::formulate {

using kernel::kStepLanes;
using kernel::StepFunction;
using kernel::StepShape;

// The step of a kernel with step_parts (FormulateOptions); empty if it has none, or if the step would be too long.
std::optional<StepFunction> rk4_in_lanes(const kernel::Kernel& kernel, const SystemLayout& layout,
                                         const StepShape& shape);
// The same; of `shape` the extremes and what is recorded are left alone.
std::optional<StepFunction> rk4_after_rates(const kernel::Kernel& kernel, const SystemLayout& layout,
                                            const StepShape& shape);

}  // namespace mbc::formulate
