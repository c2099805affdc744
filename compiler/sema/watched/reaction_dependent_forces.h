// SPDX-License-Identifier: Apache-2.0
// Loads whose expressions contain multipliers, which in turn depend on the loads: `force drag on p:
// -0.3*abs(wire.lambda)*ex`. Each component is a discrete variable. Its expression is a value behind the outputs, with
// its derivatives by the multipliers.
#pragma once
#include "compiler/sema/model.h"

namespace mbc::sema {

// Replaces the components of a load that hold multipliers by discrete variables.
void hold_multiplier_loads(Model& model, Value& load, const std::string& name, Span span);
// Runs when all loads and frictions are known, with their discontinuities, so that the values are those of the run.
void finish_multiplier_loads(Model& model);

}  // namespace mbc::sema
