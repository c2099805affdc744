// SPDX-License-Identifier: Apache-2.0
// Expressions as text, with as few parentheses as the precedence needs.
#include <charconv>

#include "compiler/graph/graph.h"

namespace mbc::graph {

namespace {
using NameOf = std::string (*)(const Node&, const void*);

std::string number(double v) {
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, v).ptr;
  return {buffer, end};
}

constexpr int kCall = 9;

int precedence(Op op) {
  if (kernel::is_comparison(op)) return 1;
  if (op == Op::add || op == Op::sub) return 2;
  if (op == Op::mul || op == Op::div) return 3;
  return op == Op::neg ? 4 : kCall;
}

struct Printer {
  const Graph& graph;
  NameOf name_of;
  const void* data;
  std::size_t limit;
  std::string out;

  void write(NodeId id, int outer, int depth) {
    if (out.size() > limit) return;
    if (depth > 200) {
      out += "...";
      return;
    }
    const Node n = graph.node(id);
    if (n.op == Op::constant) {
      out += number(graph.constant_value(id));
      return;
    }
    if (n.op == Op::leaf) {
      out += name_of(n, data);
      return;
    }
    const int p = precedence(n.op);
    if (p == kCall) {
      call(n, depth);
      return;
    }
    if (p < outer) out += '(';
    if (n.op == Op::neg) {
      out += '-';
      write({n.a}, p, depth + 1);
    } else {
      write({n.a}, p, depth + 1);
      const bool tight = n.op == Op::mul || n.op == Op::div;
      out += tight ? "" : " ";
      out += op_text(n.op);
      out += tight ? "" : " ";
      write({n.b}, p + 1, depth + 1);
    }
    if (p < outer) out += ')';
  }

  void call(const Node& n, int depth) {
    out += op_text(n.op);
    const bool table = n.op == Op::table;
    if (table) {
      const kernel::TableKey key = kernel::TableKey::of(graph.constant_value({n.b}));
      out += std::to_string(key.table) + std::string(key.order, '\'');
    }
    out += '(';
    const std::uint32_t operands[] = {n.a, n.b, n.c};
    for (std::uint32_t k = 0; k < (table ? 1 : arity(n.op)); ++k) {
      if (k > 0) out += ", ";
      write({operands[k]}, 0, depth + 1);
    }
    out += ')';
  }
};
}  // namespace

std::string to_text(const Graph& graph, NodeId root, NameOf name_of, const void* data, std::size_t limit) {
  Printer printer{graph, name_of, data, limit, {}};
  printer.write(root, 0, 0);
  if (printer.out.size() > limit) {
    printer.out.resize(limit);
    printer.out += "...";
  }
  return printer.out;
}

}  // namespace mbc::graph
