#include "compiler/formulate/stage.h"

#include <algorithm>

namespace mbc::formulate {

using graph::LeafKind;
using graph::Node;
using graph::Op;

namespace {

class StageBuilder {
 public:
  StageBuilder(Graph& g, const LinearSolution& solution) : g_(g), solution_(solution) {}

  std::optional<Stage> run(const std::vector<NodeId>& values) {
    for (std::uint32_t k = 0; k < solution_.pivot.size(); ++k) guard_row(k);
    Stage stage{images(values), {}};
    // guards found on the way are copied as well, and may lead to further ones
    for (std::size_t k = 0; known_ && k < guards_.size(); ++k) stage.guards.push_back(images({guards_[k]}).front());
    if (!known_) return std::nullopt;
    return stage;
  }

 private:
  // mask d > kNearPivot |S_kk|; NaN is no reason to give up, it reaches the accelerations by itself.
  void guard_row(std::uint32_t k) {
    const NodeId kept = g_.mul(g_.leaf(LeafKind::mask, k), solution_.pivot[k]);
    const NodeId size = g_.unary(Op::abs, solution_.pivot_scale[k]);
    add_guard(solution_.pivot[k] == solution_.pivot_scale[k] ? kept : g_.sub(kept, g_.mul(g_.constant(kNearPivot), size)));
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
      if (n.a >= solution_.pivot.size()) known_ = false;  // else the row's own guard holds it
    } else if (n.op == Op::lt) {
      if (!of_pivot({n.a}, {n.b})) add_guard(g_.sub({n.b}, {n.a}));  // a < b just where b - a > 0
    } else if (!g_.is_constant(condition) || g_.constant_value(condition) == 0) {
      known_ = false;
    }
  }

  // kPivotTolerance S_kk < d_k, which the row's own guard implies.
  [[nodiscard]] bool of_pivot(NodeId left, NodeId right) const {
    for (std::uint32_t k = 0; k < solution_.pivot.size(); ++k)
      if (right == solution_.pivot[k] &&
          left == g_.mul(g_.constant(kPivotTolerance), solution_.pivot_scale[k]))
        return true;
    return false;
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
  const LinearSolution& solution_;
  std::vector<NodeId> image_, guards_;
  bool known_ = true;
};

}  // namespace

std::optional<Stage> lean_stage(Graph& g, const std::vector<NodeId>& values, const LinearSolution& solution) {
  return StageBuilder(g, solution).run(values);
}

}  // namespace mbc::formulate
