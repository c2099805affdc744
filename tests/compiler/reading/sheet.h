// SPDX-License-Identifier: Apache-2.0
// A sheet of paper for the tests of compiler/reading: expressions written with the operators of C++ on one graph, their
// symbols, and the simplified expressions as text.
#pragma once
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/reading/expression.h"
#include "compiler/reading/simplify.h"
#include "compiler/reading/symbols.h"

namespace mbc::test {

struct Written {
  graph::Graph* graph;
  graph::NodeId id;
};

inline Written operator+(Written a, Written b) { return {a.graph, a.graph->add(a.id, b.id)}; }
inline Written operator-(Written a, Written b) { return {a.graph, a.graph->sub(a.id, b.id)}; }
inline Written operator*(Written a, Written b) { return {a.graph, a.graph->mul(a.id, b.id)}; }
inline Written operator/(Written a, Written b) { return {a.graph, a.graph->div(a.id, b.id)}; }
inline Written operator-(Written a) { return {a.graph, a.graph->neg(a.id)}; }
inline Written operator*(double c, Written a) { return {a.graph, a.graph->mul(a.graph->constant(c), a.id)}; }
inline Written operator+(double c, Written a) { return {a.graph, a.graph->add(a.graph->constant(c), a.id)}; }
inline Written operator-(double c, Written a) { return {a.graph, a.graph->sub(a.graph->constant(c), a.id)}; }
inline Written operator/(Written a, double c) { return {a.graph, a.graph->div(a.id, a.graph->constant(c))}; }
inline Written operator/(double c, Written a) { return {a.graph, a.graph->div(a.graph->constant(c), a.id)}; }
inline Written call(graph::Op op, Written a) { return {a.graph, a.graph->unary(op, a.id)}; }
inline Written sin(Written a) { return call(graph::Op::sin, a); }
inline Written cos(Written a) { return call(graph::Op::cos, a); }
inline Written sqrt(Written a) { return call(graph::Op::sqrt, a); }
inline Written power(Written a, int exponent) { return {a.graph, a.graph->power(a.id, exponent)}; }

struct Sheet {
  graph::Graph graph;
  reading::Symbols symbols;

  Written leaf(graph::LeafKind kind, const std::string& name) {
    const graph::NodeId id = graph.leaf(kind, symbols.size());
    symbols.add(id, name);
    return {&graph, id};
  }
  Written parameter(const std::string& name) { return leaf(graph::LeafKind::param, name); }
  Written coordinate(const std::string& name) { return leaf(graph::LeafKind::coordinate, name); }
  Written speed(const std::string& name) { return leaf(graph::LeafKind::speed, name); }
  Written number(double value) { return {&graph, graph.constant(value)}; }

  // The simplified expression as text, its conditions behind it.
  [[nodiscard]] std::string simplified(Written e) const;
  [[nodiscard]] std::string plain(Written e) const;
};

std::string text_of(const reading::Expression& e, const reading::Symbols& symbols);

}  // namespace mbc::test
