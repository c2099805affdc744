#include "compiler/formulate/emit_block.h"

namespace mbc::formulate {

using graph::Node;
using graph::NodeId;
using graph::Op;
using kernel::Inst;

kernel::Block emit_block(const graph::Graph& g, std::string name, const std::vector<Store>& stores,
                         const std::function<Place(const graph::Node&)>& place_of) {
  kernel::Block block;
  block.name = std::move(name);
  const auto push = [&](Inst inst, Span origin) {
    block.code.push_back(inst);
    block.origin.push_back(origin);
    return static_cast<std::uint32_t>(block.code.size() - 1);
  };
  const auto load = [&](Place p, Span origin) {
    return push({Inst::Kind::load, Op::leaf, p.space, p.indexed, 0, p.index, 0}, origin);
  };
  std::vector<NodeId> roots;
  for (const Store& s : stores) roots.push_back(s.value);
  std::vector<std::uint32_t> value(g.size());
  for (NodeId id : graph::reachable(g, roots)) {
    const Node& n = g.node(id);
    const Span origin = g.origin(id);
    if (n.op == Op::constant) {
      const double c = g.constant_value(id);
      value[id.value] = push({Inst::Kind::constant, Op::constant, {}, false, static_cast<std::uint32_t>(block.constants.size()), 0, 0}, origin);
      block.constants.push_back(c);
    } else if (n.op == Op::leaf) {
      value[id.value] = load(place_of(n), origin);
    } else {
      const std::uint32_t k = graph::arity(n.op);
      value[id.value] = push({Inst::Kind::op, n.op, {}, false, value[n.a], k > 1 ? value[n.b] : 0, k > 2 ? value[n.c] : 0}, origin);
    }
  }
  for (const Store& s : stores) {
    const Span origin = g.origin(s.value);
    std::uint32_t v = value[s.value.value];
    if (s.accumulate) v = push({Inst::Kind::op, Op::add, {}, false, load(s.place, origin), v, 0}, origin);
    push({Inst::Kind::store, Op::leaf, s.place.space, s.place.indexed, v, s.place.index, 0}, origin);
  }
  return block;
}

}  // namespace mbc::formulate
