// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/graph.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace mbc::graph {

namespace {
constexpr std::uint32_t kEmpty = 0xffffffffu;

std::uint64_t hash_node(const Node& n) {
  std::uint64_t h = (static_cast<std::uint64_t>(n.op) << 8) | static_cast<std::uint64_t>(n.leaf);
  for (std::uint32_t word : {n.a, n.b, n.c}) {
    h ^= word;
    h *= 0x9e3779b97f4a7c15ull;
    h ^= h >> 29;
  }
  return h;
}
}  // namespace

std::string_view leaf_text(LeafKind kind) {
  constexpr std::string_view texts[] = {
#define MBC_LEAF(name, text, ...) text,
#include "compiler/graph/leaves.def"
  };
  return texts[static_cast<std::size_t>(kind)];
}

Graph::Graph() {
  rehash(256);
  zero_ = constant(0.0);
  one_ = constant(1.0);
}

void Graph::rehash(std::size_t buckets) {
  table_.assign(buckets, kEmpty);
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    std::size_t slot = hash_node(nodes_[i]) & (buckets - 1);
    while (table_[slot] != kEmpty) slot = (slot + 1) & (buckets - 1);
    table_[slot] = i;
  }
}

NodeId Graph::intern(const Node& n) {
  if ((nodes_.size() + 1) * 2 > table_.size()) rehash(std::bit_ceil((nodes_.size() + 1) * 2));
  std::size_t slot = hash_node(n) & (table_.size() - 1);
  while (table_[slot] != kEmpty) {
    if (nodes_[table_[slot]] == n) {
      // a maker with a place in the text is kept: a value shared by an equation and an energy is reported at the
      // equation
      if (current_.known() && !spans_[origin_[table_[slot]]].known()) origin_.set(table_[slot], current_origin());
      return {table_[slot]};
    }
    slot = (slot + 1) & (table_.size() - 1);
  }
  const auto id = static_cast<std::uint32_t>(nodes_.size());
  table_[slot] = id;
  nodes_.push_back(n);
  origin_.push_back(current_origin());
  return {id};
}

std::uint32_t Graph::current_origin() {
  if (current_place_ != kUnknownPlace) return current_place_;
  const auto [place, fresh] = place_of_span_.try_emplace(current_, static_cast<std::uint32_t>(spans_.size()));
  if (fresh) spans_.push_back(current_);
  return current_place_ = place->second;
}

void Graph::settle() {
  nodes_.shrink_to_fit();
  origin_.shrink_to_fit();
  table_ = std::vector<std::uint32_t>();  // `{}` would keep its memory
}

NodeId Graph::raw(Node n) { return intern(n); }

NodeId Graph::constant(double value) {
  if (value == 0) value = 0.0;  // there is one zero: the sign of a zero literal has no meaning in a model
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return intern(
      {Op::constant, LeafKind::time, static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32), 0});
}

NodeId Graph::leaf(LeafKind kind, std::uint32_t index) { return intern({Op::leaf, kind, index, 0, 0}); }

double Graph::constant_value(NodeId id) const {
  const Node& n = node(id);
  return std::bit_cast<double>(static_cast<std::uint64_t>(n.b) << 32 | n.a);
}

bool Graph::is_constant(NodeId id, double value) const { return is_constant(id) && constant_value(id) == value; }

Span Graph::set_current_span(Span span) {
  const Span old = current_;
  if (!(span == old)) current_place_ = kUnknownPlace;
  current_ = span;
  return old;
}

NodeId Graph::make(Op op, NodeId a, NodeId b, NodeId c) {
  switch (arity(op)) {
    case 1:
      return unary(op, a);
    case 2:
      return binary(op, a, b);
    default:
      return ternary(op, a, b, c);
  }
}

// The sum is balanced, so that neither rounding error nor depth grows with its length.
NodeId Graph::sum(std::span<const NodeId> terms) {
  if (terms.empty()) return zero_;
  std::vector<NodeId> level(terms.begin(), terms.end());
  while (level.size() > 1) {
    std::size_t out = 0;
    for (std::size_t i = 0; i < level.size(); i += 2)
      level[out++] = i + 1 < level.size() ? add(level[i], level[i + 1]) : level[i];
    level.resize(out);
  }
  return level[0];
}

NodeId Graph::dot(std::span<const NodeId> a, std::span<const NodeId> b) {
  NodeId total = zero_;
  for (std::size_t i = 0; i < a.size(); ++i) total = add(total, mul(a[i], b[i]));
  return total;
}

NodeId Graph::power(NodeId base, int exponent) {
  if (exponent < 0) return div(one_, power(base, -exponent));
  NodeId result = one_;
  for (NodeId square = base; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result = mul(result, square);
    if (exponent > 1) square = mul(square, square);
  }
  return result;
}

namespace {
// marks of all calls of this thread; all are 0 between calls, so that a call costs what it finds and not the whole
// graph
thread_local std::vector<std::uint8_t> marks;
}  // namespace

void forget_marks() {
  marks = std::vector<std::uint8_t>();  // `{}` would keep its memory
}

std::vector<NodeId> reachable(const Graph& graph, std::span<const NodeId> roots) {
  if (marks.size() < graph.size()) marks.resize(graph.size() + graph.size() / 2, 0);
  std::vector<NodeId> found, stack;
  std::uint8_t* mark = marks.data();
  const auto fresh = [&](std::uint32_t id) { return std::exchange(mark[id], std::uint8_t{1}) == 0; };
  for (NodeId root : roots)
    if (root.valid() && fresh(root.value)) stack.push_back(root);
  while (!stack.empty()) {
    const NodeId id = stack.back();
    stack.pop_back();
    found.push_back(id);
    const Node& n = graph.node(id);
    for (const NodeId x : Operands(n))
      if (fresh(x.value)) stack.push_back(x);
  }
  for (const NodeId id : found) mark[id.value] = 0;
  std::sort(found.begin(), found.end(), [](NodeId x, NodeId y) { return x.value < y.value; });
  return found;
}

std::vector<Node> leaves(const Graph& graph, std::span<const NodeId> roots) {
  std::vector<Node> result;
  for (const NodeId id : reachable(graph, roots))
    if (graph.node(id).op == Op::leaf) result.push_back(graph.node(id));
  return result;
}

bool holds(const Graph& graph, std::span<const NodeId> roots, std::initializer_list<LeafKind> kinds) {
  return std::ranges::any_of(leaves(graph, roots),
                             [&](const Node& n) { return std::ranges::count(kinds, n.leaf) > 0; });
}

}  // namespace mbc::graph
