// SPDX-License-Identifier: Apache-2.0
// The properties of a system that decide which formulations apply.
#pragma once
#include "compiler/formulate/blocks/names.h"
#include "compiler/formulate/formulations/formulation.h"

namespace mbc::formulate {

// Returns the properties; `momenta` is left at 0.
SystemFacts facts_of(const System& system);

}  // namespace mbc::formulate
