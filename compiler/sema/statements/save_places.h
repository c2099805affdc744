// SPDX-License-Identifier: Apache-2.0
// Where the `save` of a `simulate` block leads.
#pragma once
#include "compiler/sema/elaborate.h"
#include "compiler/sema/modules.h"

namespace mbc::sema {

// Resolves what the model writes; reports places outside its folder, files it consists of, formats that are not
// written.
void find_save_places(Model& model, const SourceSet& sources, const ModuleSet& modules, Sink& sink);

}  // namespace mbc::sema
