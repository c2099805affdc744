// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/unrolled/fast_rhs.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mbc::formulate {

namespace {

constexpr int kLooks = 6;

class FastRhsBuilder {
 public:
  FastRhsBuilder(Graph& g, const std::vector<NodeId>& pivot, const std::vector<NodeId>& scale, const StandingRows& rows)
      : g_(g), pivot_(pivot), scale_(scale), rows_(rows), seen_(pivot.size(), false) {}

  std::optional<FastRhs> run(const std::vector<NodeId>& values) {
    FastRhs fast{images(values), {}};
    for (std::uint32_t k = 0; k < pivot_.size(); ++k)
      if (stands(k)) guard_row(k);
    // Guards are copied as well, and may lead to further ones.
    for (std::size_t k = 0; known_ && k < guards_.size(); ++k) fast.guards.push_back(images({guards_[k]}).front());
    if (!known_) return std::nullopt;
    return fast;
  }

 private:
  [[nodiscard]] bool stands(std::uint32_t row) const { return rows_.standing.empty() || rows_.standing[row]; }

  void add_guard(NodeId guard) {
    if (g_.is_constant(guard)) {
      known_ = known_ && g_.constant_value(guard) > 0;
      return;
    }
    if (std::find(guards_.begin(), guards_.end(), guard) == guards_.end()) guards_.push_back(guard);
  }

  // Adds the guard that left < right by a margin: right - factor |left| > 0. NaN needs no guard, since it propagates to
  // the results.
  void add_margin(NodeId left, NodeId right, double factor) {
    if (is_part_of(left, right)) return add_guard(right);
    const auto [c, x] = without_literal(left);
    const NodeId size = not_negative(x, kLooks) ? x : g_.unary(Op::abs, x);
    add_guard(g_.ternary(Op::fma, g_.constant(-factor * std::fabs(c)), size, right));
  }

  // Returns whether a value is a square, or a sum, product or choice of such values; the search depth is limited.
  [[nodiscard]] bool not_negative(NodeId x, int looks) const {
    const Node n = g_.node(x);
    if (n.op == Op::constant) return g_.constant_value(x) >= 0;
    if (looks == 0) return false;
    const auto good = [&](std::uint32_t operand) { return not_negative({operand}, looks - 1); };
    const bool square = (n.op == Op::mul || n.op == Op::fma) && n.a == n.b;
    if (n.op == Op::mul) return square || (good(n.a) && good(n.b));
    if (n.op == Op::fma) return (square || (good(n.a) && good(n.b))) && good(n.c);
    if (n.op == Op::select) return good(n.b) && good(n.c);
    return n.op == Op::add && good(n.a) && good(n.b);
  }

  // Returns c and x with c x = left, from c x and y (c x).
  std::pair<double, NodeId> without_literal(NodeId left) {
    const Node n = g_.node(left);
    if (n.op != Op::mul) return {1, left};
    for (const auto& [a, b] : {std::pair{n.a, n.b}, std::pair{n.b, n.a}}) {
      if (g_.is_constant({a})) return {g_.constant_value({a}), {b}};
      const Node m = g_.node({a});
      if (m.op != Op::mul) continue;
      if (g_.is_constant({m.a})) return {g_.constant_value({m.a}), g_.mul({m.b}, {b})};
      if (g_.is_constant({m.b})) return {g_.constant_value({m.b}), g_.mul({m.a}, {b})};
    }
    return {1, left};
  }

  // Returns whether left = c right with a small c > 0, as for the first row that is eliminated.
  [[nodiscard]] bool is_part_of(NodeId left, NodeId right) const {
    const Node n = g_.node(left);
    if (n.op != Op::mul) return left == right;
    for (const auto& [c, x] : {std::pair{n.a, n.b}, std::pair{n.b, n.a}})
      if (x == right.value && g_.is_constant({c}) && g_.constant_value({c}) > 0 &&
          g_.constant_value({c}) < std::min(rows_.near, kNearPivot))
        return true;
    return false;
  }

