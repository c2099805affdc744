// A factor that all entries of a row share. The row e(q) = f(s(q)) - c has A = f' J_s and b = f' (b_s - f''/f' s'^2):
// divided by f' it is what a specialist would have written, and the square root of a distance is gone.
#pragma once
#include <optional>
#include <span>

#include "compiler/graph/graph.h"

namespace mbc::formulate {

// `value` divided by `factor`, where that needs no division by it; exact but for rounding.
std::optional<graph::NodeId> divided(graph::Graph& g, graph::NodeId value, graph::NodeId factor);

// A node that divides all values and is zero nowhere, constants last; nothing when there is none left.
std::optional<graph::NodeId> common_factor(const graph::Graph& g, std::span<const graph::NodeId> values);

// Whether b = -a by their form.
bool opposite(const graph::Graph& g, graph::NodeId a, graph::NodeId b);

}  // namespace mbc::formulate
