// SPDX-License-Identifier: Apache-2.0
// One hash-consed graph of scalar expressions. Models, derivatives, equations of motion and kernels consist of nodes of
// such a graph. Nodes are numbered so that operands come before their users: any pass is a loop over ids, and no depth
// of expression can overflow the stack. The builders simplify while they build (simplify.cpp lists the rules and
// reasons).
#pragma once
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/chunked_vector.h"
#include "base/span.h"
#include "kernel/data_table.h"
#include "kernel/op.h"

namespace mbc::graph {

using kernel::arity;
using kernel::kOpCount;
using kernel::Op;
using kernel::op_text;

struct NodeId {
  std::uint32_t value = 0xffffffffu;
  [[nodiscard]] bool valid() const { return value != 0xffffffffu; }
  friend bool operator==(NodeId, NodeId) = default;
};

// The kinds of a leaf. In the model's graph the index is global (coordinate 7); in a template it is a slot of the
// instance row (lower/template.h); in a kernel's graph it is a place of the kernel's arrays (formulate/).
enum class LeafKind : std::uint8_t {
#define MBC_LEAF(name, ...) name,
#include "compiler/graph/leaves.def"
};
std::string_view leaf_text(LeafKind kind);

struct Node {
  Op op = Op::constant;
  LeafKind leaf = LeafKind::time;
  std::uint32_t a = 0, b = 0, c = 0;  // operand ids | leaf: a = index | constant: bits in a (low), b (high)
  friend bool operator==(const Node&, const Node&) = default;
};

// The operands of an operation, as many as its arity.
class Operands {
 public:
  explicit Operands(const Node& n) : list_{NodeId{n.a}, NodeId{n.b}, NodeId{n.c}}, count_(arity(n.op)) {}
  [[nodiscard]] const NodeId* begin() const { return list_; }
  [[nodiscard]] const NodeId* end() const { return list_ + count_; }

 private:
  NodeId list_[3];
  std::uint32_t count_;
};

// Returns the node with the images of its operands in their place; nothing is simplified.
inline Node with_operands(Node n, const std::vector<NodeId>& image) {
  const std::uint32_t count = arity(n.op);
  if (count > 0) n.a = image[n.a].value;
  if (count > 1) n.b = image[n.b].value;
  if (count > 2) n.c = image[n.c].value;
  return n;
}

class Graph {
 public:
  Graph();

  NodeId constant(double value);
  NodeId leaf(LeafKind kind, std::uint32_t index);

  // These builders simplify. A new node keeps the current span.
  NodeId unary(Op op, NodeId a);
  NodeId binary(Op op, NodeId a, NodeId b);
  NodeId ternary(Op op, NodeId a, NodeId b, NodeId c);
  NodeId make(Op op, NodeId a, NodeId b, NodeId c);  // by arity

  NodeId add(NodeId a, NodeId b) { return binary(Op::add, a, b); }
  NodeId sub(NodeId a, NodeId b) { return binary(Op::sub, a, b); }
  NodeId mul(NodeId a, NodeId b) { return binary(Op::mul, a, b); }
  NodeId div(NodeId a, NodeId b) { return binary(Op::div, a, b); }
  NodeId neg(NodeId a) { return unary(Op::neg, a); }
  NodeId sqrt(NodeId a) { return unary(Op::sqrt, a); }
  NodeId select(NodeId c, NodeId a, NodeId b) { return ternary(Op::select, c, a, b); }
  NodeId power(NodeId base, int exponent);  // products only
  NodeId sum(std::span<const NodeId> terms);
  NodeId dot(std::span<const NodeId> a, std::span<const NodeId> b);

