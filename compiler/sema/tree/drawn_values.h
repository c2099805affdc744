// SPDX-License-Identifier: Apache-2.0
// Values of expressions in drawn states, with the sizes of their terms: whether an expression vanishes everywhere.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/sema/names.h"

namespace mbc::sema {

// Returns the value of a leaf in a drawn state. The values go to both sides of zero and beyond half a turn: where a
// sign is lost, or an angle loses its turns, another number comes out.
double drawn_leaf(const Node& leaf, int state);

// Returns where each of some nodes is in their list, which is ascending, by its number in the graph.
std::vector<std::size_t> places(const std::vector<NodeId>& order);
// Returns for each of some nodes, which hold all that are below them, the size of the terms of the last sum below it.
// No size is absolute: an expression that is multiplied by a small number is as near to zero as before. The sizes of
// graph::evaluate_with_size are those of sums in sums, which grow with the depth of an expression: in a long chain of
// rotations everything would vanish.
std::vector<double> sizes_of_last_sums(const graph::Graph& g, const std::vector<NodeId>& order,
                                       const std::vector<double>& values);
// Returns for each of these nodes whether something below it may be constant in all drawn states and not elsewhere:
// pieces of a function, a function that saturates, a table. What parameters alone choose is the same in all states of
// one model.
enum class Beyond : std::uint8_t { of_motion, all };
std::vector<char> beyond_draws(const graph::Graph& g, const std::vector<NodeId>& order, Beyond which);

}  // namespace mbc::sema
