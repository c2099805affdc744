#include "compiler/formulate/stage.h"

#include <algorithm>

namespace mbc::formulate {

using graph::LeafKind;
using graph::Node;
using graph::Op;

namespace {

class StageBuilder {
 public:
  StageBuilder(Graph& g, const Decisions& decisions) : g_(g), decisions_(decisions) {}

  std::optional<Stage> run(const std::vector<NodeId>& values) {
    for (std::uint32_t k = 0; k < decisions_.pivot.size(); ++k) guard_row(k);
    Stage stage{images(values), {}};
    // guards found on the way are copied as well, and may lead to further ones
    for (std::size_t k = 0; known_ && k < guards_.size(); ++k) stage.guards.push_back(images({guards_[k]}).front());
    if (!known_) return std::nullopt;
    return stage;
  }

 private:
  // mask d > kNearPivot |S_kk|; NaN is no reason to give up, it reaches the accelerations by itself.
  void guard_row(std::uint32_t k) {
    const NodeId kept = g_.mul(g_.leaf(LeafKind::mask, k), decisions_.pivot[k]);
    const NodeId size = g_.unary(Op::abs, decisions_.pivot_scale[k]);
    add_guard(decisions_.pivot[k] == decisions_.pivot_scale[k] ? kept : g_.sub(kept, g_.mul(g_.constant(kNearPivot), size)));
  }

  void add_guard(NodeId guard) {
    if (std::find(guards_.begin(), guards_.end(), guard) == guards_.end()) guards_.push_back(guard);
  }

  [[nodiscard]] bool of_mask(NodeId condition) const {
    for (NodeId id : graph::leaves(g_, {&condition, 1}))
      if (g_.node(id).leaf == LeafKind::mask) return true;
    return false;
  }

  // Guards that are > 0 only where the condition is true.
  void guard_condition(NodeId condition) {
    const Node n = g_.node(condition);
    if (n.op == Op::logical_and) {
      guard_condition({n.a});
      guard_condition({n.b});
    } else if (n.op == Op::leaf && n.leaf == LeafKind::mask) {
      if (n.a >= decisions_.pivot.size()) known_ = false;  // else the row's own guard holds it
    } else if (n.op == Op::lt && g_.is_zero({n.a})) {
      g_.node({n.b}).op == Op::leaf ? guard_condition({n.b}) : add_guard({n.b});
    } else if (n.op == Op::lt) {
      // kPivotTolerance S_kk < d_k is implied by the row's own guard; else a < b just where b - a > 0
      if (std::ranges::find(decisions_.stands, condition) == decisions_.stands.end()) add_guard(g_.sub({n.b}, {n.a}));
    } else if (!g_.is_constant(condition) || g_.constant_value(condition) == 0) {
      known_ = false;
    }
  }

  // Nodes are made as they are, without simplification: it could round in another way.
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
    Node n = g_.node(id);
    if (n.op == Op::constant || n.op == Op::leaf) return id;
    if (n.op == Op::select && of_mask({n.a})) {
      guard_condition({n.a});
      return image_[n.b];
    }
    std::uint32_t* operands[] = {&n.a, &n.b, &n.c};
    for (std::uint32_t k = 0; k < graph::arity(n.op); ++k) *operands[k] = image_[*operands[k]].value;
    const graph::SpanScope scope(g_, g_.origin(id));
    return g_.raw(n);
  }

  Graph& g_;
  const Decisions& decisions_;
  std::vector<NodeId> image_, guards_;
  bool known_ = true;
};

}  // namespace

std::optional<Stage> lean_stage(Graph& g, const std::vector<NodeId>& values, const Decisions& decisions) {
  return StageBuilder(g, decisions).run(values);
}

}  // namespace mbc::formulate
