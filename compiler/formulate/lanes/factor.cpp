#include "compiler/formulate/lanes/factor.h"

#include <algorithm>
#include <vector>

namespace mbc::formulate {

using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::Op;

namespace {

constexpr int kDeepest = 12;  // products and sums looked into

// Factors of a product, without signs.
void factors(const Graph& g, NodeId value, std::vector<NodeId>& out, int depth = 0) {
  const Node& n = g.node(value);
  if (n.op == Op::neg && depth < kDeepest) return factors(g, {n.a}, out, depth + 1);
  if (n.op == Op::mul && depth < kDeepest) {
    factors(g, {n.a}, out, depth + 1);
    factors(g, {n.b}, out, depth + 1);
    return;
  }
  out.push_back(value);
}

// A row divided by it is the same row wherever its entries are numbers.
bool never_zero(const Graph& g, NodeId value) {
  const Node& n = g.node(value);
  if (g.is_constant(value)) return !g.is_zero(value);
  if (n.op == Op::exp) return true;
  return n.op == Op::div && never_zero(g, {n.a});
}

std::optional<NodeId> quotient(Graph& g, NodeId value, NodeId factor, int depth) {
  if (value == factor) return g.one();
  if (g.is_zero(value)) return value;
  if (depth > kDeepest) return {};
  const Node n = g.node(value);
  if (g.is_constant(value) && g.is_constant(factor))
    return g.constant(g.constant_value(value) / g.constant_value(factor));
  switch (n.op) {
    case Op::neg:
      if (const auto a = quotient(g, {n.a}, factor, depth + 1)) return g.neg(*a);
      return {};
    case Op::mul:
      if (const auto a = quotient(g, {n.a}, factor, depth + 1)) return g.mul(*a, {n.b});
      if (const auto b = quotient(g, {n.b}, factor, depth + 1)) return g.mul({n.a}, *b);
      return {};
    case Op::div:
      if (const auto a = quotient(g, {n.a}, factor, depth + 1)) return g.div(*a, {n.b});
      return {};
    case Op::add:
    case Op::sub: {
      const auto a = quotient(g, {n.a}, factor, depth + 1);
      if (!a) return {};
      const auto b = quotient(g, {n.b}, factor, depth + 1);
      if (!b) return {};
      return g.binary(n.op, *a, *b);
    }
    default:
      return {};
  }
}

}  // namespace

std::optional<NodeId> divided(Graph& g, NodeId value, NodeId factor) {
  if (auto whole = quotient(g, value, factor, 0)) return whole;
  if (g.is_constant(factor)) return g.mul(g.constant(1.0 / g.constant_value(factor)), value);
  return {};
}

std::optional<NodeId> common_factor(const Graph& g, std::span<const NodeId> values) {
  if (values.empty()) return {};
  std::vector<NodeId> shared;
  factors(g, values[0], shared);
  for (NodeId value : values.subspan(1)) {
    std::vector<NodeId> own;
    factors(g, value, own);
    std::erase_if(shared, [&](NodeId f) { return std::find(own.begin(), own.end(), f) == own.end(); });
  }
  std::erase_if(shared, [&](NodeId f) { return g.is_constant(f, 1.0) || !never_zero(g, f); });
  if (shared.empty()) return {};
  const auto first =
      std::find_if(shared.begin(), shared.end(), [&](NodeId f) { return !g.is_constant(f); });
  return first == shared.end() ? shared.front() : *first;
}

bool opposite(const Graph& g, NodeId a, NodeId b) {
  const Node &x = g.node(a), &y = g.node(b);
  if (x.op == Op::neg && NodeId{x.a} == b) return true;
  if (y.op == Op::neg && NodeId{y.a} == a) return true;
  if (g.is_constant(a) && g.is_constant(b)) return g.constant_value(a) == -g.constant_value(b) && !g.is_zero(a);
  if (x.op != y.op) return false;
  if (x.op == Op::sub) return x.a == y.b && x.b == y.a;
  if (x.op != Op::mul) return false;
  if (x.a == y.a) return opposite(g, {x.b}, {y.b});
  if (x.b == y.b) return opposite(g, {x.a}, {y.a});
  if (x.a == y.b) return opposite(g, {x.b}, {y.a});
  if (x.b == y.a) return opposite(g, {x.a}, {y.b});
  return false;
}

}  // namespace mbc::formulate
