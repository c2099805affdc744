// SPDX-License-Identifier: Apache-2.0
// Speeds that change instantaneously: by impulses, impacts, and rows that an event switches on. A jump du of the speeds
// follows from M du = J + A' L with M and A of the instant. That is the balance of momenta if these are linear in the
// speeds, T_u = M u + N, and rows are A u + c = 0 with M and A free of speeds. Otherwise M and A change within the
// jump, and the balance is another one.
#pragma once
#include "base/diagnostics/diagnostic.h"
#include "compiler/lower/system.h"

namespace mbc::lower {

// Returns the first part of a system whose inertia depends on the speeds; null if there is none.
const Part* inertia_of_speeds(const System& system);

// Reports every statement that makes speeds jump in a model whose balance is not known.
void check_velocity_jumps(const sema::Model& model, const System& system, Sink& sink);

}  // namespace mbc::lower
