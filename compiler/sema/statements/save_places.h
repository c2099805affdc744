// SPDX-License-Identifier: Apache-2.0
// Resolves the `save` of `simulate` blocks.
#pragma once
#include "compiler/sema/elaborate.h"
#include "compiler/sema/modules.h"

namespace mbc::sema {

// Resolves the paths as written. Reports places outside the model's folder, files of the model itself, and formats that
// cannot be written.
void find_save_places(Model& model, const SourceSet& sources, const ModuleSet& modules, Sink& sink);

}  // namespace mbc::sema
