// SPDX-License-Identifier: Apache-2.0
// The uses of names in a text: every name, member, argument, setting and unit in its statements, with its symbol. The
// kind of an expression follows from its spelling as far as possible.
#pragma once
#include "api/index/scopes.h"

namespace mbc::api {

// Adds the uses of names in a file, whose names are `scope`, and in the files it uses.
void find_uses(const SourceSet& sources, const sema::ModuleSet& modules, const ast::File& file, NameScope& scope,
               Declarations& names, SourceIndex& out);

}  // namespace mbc::api
