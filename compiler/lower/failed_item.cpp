// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/failed_item.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/graph/tables.h"
namespace mbc::lower {

namespace {

class PartSearch {
 public:
  PartSearch(const System& system, const Part& part, const problem::FailedOperation& at)
      : system_(system), family_(part.family), graph_(part.family.shape.graph), at_(at) {
    std::vector<NodeId> roots;
    for (const Contribution& c : part.contributions) roots.push_back(c.value);
    order_ = graph::reachable(graph_, roots);
    value_.resize(order_.empty() ? 0 : order_.back().value + 1);
  }

  [[nodiscard]] bool has(Span origin, std::uint32_t instance) const {
    return std::any_of(order_.begin(), order_.end(), [&](NodeId id) { return stands_at(origin, instance, id); });
  }

  // Unknown operands are NaN, so that an operation on them is never the first to fail.
  bool fails(Span origin, std::uint32_t instance) {
    for (NodeId id : order_) {
      const Node& n = graph_.node(id);
      double& v = value_[id.value];
      if (n.op == Op::constant) {
        v = graph_.constant_value(id);
        continue;
      }
      if (n.op == Op::leaf) {
        v = leaf(n, instance);
        continue;
      }
      const std::uint32_t k = arity(n.op);
      const double a = value_[n.a], b = k > 1 ? value_[n.b] : 0, c = k > 2 ? value_[n.c] : 0;
      v = graph::apply(graph_, n, a, b, c);
      if (!std::isfinite(v) && std::isfinite(a) && std::isfinite(b) && std::isfinite(c) &&
          stands_at(origin, instance, id))
        return true;
    }
    return false;
  }

 private:
  [[nodiscard]] bool stands_at(Span origin, std::uint32_t instance, NodeId id) const {
    return family_.place(instance, graph_.origin(id)) == origin && arity(graph_.node(id).op) > 0;
  }

  [[nodiscard]] double leaf(const Node& n, std::uint32_t instance) const {
    if (n.leaf == LeafKind::time) return at_.t;
    const std::uint32_t index = family_.index(instance, n.a), speeds = system_.n_coordinates;
    switch (n.leaf) {
      case LeafKind::coordinate:
        return at_.y[index];
      case LeafKind::speed:
        return at_.y[speeds + index];
      case LeafKind::state:
        return at_.y[speeds + system_.n_speeds + index];
      case LeafKind::param:
        return index < at_.params.size() ? at_.params[index] : std::numeric_limits<double>::quiet_NaN();
      case LeafKind::input:
        return index < at_.inputs.size() ? at_.inputs[index] : std::numeric_limits<double>::quiet_NaN();
      case LeafKind::slot_constant:
        return family_.constants[index];
      case LeafKind::time:   // handled above
      case LeafKind::accel:  // these are results of the equations of motion
      case LeafKind::state_rate:
      case LeafKind::multiplier:
      case LeafKind::ideal:
      case LeafKind::mask:
        break;
    }
    return std::numeric_limits<double>::quiet_NaN();
  }

  const System& system_;
  const Family& family_;
  const Graph& graph_;
  const problem::FailedOperation& at_;
  std::vector<NodeId> order_;
  std::vector<double> value_;  // by node
};

}  // namespace

std::optional<ItemPlace> failed_item(const System& system, const sema::Model& model,
                                     const problem::FailedOperation& failed) {
  std::optional<ItemPlace> only;
  bool several = false;
  for (const Part& part : system.parts) {
    PartSearch search(system, part, failed);
    for (std::uint32_t k = 0; k < part.family.count; ++k) {
      if (!search.has(failed.origin, k)) continue;
      ItemPlace item = item_of(part, part.family.items[k], model);
      if (search.fails(failed.origin, k)) return item;
      several |= only && only->name != item.name;
      only = std::move(item);
    }
  }
  if (several) return {};
  return only;
}

bool written_many_times(const sema::Model& m) {
  const auto element = [](const auto& list) {
    return std::any_of(list.begin(), list.end(),
                       [](const auto& of) { return std::string(of.name).find('[') != std::string::npos; });
  };
  return !m.instances.empty() || element(m.forces) || element(m.torques) || element(m.loads) || element(m.energies) ||
         element(m.constraints) || element(m.states) || element(m.outputs);
}

}  // namespace mbc::lower
