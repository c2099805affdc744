// SPDX-License-Identifier: Apache-2.0
// The beginning of lowering: how many of each quantity a model has, and what its rows are for.
#pragma once
#include "compiler/lower/system.h"

namespace mbc::lower {

// Returns a system without parts.
[[nodiscard]] System sized_system(const sema::Model& model);

}  // namespace mbc::lower