  // Guards a row for which no choice was decided. If its pivot is a number, the comparison was made with the graph.
  void guard_row(std::uint32_t k) {
    const bool number = g_.is_constant(pivot_[k]) && g_.is_constant(scale_[k]);
    if (seen_[k] && !number) return;
    if (!seen_[k]) add_guard(g_.leaf(LeafKind::mask, k));
    if (g_.is_zero(pivot_[k]) && g_.is_zero(scale_[k])) return;  // a row without entries is not near
    add_margin(scale_[k], pivot_[k], rows_.near * (rows_.near == kNearPivot ? 1 : kernel::kBoundMargin));
  }

  // Returns whether a condition is a conjunction with the mask of a row that is left out. (Masks below a comparison of
  // pivots belong to other rows.)
  [[nodiscard]] bool left_out(NodeId condition) const {
    const Node n = g_.node(condition);
    if (n.op == Op::logical_and) return left_out({n.a}) || left_out({n.b});
    const Node& leaf = g_.node(n.op == Op::lt && g_.is_zero({n.a}) ? NodeId{n.b} : condition);
    return leaf.op == Op::leaf && leaf.leaf == LeafKind::mask && !stands(leaf.a);
  }

  void guard_mask(std::uint32_t row) {
    seen_[row] = true;
    add_guard(g_.leaf(LeafKind::mask, row));
  }

  // Adds guards that are > 0 only if the condition is true.
  void guard_condition(NodeId condition) {
    const Node n = g_.node(condition);
    const auto mask = [&](std::uint32_t id) {
      const Node& leaf = g_.node({id});
      return leaf.op == Op::leaf && leaf.leaf == LeafKind::mask;
    };
    if (n.op == Op::logical_and) {
      guard_condition({n.a});
      guard_condition({n.b});
    } else if (mask(condition.value)) {
      guard_mask(n.a);
    } else if (n.op == Op::lt && mask(n.b) && g_.is_zero({n.a})) {
      guard_mask(g_.node({n.b}).a);
    } else if (n.op == Op::lt) {
      // kPivotTolerance S_kk < d_k, or a multiple of it
      add_margin({n.a}, {n.b}, rows_.near / kPivotTolerance * kernel::kBoundMargin);
    } else {
      known_ = known_ && g_.is_constant(condition) && g_.constant_value(condition) != 0;
    }
  }

  // Nodes are copied without simplification, because it could change roundings.
  std::vector<NodeId> images(const std::vector<NodeId>& roots) {
    const std::vector<NodeId> order = graph::reachable(g_, roots);
    image_.resize(std::max<std::size_t>(image_.size(), g_.size()));
    for (NodeId id : order)
      if (!image_[id.value].valid()) image_[id.value] = copied(id);
    std::vector<NodeId> result;
    for (NodeId root : roots) result.push_back(image_[root.value]);
    return result;
  }

  NodeId copied(NodeId id) {
    const Node n = g_.node(id);
    if (n.op == Op::constant || n.op == Op::leaf) return id;
    if (n.op == Op::select && graph::holds(g_, NodeId{n.a}, {LeafKind::mask})) {
      if (left_out({n.a})) return image_[n.c];
      guard_condition({n.a});
      return image_[n.b];
    }
    const graph::SpanScope scope(g_, g_.origin(id));
    return g_.raw(graph::with_operands(n, image_));
  }

  Graph& g_;
  const std::vector<NodeId>&pivot_, &scale_;
  const StandingRows& rows_;
  std::vector<bool> seen_;  // rows whose mask occurs in a decided choice
  std::vector<NodeId> image_, guards_;
  bool known_ = true;
};

}  // namespace

std::optional<FastRhs> fast_rhs_of(Graph& g, const std::vector<NodeId>& values, const std::vector<NodeId>& pivot,
                                   const std::vector<NodeId>& scale, const StandingRows& rows) {
  return FastRhsBuilder(g, pivot, scale, rows).run(values);
}

}  // namespace mbc::formulate
