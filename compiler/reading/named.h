// SPDX-License-Identifier: Apache-2.0
// Several expressions together, with names for what repeats in long ones.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "compiler/reading/simplify.h"

namespace mbc::reading {

inline constexpr std::size_t kLine = 100;  // characters of a line

struct Definition {
  std::uint32_t symbol;
  Simplified value;
};
// Definitions come before what uses them.
struct Page {
  std::vector<Definition> definitions;
  std::vector<Simplified> expressions;  // one for every node
};

// The nodes, simplified. What stands more than once, and at least once in an expression longer than a line, is given a
// name: the prefix and a number (the prefix is repeated where others have such names). No name is used only
// once, but for pieces of what is nested or long beyond the limits of simplify.h. What is long without repetitions
// stays: a printer breaks lines at its terms. `symbols` gets the new names.
Page named(const graph::Graph& graph, std::span<const graph::NodeId> nodes, Symbols& symbols,
           const std::string& prefix = "z");

}  // namespace mbc::reading
