// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/watched/at_no_slip.h"

#include <map>

namespace mbc::sema {

using graph::Graph;

namespace {

class NoSlip {
 public:
  NoSlip(Graph& g, std::span<const NodeId> slip) : g_(g) {
    for (const NodeId s : slip) {
      zero_.emplace(s.value, g.zero());
      zero_.emplace(g.neg(s).value, g.zero());
    }
  }

  // `jumps` is set if the expression may jump where the slip goes through zero.
  NodeId of(NodeId e, bool& jumps) {
    std::map<std::uint32_t, NodeId> image = zero_;
    for (const NodeId id : graph::reachable(g_, {&e, 1})) {
      if (image.count(id.value)) continue;
      const Node n = g_.node(id);
      NodeId made = id;
      if (graph::arity(n.op) > 0) {
        const graph::SpanScope scope(g_, g_.origin(id));
        made = compares_the_slip(n) ? g_.make(n.op, g_.zero(), g_.zero(), {})
                                    : g_.remake(n, [&](std::uint32_t of) { return image.at(of); });
        if (made != id && (n.op == Op::lt || n.op == Op::le || n.op == Op::sign || n.op == Op::floor)) jumps = true;
      }
      image.emplace(id.value, made);
    }
    return image.at(e.value);
  }

 private:
  // Recognises comparisons of the slip with zero in another form: `p.vx > belt` with a slip of `p.vx - belt`.
  bool compares_the_slip(const Node& n) {
    return (n.op == Op::lt || n.op == Op::le) && zero_.count(g_.sub(NodeId{n.a}, NodeId{n.b}).value) != 0;
  }

  Graph& g_;
  std::map<std::uint32_t, NodeId> zero_;  // the slip and its negative, which are 0
};

}  // namespace

NodeId at_no_slip(Graph& g, NodeId limit, std::span<const NodeId> slip) {
  bool jumps = false;
  const NodeId still = NoSlip(g, slip).of(limit, jumps);
  return jumps ? still : limit;
}

}  // namespace mbc::sema
