// SPDX-License-Identifier: Apache-2.0
// The memory of a model while it grows and when it is complete.
#pragma once
#include "compiler/sema/expansion/items.h"
#include "compiler/sema/model.h"

namespace mbc::sema {

// Reserves memory. The numbers are exact for free particles, single rows and inequalities, the bulk of the largest
// models, so that nothing is moved while they grow.
void reserve(Model& model, const Items& items);

// Gives back spare memory; nothing is added afterwards.
void settle(Model& model);

}  // namespace mbc::sema
