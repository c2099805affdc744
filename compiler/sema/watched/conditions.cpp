// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/watched/conditions.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace mbc::sema {

namespace {

bool goes_in_steps(Op op) { return kernel::jumps(op) || kernel::is_truth(op); }

bool joins(Op op) { return kernel::is_truth(op) && !kernel::is_comparison(op); }

class ConditionTerms {
 public:
  ConditionTerms(Model& model, Sink& sink) : model_(model), sink_(sink) {}
  // Returns nothing and reports numbers that vary continuously and are compared by `==` or `!=`.
  std::optional<std::vector<ConditionTerm>> read(NodeId condition, Span span) {
    std::vector<NodeId> inside;  // `and`, `or`, `not` and their operands: ascending ids
    graph::walk({condition}, [&](NodeId id, std::vector<NodeId>& open) {
      inside.push_back(id);
      if (const Node& n = model_.graph.node(id); joins(n.op))
        for (const NodeId x : graph::Operands(n)) open.push_back(x);
      return true;
    });
    std::sort(inside.begin(), inside.end(), [](NodeId a, NodeId b) { return a.value < b.value; });
    for (const NodeId id : inside)
      if (!term(id, span)) return std::nullopt;
    return std::move(terms_);
  }

 private:
  bool term(NodeId id, Span span) {
    using Is = ConditionTerm::Kind;
    const Node n = model_.graph.node(id);
    ConditionTerm made;
    if (joins(n.op)) {
      made.kind = n.op == Op::logical_and ? Is::all : n.op == Op::logical_or ? Is::any : Is::negation;
      made.a = term_of_.at(n.a);
      if (n.op != Op::logical_not) made.b = term_of_.at(n.b);
    } else if ((n.op == Op::eq || n.op == Op::ne) && (continuous(NodeId{n.a}) || continuous(NodeId{n.b}))) {
      const Span origin = model_.graph.origin(id);
      return mbc::refuse(sink_, Kind::event_equality, origin.known() ? origin : span, n.op == Op::eq ? "==" : "!=")
          .hint(n.op == Op::eq ? "write `when A - B crossing { ... }`, or what holds on one side, `A <= B`"
                               : "write `A < B` or `A > B`");
    } else if ((n.op == Op::lt || n.op == Op::le) && (continuous(NodeId{n.a}) || continuous(NodeId{n.b}))) {
      made.kind = Is::comparison;
      made.at_limit = n.op == Op::le;
      made.value = model_.add_value(model_.graph.sub(NodeId{n.b}, NodeId{n.a}));
    } else {
      made.kind = Is::exact;
      made.value = model_.add_value(id);
      made.edges = edges(id);
    }
    term_of_[id.value] = static_cast<std::uint32_t>(terms_.size());
    terms_.push_back(made);
    return true;
  }

  // Returns whether the value varies continuously: it depends on more than parameters, inputs (discrete variables among
  // them), and piecewise constant functions. An input with a signal is an expression of the time here.
  [[nodiscard]] bool continuous(NodeId id) const {
    return !graph::walk({id}, [this](NodeId at, std::vector<NodeId>& open) {
      const Node& n = model_.graph.node(at);
      if (n.op == Op::leaf) return n.leaf == LeafKind::param || n.leaf == LeafKind::input;
      const graph::Operands operands(n);
      if (!goes_in_steps(n.op)) open.insert(open.end(), operands.begin() + (n.op == Op::select), operands.end());
      return true;
    });
  }

  // Adds values that are zero where the truth may jump: the argument of a `sign`, the distance of the argument of a
  // `floor` from the nearest whole number, the distance of a comparison from its limit.
  std::vector<std::uint32_t> edges(NodeId truth) {
    std::vector<NodeId> found;
    graph::Graph& g = model_.graph;
    graph::walk({truth}, [&](NodeId at, std::vector<NodeId>& open) {
      const Node n = g.node(at);
      const NodeId a{n.a}, b{n.b};
      if (n.op == Op::sign && continuous(a)) found.push_back(a);
      if (n.op == Op::floor && continuous(a)) found.push_back(g.sub(a, g.unary(Op::floor, g.add(a, g.constant(0.5)))));
      if ((n.op == Op::lt || n.op == Op::le) && (continuous(a) || continuous(b))) found.push_back(g.sub(b, a));
      for (const NodeId x : graph::Operands(n)) open.push_back(x);
      return true;
    });
    std::vector<std::uint32_t> out;
    for (const NodeId edge : found) out.push_back(model_.add_value(edge));
    return out;
  }

  Model& model_;
  Sink& sink_;
  std::vector<ConditionTerm> terms_;
  std::map<std::uint32_t, std::uint32_t> term_of_;  // by node
};

}  // namespace

std::optional<std::vector<ConditionTerm>> condition_terms(Model& model, NodeId condition, Span span, Sink& sink) {
  return ConditionTerms(model, sink).read(condition, span);
}

}  // namespace mbc::sema
