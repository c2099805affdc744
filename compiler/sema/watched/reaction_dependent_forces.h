// SPDX-License-Identifier: Apache-2.0
// Loads that hold multipliers, which depend on them: `force drag on p: -0.3*abs(wire.lambda)*ex`. Each component of
// such a load is a held value; what is written is a value behind the outputs, with its derivatives by the multipliers.
#pragma once
#include "compiler/sema/model.h"

namespace mbc::sema {

// Components of a load that hold multipliers become held values.
void hold_multiplier_loads(Model& model, Value& load, const std::string& name, Span span);
// When all loads and frictions are known, and the kinks in them: as the run sees them.
void finish_multiplier_loads(Model& model);

}  // namespace mbc::sema