  [[nodiscard]] const Node& node(NodeId id) const { return nodes_[id.value]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  [[nodiscard]] bool is_constant(NodeId id) const { return node(id).op == Op::constant; }
  [[nodiscard]] bool is_constant(NodeId id, double value) const;
  [[nodiscard]] bool is_zero(NodeId id) const { return is_constant(id, 0.0); }
  [[nodiscard]] double constant_value(NodeId id) const;
  [[nodiscard]] NodeId zero() const { return zero_; }
  [[nodiscard]] NodeId one() const { return one_; }

  // Builds the operation of a node on the images of its operands, image(id).
  template <class Image>
  NodeId remake(const Node& n, Image&& image) {
    const std::uint32_t operands[] = {n.a, n.b, n.c};
    NodeId images[3];
    for (std::uint32_t k = 0; k < 3 && k < arity(n.op); ++k) images[k] = image(operands[k]);
    return make(n.op, images[0], images[1], images[2]);
  }

  // Nodes made while a span is current carry it; the first maker with a known span wins.
  [[nodiscard]] Span origin(NodeId id) const { return spans_[origin_[id.value]]; }
  Span set_current_span(Span span);

  // The functions given by points (tables.h). All graphs of one model share one list of them.
  [[nodiscard]] const std::shared_ptr<kernel::DataTables>& tables() const { return tables_; }
  void share_tables(const std::shared_ptr<kernel::DataTables>& tables);

  // Nodes made by raw() are consed but not simplified (tests, readers).
  NodeId raw(Node n);

  // Gives back the memory that only growth needs; the graph may still grow afterwards.
  void settle();

 private:
  NodeId intern(const Node& n);
  void rehash(std::size_t buckets);
  std::uint32_t current_origin();
  NodeId fold(Op op, NodeId a, NodeId b, NodeId c);  // constant folding; invalid when not possible
  NodeId simplify_add(NodeId a, NodeId b);
  NodeId simplify_sub(NodeId a, NodeId b);
  NodeId simplify_mul(NodeId a, NodeId b);
  NodeId simplify_div(NodeId a, NodeId b);
  NodeId simplify_pow(NodeId a, NodeId b);

  ChunkedVector<Node> nodes_;
  ChunkedVector<std::uint32_t> origin_;  // indices into spans_: thousands of nodes come from one place of the text
  std::vector<Span> spans_;
  struct SpanHash {
    std::size_t operator()(const Span& s) const {
      return ((std::uint64_t{s.begin} << 32 | s.end) ^ s.file) * 0x9e3779b97f4a7c15ull >> 8;
    }
  };
  std::unordered_map<Span, std::uint32_t, SpanHash> place_of_span_;
  std::vector<std::uint32_t> table_;  // open addressing, 0xffffffff = empty
  std::shared_ptr<kernel::DataTables> tables_;
  Span current_;
  std::uint32_t current_place_ = kUnknownPlace;  // of current_ in spans_
  static constexpr std::uint32_t kUnknownPlace = 0xffffffffu;
  NodeId zero_, one_;
};

// A scope guard: nodes made within its scope carry `span`.
class SpanScope {
 public:
  SpanScope(Graph& graph, Span span) : graph_(graph), saved_(graph.set_current_span(span)) {}
  ~SpanScope() { graph_.set_current_span(saved_); }
  SpanScope(const SpanScope&) = delete;
  SpanScope& operator=(const SpanScope&) = delete;

 private:
  Graph& graph_;
  Span saved_;
};

// Returns the ids reachable from the roots, ascending, hence in evaluation order.
std::vector<NodeId> reachable(const Graph& graph, std::span<const NodeId> roots);
// Frees the marks of nodes that reachable() and leaves() keep between calls. It pays after work on a large graph.
void forget_marks();
// Returns the leaves reachable from the roots.
std::vector<Node> leaves(const Graph& graph, std::span<const NodeId> roots);
inline std::vector<Node> leaves(const Graph& graph, NodeId root) { return leaves(graph, {&root, 1}); }
// Returns whether a leaf of one of these kinds is among them.
bool holds(const Graph& graph, std::span<const NodeId> roots, std::initializer_list<LeafKind> kinds);
inline bool holds(const Graph& graph, NodeId root, std::initializer_list<LeafKind> kinds) {
  return holds(graph, {&root, 1}, kinds);
}
// Visits the nodes in `open` and those below, each once. visit(id, open) adds the next nodes to `open`, or returns
// false to end the walk. Returns whether the walk was complete.
template <class Visit>
bool walk(std::vector<NodeId> open, Visit&& visit) {
  std::unordered_set<std::uint32_t> seen;
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (seen.insert(id.value).second && !visit(id, open)) return false;
  }
  return true;
}
// Calls visit(id) for the root and all nodes below it that are not done(id), operands first, and in the same order for
// equal shapes. A visited node has to be done.
template <class Done, class Visit>
void each_below(const Graph& graph, NodeId root, Done&& done, Visit&& visit) {
  std::vector<NodeId> stack{root};
  while (!stack.empty()) {
    const NodeId id = stack.back();
    const std::size_t height = stack.size();
    if (!done(id))
      for (const NodeId x : Operands(graph.node(id)))
        if (!done(x)) stack.push_back(x);
    if (stack.size() > height) continue;
    stack.pop_back();
    if (!done(id)) visit(id);
  }
}

// Copies `roots` of `from` into `to`; leaf_map is called once for every leaf.
template <class LeafMap>
std::vector<NodeId> copy_into(const Graph& from, std::span<const NodeId> roots, Graph& to, LeafMap&& leaf_map);
// Copies in the same way from a text of the same shape elsewhere: span_of maps a place of one text to that of the
// other.
template <class LeafMap, class SpanMap>
std::vector<NodeId> copy_into(const Graph& from, std::span<const NodeId> roots, Graph& to, LeafMap&& leaf_map,
                              SpanMap&& span_of);

// Returns the text, with leaf names from `name_of`. Shared nodes are written out each time; `limit` cuts long texts
// with "...".
std::string to_text(const Graph& graph, NodeId root, std::string (*name_of)(const Node&, const void*), const void* data,
                    std::size_t limit = 400);

}  // namespace mbc::graph

#include "compiler/graph/copy_into.h"
