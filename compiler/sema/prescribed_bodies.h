// SPDX-License-Identifier: Apache-2.0
// Finds the declared places that an `init` block sets free.
#pragma once
#include <vector>

#include "compiler/sema/model.h"
#include "compiler/sema/names.h"

namespace mbc::sema {

// `said` are expressions of positions that got values in `init`, as `j.angle = 20 [deg]`. Particles and bodies that
// constraints or joints of a tree tie to them, through any number of bodies, follow: their coordinates become soft
// unless `init` gives them values. So do those that initial targets of a tree need.
void free_prescribed(Model& model, std::vector<NodeId> said);

}  // namespace mbc::sema
