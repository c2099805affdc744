// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/tree/folding.h"

#include <cmath>
#include <map>
#include <unordered_map>

#include "compiler/graph/evaluate.h"
#include "compiler/sema/each_node.h"
#include "compiler/sema/tree/drawn_values.h"

namespace mbc::sema {

namespace {

constexpr int kFoldStates = 8;
constexpr double kFoldSame = 1e-11;  // of the number, or of the terms of the last sum that vanishes
// The values of some nodes, which hold all that are below them, in one drawn state, and the sizes of their last sums.
struct Drawn {
  std::vector<double> values, sizes;
  [[nodiscard]] bool same(std::size_t k, double value) const {
    return std::fabs(values[k] - value) <= kFoldSame * (value == 0 ? sizes[k] : std::fabs(value));
  }
};
Drawn drawn(const graph::Graph& g, const std::vector<NodeId>& order, int state) {
  Drawn d{graph::evaluate(g, order, [state](const Node& n) { return drawn_leaf(n, state); }), {}};
  d.sizes = sizes_of_last_sums(g, order, d.values);
  return d;
}

// A node that may be `sign` times a leaf, or times 1 or 0.
struct Meant {
  std::size_t node = 0;  // in the order
  NodeId target;
  double sign = 1;
};

class NodeFolding {
 public:
  explicit NodeFolding(Model& model) : model_(model), g_(model.graph) {
    std::vector<NodeId> roots;
    each_node(model, [&](const NodeId& n) { roots.push_back(n); });
    order_ = graph::reachable(g_, roots);
    for (const Coordinate& q : model.coordinates) {
      if (q.of_joint == Coordinate::OfJoint::none) continue;
      const Node u = g_.node(q.rate);
      targets_.push_back(q.rate);
      targets_.push_back(g_.leaf(LeafKind::accel, u.a));
      targets_.push_back(g_.leaf(LeafKind::coordinate, *model.speeds[u.a].coordinate));
    }
  }

  void run() {
    std::vector<Meant> found = first_state();
    if (found.empty()) return;
    for (int state = 1; state < kFoldStates; ++state) {
      const Drawn d = drawn(g_, order_, state);
      std::erase_if(found, [&](const Meant& m) {
        return !d.same(m.node, m.sign * (g_.node(m.target).op == Op::leaf ? drawn_leaf(g_.node(m.target), state)
                                                                          : g_.constant_value(m.target)));
      });
    }
    if (!found.empty()) replace(found);
  }

 private:
  std::vector<Meant> first_state() {
    std::multimap<double, NodeId> by_size;
    for (const NodeId t : targets_) by_size.emplace(std::fabs(drawn_leaf(g_.node(t), 0)), t);
    for (const NodeId t : {g_.zero(), g_.one()}) by_size.emplace(g_.constant_value(t), t);
    const Drawn d = drawn(g_, order_, 0);
    const std::vector<char> beyond = beyond_draws(g_, order_, Beyond::all);
    std::vector<Meant> found;
    for (std::size_t k = 0; k < order_.size(); ++k) {
      if (kernel::arity(g_.node(order_[k]).op) == 0 || beyond[k] != 0) continue;
      const double size = std::fabs(d.values[k]);
      auto it = by_size.lower_bound(size * (1 - 2 * kFoldSame));
      if (d.same(k, 0)) it = by_size.begin();
      if (it == by_size.end()) continue;
      const double value = g_.node(it->second).op == Op::leaf ? drawn_leaf(g_.node(it->second), 0) : it->first;
      const double sign = value == 0 || (value < 0) == (d.values[k] < 0) ? 1.0 : -1.0;
      if (d.same(k, sign * value)) found.push_back({k, it->second, sign});
    }
    return found;
  }

  void replace(const std::vector<Meant>& found) {
    std::unordered_map<std::uint32_t, NodeId> image(order_.size());
    for (const Meant& m : found) image[order_[m.node].value] = m.sign < 0 ? g_.neg(m.target) : m.target;
    for (const NodeId id : order_) {
      if (image.contains(id.value)) continue;
      const Node n = g_.node(id);
      const graph::SpanScope scope(g_, g_.origin(id));
      image[id.value] = kernel::arity(n.op) == 0 ? id : g_.remake(n, [&](std::uint32_t of) { return image.at(of); });
    }
    each_node(model_, [&](NodeId& n) { n = image.at(n.value); });
  }

  Model& model_;
  graph::Graph& g_;
  std::vector<NodeId> order_, targets_;
};

class TorqueFolding {
 public:
  explicit TorqueFolding(Model& model) : model_(model), g_(model.graph) {}

