// SPDX-License-Identifier: Apache-2.0
// Refuses, before the passes, `simulate` blocks whose formulation or integrator does not suit the model.
#pragma once
#include <cstddef>
#include <functional>

#include "base/diagnostics/diagnostic.h"
#include "compiler/formulate/formulations/formulation.h"
#include "compiler/lower/system.h"
#include "compiler/sema/model.h"

namespace mbc {

// Reports each block whose methods do not apply, at the place where they are chosen. `momenta` returns the number of
// conserved momenta that a formulation takes as rows; it is called only if the answer matters.
void check_methods(const sema::Model& model, const lower::System& system,
                   const std::function<std::size_t(const formulate::Formulation&)>& momenta, Sink& sink);

}  // namespace mbc
