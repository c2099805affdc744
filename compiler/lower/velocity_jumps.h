// SPDX-License-Identifier: Apache-2.0
// Speeds that change in no time: by impulses, impacts, and rows that an event switches on. What a jump du of the speeds
// costs is M du = J + A' L with M and A of the instant. That is the balance of momenta where these are linear in the
// speeds, T_u = M u + N, and rows are A u + c = 0 with M and A free of speeds; where they are not, M and A change
// within the jump, and the balance is another one.
#pragma once
#include "base/diagnostics/diagnostic.h"
#include "compiler/lower/system.h"

namespace mbc::lower {

// The first part of a system whose inertia depends on the speeds; null: none.
const Part* inertia_of_speeds(const System& system);

// What changes speeds at once in a model of which that is not known is refused where it is written.
void check_velocity_jumps(const sema::Model& model, const System& system, Sink& sink);

}  // namespace mbc::lower
