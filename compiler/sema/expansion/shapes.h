// SPDX-License-Identifier: Apache-2.0
// `shape hull on b: box(..)` and `Contact c(hull, soil)`: instances of components of stdlib/shapes.mbd. The kind of a
// shape chooses the first component, the kinds of two shapes the second.
#pragma once
#include <vector>

#include "compiler/sema/model.h"
#include "compiler/sema/scope.h"

namespace mbc::sema {

struct PairOfShapes {
  const Scope *pair = nullptr, *a = nullptr, *b = nullptr;
};

// Returns true for `Contact c(a, b)`, in a text with shapes (`shapes`) that declares no component of this name.
bool is_pair(const ast::Instance& i, const Scope& here, bool shapes);
// Places the shapes of all scopes, once their parts have values.
void place_shapes(const std::vector<const Scope*>& shapes, Model& model);
// Checks that the shapes of each pair are on parts that move against each other.
void check_pairs(const std::vector<PairOfShapes>& pairs, const Model& model, Sink& sink);

}  // namespace mbc::sema
