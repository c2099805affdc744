// SPDX-License-Identifier: Apache-2.0
// The symbols of expressions: their names, which decide the order of terms and factors, and the nodes of the graph that
// they stand for.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/reading/expression.h"

namespace mbc::reading {

class Symbols {
 public:
  // A symbol for a leaf, or for any other node that is to be written as a name (an entry of a rotation matrix).
  std::uint32_t add(graph::NodeId node, std::string name);
  // A symbol of its own: a named subexpression.
  std::uint32_t add(std::string name);

  void rename(std::uint32_t symbol, std::string name) { names_[symbol] = std::move(name); }

  [[nodiscard]] std::optional<std::uint32_t> of(graph::NodeId node) const;
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(names_.size()); }
  // The name terms are sorted by; whoever prints may use others.
  [[nodiscard]] const std::string& name(std::uint32_t symbol) const { return names_[symbol]; }
  [[nodiscard]] const std::unordered_map<std::uint32_t, std::uint32_t>& of_nodes() const { return of_node_; }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::uint32_t, std::uint32_t> of_node_;
};

// Below, equal or above zero as the first is read before, is, or is read after the second. Digits within names are
// compared as numbers: th2 stands before th10.
int compare_names(std::string_view a, std::string_view b);
int compare(const Expression& a, const Expression& b, const Symbols& symbols);
// Puts the terms of a sum, the factors of a product or the arguments of a commutative call into their order. Their own
// parts are in order already.
Expression arranged(Expression e, const Symbols& symbols);

}  // namespace mbc::reading
