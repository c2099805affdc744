// SPDX-License-Identifier: Apache-2.0
// What of a system decides which formulations apply.
#pragma once
#include "compiler/formulate/blocks/names.h"
#include "compiler/formulate/formulations/formulation.h"

namespace mbc::formulate {

// `momenta` is left at 0.
SystemFacts facts_of(const System& system);

}  // namespace mbc::formulate
