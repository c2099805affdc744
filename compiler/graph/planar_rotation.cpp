// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/planar_rotation.h"

#include <algorithm>
#include <map>

namespace mbc::graph {

namespace {

// The form e = c a + s b, with a and b free of the angle's sine s and cosine c.
struct Parts {
  NodeId c, s;
};

class Splitter {
 public:
  Splitter(Graph& g, NodeId sine, NodeId cosine) : g_(g), sine_(sine), cosine_(cosine) {}

  std::optional<Parts> split(NodeId e) {
    if (g_.is_zero(e)) return Parts{g_.zero(), g_.zero()};
    if (e == cosine_) return Parts{g_.one(), g_.zero()};
    if (e == sine_) return Parts{g_.zero(), g_.one()};
    if (++looked_at_ > kMost) return std::nullopt;
    const Node n = g_.node(e);
    if (n.op == Op::neg) return combined(split({n.a}), Parts{g_.zero(), g_.zero()}, true);
    if (n.op == Op::add || n.op == Op::sub) {
      const std::optional<Parts> a = split({n.a});
      return a ? combined(split({n.b}), *a, n.op == Op::sub) : std::nullopt;
    }
    if (n.op == Op::mul && free({n.a})) return times(split({n.b}), {n.a});
    if (n.op == Op::mul && free({n.b})) return times(split({n.a}), {n.b});
    return std::nullopt;
  }

 private:
  static constexpr int kMost = 500;

  // first + part, or first - part
  std::optional<Parts> combined(const std::optional<Parts>& part, Parts first, bool minus) {
    if (!part) return part;
    const Op op = minus ? Op::sub : Op::add;
    return Parts{g_.binary(op, first.c, part->c), g_.binary(op, first.s, part->s)};
  }

  std::optional<Parts> times(const std::optional<Parts>& part, NodeId factor) {
    if (!part) return part;
    return Parts{g_.mul(factor, part->c), g_.mul(factor, part->s)};
  }

  bool free(NodeId e) {
    const std::vector<NodeId> below = reachable(g_, {&e, 1});
    looked_at_ += static_cast<int>(below.size() / 8);
    return std::ranges::none_of(below, [&](NodeId id) { return id == sine_ || id == cosine_; });
  }

  Graph& g_;
  NodeId sine_, cosine_;
  int looked_at_ = 0;
};

}  // namespace

std::optional<PlanarRotation> outer_rotation(Graph& g, const std::vector<NodeId>& matrix, std::size_t rows) {
  std::map<std::uint32_t, std::pair<NodeId, NodeId>> angles;  // by angle: sine, cosine
  for (NodeId id : reachable(g, matrix)) {
    const Node& n = g.node(id);
    if (n.op == Op::sin) angles[n.a].first = id;
    if (n.op == Op::cos) angles[n.a].second = id;
  }
  const std::size_t columns = matrix.size() / rows;
  for (const auto& [angle, pair] : angles) {
    if (!pair.first.valid() || !pair.second.valid()) continue;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < rows; ++j) {
        if (i == j) continue;
        PlanarRotation rotation{i, j, {angle}, pair.first, pair.second, matrix};
        Splitter splitter(g, pair.first, pair.second);
        bool found = true, any = false;
        for (std::size_t k = 0; k < columns && found; ++k) {
          NodeId &x = rotation.inside[i * columns + k], &y = rotation.inside[j * columns + k];
          const std::optional<Parts> at_x = splitter.split(x), at_y = at_x ? splitter.split(y) : at_x;
          found = at_y && at_x->c == at_y->s && g.neg(at_x->s) == at_y->c;
          if (!found) break;
          any = any || !g.is_zero(x) || !g.is_zero(y);
          x = at_x->c;
          y = at_y->c;
        }
        if (found && any) return rotation;
      }
  }
  return std::nullopt;
}

}  // namespace mbc::graph
