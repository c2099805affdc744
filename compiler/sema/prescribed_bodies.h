// SPDX-License-Identifier: Apache-2.0
// Which declared places an `init` block sets free.
#pragma once
#include <vector>

#include "compiler/sema/model.h"
#include "compiler/sema/names.h"

namespace mbc::sema {

// `said`: expressions of positions that got values in `init`, as `j.angle = 20 [deg]`. What constraints tie, through
// however many bodies, to something they depend on follows: the coordinates of particles and bodies there become soft,
// where `init` says nothing of them.
void free_prescribed(Model& model, const std::vector<NodeId>& said);

}  // namespace mbc::sema
