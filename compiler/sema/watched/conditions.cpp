// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/watched/conditions.h"

#include <algorithm>
#include <set>

namespace mbc::sema {

namespace {

bool goes_in_steps(Op op) { return kernel::jumps(op) || kernel::is_truth(op); }

bool joins(Op op) { return kernel::is_truth(op) && !kernel::is_comparison(op); }

}  // namespace

// Depends on something else than parameters, what only events or the host change, and what goes in steps. An input with
// a course is an expression of the time by now.
bool ConditionTerms::continuous(NodeId id) const {
  std::vector<NodeId> open{id};
  std::set<std::uint32_t> seen;
  while (!open.empty()) {
    const NodeId at = open.back();
    open.pop_back();
    const Node& n = model_.graph.node(at);
    if (n.op == Op::leaf) {
      if (n.leaf != LeafKind::param && n.leaf != LeafKind::input) return true;
      continue;
    }
    if (goes_in_steps(n.op) || !seen.insert(at.value).second) continue;
    const std::uint32_t operands[] = {n.a, n.b, n.c};
    for (std::uint32_t k = n.op == Op::select ? 1 : 0; k < graph::arity(n.op); ++k) open.push_back(NodeId{operands[k]});
  }
  return false;
}

// What is zero where the truth may jump: of a `sign` its argument, of a `floor` how far its argument is from the
// nearest whole number, of a comparison how far it is from its limit.
std::vector<std::uint32_t> ConditionTerms::edges(NodeId truth) {
  std::vector<NodeId> found, open{truth};
  std::set<std::uint32_t> seen;
  graph::Graph& g = model_.graph;
  while (!open.empty()) {
    const NodeId at = open.back();
    open.pop_back();
    if (!seen.insert(at.value).second) continue;
    const Node n = g.node(at);
    const NodeId a{n.a}, b{n.b};
    if (n.op == Op::sign && continuous(a)) found.push_back(a);
    if (n.op == Op::floor && continuous(a)) found.push_back(g.sub(a, g.unary(Op::floor, g.add(a, g.constant(0.5)))));
    if ((n.op == Op::lt || n.op == Op::le) && (continuous(a) || continuous(b))) found.push_back(g.sub(b, a));
    for (const NodeId x : graph::Operands(n)) open.push_back(x);
  }
  std::vector<std::uint32_t> out;
  for (const NodeId edge : found) out.push_back(model_.add_value(edge));
  return out;
}

bool ConditionTerms::read(NodeId condition, Span span) {
  std::vector<NodeId> inside;  // what `and`, `or`, `not` join, and they themselves: ascending ids
  std::vector<NodeId> open{condition};
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    inside.push_back(id);
    const Node& n = model_.graph.node(id);
    if (!joins(n.op)) continue;
    open.push_back(NodeId{n.a});
    if (n.op != Op::logical_not) open.push_back(NodeId{n.b});
  }
  std::sort(inside.begin(), inside.end(), [](NodeId a, NodeId b) { return a.value < b.value; });
  inside.erase(std::unique(inside.begin(), inside.end()), inside.end());
  return std::all_of(inside.begin(), inside.end(), [&](NodeId id) { return term(id, span); });
}

bool ConditionTerms::term(NodeId id, Span span) {
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

}  // namespace mbc::sema
