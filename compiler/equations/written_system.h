// SPDX-License-Identifier: Apache-2.0
// A system with every instance of its templates written out on one graph, for readers: leaves are quantities of the
// model, and each contribution keeps the item that it is from.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "compiler/graph/replaced.h"
#include "compiler/lower/system.h"
#include "compiler/reading/names.h"
#include "compiler/reading/symbols.h"

namespace mbc::equations {

using graph::Graph;
using graph::LeafKind;
using graph::NodeId;
using lower::Target;

// One addition of an instance of a template; i and j are speeds, j <= i in entries of M.
struct Term {
  Target target{};
  const lower::Part* part = nullptr;
  std::uint32_t item = 0, i = 0, j = 0;
  NodeId value;
};

// The numbers that take the place of parameters.
using Numbers = std::map<std::uint32_t, double>;

// Expressions with other nodes in the place of some of theirs.
class Replacement {
 public:
  explicit Replacement(Graph& graph) : graph_(graph) {}

  // The first replacement of a node holds.
  void set(NodeId node, NodeId by) { known_.try_emplace(node.value, by); }
  [[nodiscard]] NodeId of(NodeId root) { return graph::replaced(graph_, root, known_); }

 private:
  Graph& graph_;
  graph::Images known_;
};

class WrittenSystem {
 public:
  // `numbers`: by parameter. Contacts are closed, piecewise functions are written out, and forces that depend on
  // reactions are written with multipliers.
  WrittenSystem(const sema::Model& model, const lower::System& system, const Numbers& numbers);

  [[nodiscard]] const sema::Model& model() const { return model_; }
  [[nodiscard]] const lower::System& system() const { return system_; }
  [[nodiscard]] Graph& graph() { return graph_; }

  // The terms of a system with the leaves of this model.
  [[nodiscard]] std::vector<Term> terms_of(const lower::System& system);
  // An expression of the model's graph.
  [[nodiscard]] NodeId written(NodeId of_model);
  [[nodiscard]] NodeId leaf(LeafKind kind, std::uint32_t index);

 private:
  void leave_tests_out(std::vector<NodeId>& nodes);

  const sema::Model& model_;
  const lower::System& system_;
  const Numbers& numbers_;
  Graph graph_;
  Replacement without_tests_{graph_};
};

// The part of gravity in f: the slopes of the potential energies of particles and bodies.
[[nodiscard]] lower::System of_gravity(const lower::System& system);

// The symbols of a document or program: their names as they are typeset, beside the nodes that they stand for.
class SymbolList {
 public:
  std::uint32_t add(NodeId node, reading::SymbolName name);
  std::uint32_t add(reading::SymbolName name);
  // Every leaf below the nodes gets its symbol, with the name that the model has for it.
  void add_leaves(const Graph& graph, const std::vector<NodeId>& nodes, const sema::Model& model);

  [[nodiscard]] const reading::Symbols& symbols() const { return symbols_; }
  [[nodiscard]] const reading::SymbolName& name(std::uint32_t symbol) const { return names_[symbol]; }
  [[nodiscard]] reading::Symbols& growing() { return symbols_; }
  // Names for symbols that were added to growing().
  void name_new_symbols();

 private:
  reading::Symbols symbols_;
  std::vector<reading::SymbolName> names_;
};

// The values of quantities where the motion begins; what is not known there is 1/2.
class StartValues {
 public:
  // `y`: coordinates, speeds and states; where it is empty the initial values count as they are written.
  explicit StartValues(const sema::Model& model, std::vector<double> y = {});
  [[nodiscard]] double of(const graph::Node& leaf) const;

 private:
  const sema::Model& model_;
  std::vector<double> parameters_, y_;
};

// "kg*m^2"; "" where the model writes no units.
[[nodiscard]] std::string unit_text(const sema::Model& model, const sema::Dimension& d);
[[nodiscard]] inline sema::Dimension power_dimension() { return sema::energy_dimension() / sema::time_dimension(); }

// "lambda" with the index "rod", "theta'".
[[nodiscard]] reading::SymbolName name_of_leaf(const sema::Model& model, LeafKind kind, std::uint32_t index);

}  // namespace mbc::equations
