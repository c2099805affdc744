// SPDX-License-Identifier: Apache-2.0
// Values of expressions in drawn states, with the sizes of their terms: whether an expression vanishes everywhere.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/sema/names.h"

namespace mbc::sema {

// Returns for each of some nodes, which hold all that are below them, the size of the terms of the last sum below it.
// No size is absolute: an expression that is multiplied by a small number is as near to zero as before. The sizes of
// graph::evaluate_with_size are those of sums in sums, which grow with the depth of an expression: in a long chain of
// rotations everything would vanish.
std::vector<double> sizes_of_last_sums(const graph::Graph& g, const std::vector<NodeId>& order,
                                       const std::vector<double>& values);
// Returns for each of these nodes whether something chooses among pieces of a function below it: such an expression may
// vanish in all drawn states and not elsewhere. Pieces that parameters choose are the same in all states of one model.
enum class Pieces : std::uint8_t { of_motion, all };
std::vector<char> with_pieces(const graph::Graph& g, const std::vector<NodeId>& order, Pieces which);

}  // namespace mbc::sema