  void run() {
    std::vector<Torque> kept;
    std::map<std::uint32_t, std::uint32_t> moved;  // where torques are now
    for (std::uint32_t k = 0; k < model_.torques.size(); ++k) {
      const std::uint32_t count = with_reaction(k) ? 2 : 1;
      if (folded(k, count)) {
        k += count - 1;
        continue;
      }
      moved[k] = static_cast<std::uint32_t>(kept.size());
      kept.push_back(model_.torques[k]);
    }
    for (Friction& f : model_.frictions) f.load = moved.at(f.load);
    model_.torques = std::move(kept);
  }

 private:
  // A torque on one body from another one is two torques of one statement.
  [[nodiscard]] bool with_reaction(std::uint32_t k) const {
    if (k + 1 >= model_.torques.size()) return false;
    const Torque &a = model_.torques[k], &b = model_.torques[k + 1];
    return a.name == b.name && a.span == b.span && !a.friction && !b.friction;
  }

  bool folded(std::uint32_t first, std::uint32_t count) {
    const Torque t = model_.torques[first];
    if (t.friction) return false;
    NodeId power = g_.zero();
    std::map<std::uint32_t, NodeId> along;  // by speed
    for (std::uint32_t k = first; k < first + count; ++k)
      for (std::size_t i = 0; i < model_.torques[k].value.size(); ++i) {
        const NodeId value = model_.torques[k].value[i], omega = model_.torques[k].omega[i];
        power = g_.add(power, g_.mul(value, omega));
        for (const auto& [speed, J] : ad::differentiate(g_, omega, Level::velocity, model_.motion()).jacobian) {
          NodeId& sum = along.try_emplace(speed, g_.zero()).first->second;
          sum = g_.add(sum, g_.mul(value, J));
        }
      }
    for (const auto& [speed, force] : along) {
      const std::optional<std::uint32_t> q = model_.speeds[speed].coordinate;
      if (!q || model_.coordinates[*q].of_joint == Coordinate::OfJoint::none) continue;
      const NodeId u = g_.leaf(LeafKind::speed, speed);
      if (!vanishes_everywhere(g_.sub(power, g_.mul(force, u)))) continue;
      model_.loads.push_back({t.name, simplest(force), u, t.span, t.nonideal});
      return true;
    }
    return false;
  }

  bool vanishes_everywhere(NodeId e) {
    const std::vector<NodeId> order = graph::reachable(g_, {&e, 1});
    if (beyond_draws(g_, order, Beyond::all).back() != 0) return false;
    for (int state = 0; state < kFoldStates; ++state) {
      const Drawn d = drawn(g_, order, state);
      if (!d.same(order.size() - 1, 0)) return false;
    }
    return true;
  }

  // Returns the first node below an expression that has its value, up to the sign, in all drawn states.
  NodeId simplest(NodeId e) {
    const std::vector<NodeId> order = graph::reachable(g_, {&e, 1});
    std::vector<Drawn> states;
    for (int state = 0; state < kFoldStates; ++state) states.push_back(drawn(g_, order, state));
    for (std::size_t k = 0; k + 1 < order.size(); ++k)
      for (const double sign : {1.0, -1.0}) {
        const auto same = [&](const Drawn& d) {
          return d.values[k] != 0 && d.same(order.size() - 1, sign * d.values[k]);
        };
        if (std::ranges::all_of(states, same)) return sign < 0 ? g_.neg(order[k]) : order[k];
      }
    return e;
  }

  Model& model_;
  graph::Graph& g_;
};

// Returns the sum of constants times speeds that an angular velocity is, or the angular velocity itself.
NodeId with_constant_axes(Model& model, NodeId omega) {
  graph::Graph& g = model.graph;
  NodeId sum = g.zero();
  for (const auto& [speed, slope] : ad::differentiate(g, omega, Level::velocity, model.motion()).jacobian) {
    const std::vector<NodeId> order = graph::reachable(g, {&slope, 1});
    if (beyond_draws(g, order, Beyond::all).back() != 0) return omega;
    const Drawn first = drawn(g, order, 0);
    const std::size_t last = order.size() - 1;
    const double axis = first.same(last, 0) ? 0 : first.values[last];
    for (int state = 1; state < kFoldStates; ++state)
      if (!drawn(g, order, state).same(last, axis)) return omega;
    sum = g.add(sum, g.mul(g.constant(axis), g.leaf(LeafKind::speed, speed)));
  }
  return sum;
}

}  // namespace

void fold_nodes(Model& model) { NodeFolding(model).run(); }

void fold_axes(Model& model) {
  for (Link& l : model.links)
    for (NodeId& omega : l.omega) omega = with_constant_axes(model, omega);
}

void fold_torques(Model& model) { TorqueFolding(model).run(); }

}  // namespace mbc::sema
