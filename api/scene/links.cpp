// SPDX-License-Identifier: Apache-2.0
#include "api/scene/links.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mbc::api {

using graph::LeafKind;
using graph::Node;
using graph::NodeId;
using graph::Op;

namespace {

constexpr std::size_t kMostCandidates = 200;  // places that share a component: those of one body, a row of a net

class LinkFinder {
 public:
  // `places` has the positions of all places, `space` components each. The comparison adds nodes to the graph.
  LinkFinder(sema::Model& model, const std::vector<std::vector<NodeId>>& places)
      : model_(model), graph_(model.graph), places_(places) {
    for (std::uint32_t p = 0; p < places_.size(); ++p)
      for (std::uint32_t k = 0; k < model_.space; ++k) {
        auto& list = component_[places_[p][k].value];
        if (!graph_.is_constant(places_[p][k]) && list.size() < kMostCandidates) list.emplace_back(p, k);
      }
  }

  [[nodiscard]] std::vector<FoundLink> find() {
    constraints();
    potentials();
    forces();
    return std::move(links_);
  }

 private:
  using NodeId = graph::NodeId;
  using Ends = std::pair<FoundEnd, FoundEnd>;

  // Inequalities that keep two points apart, such as the contact of two balls, fix no distance and are not drawn.
  void constraints() {
    std::map<std::uint32_t, NodeId> one_sided;
    for (const sema::Unilateral& u : model_.unilaterals) one_sided[u.constraint] = u.residual;
    for (std::uint32_t at = 0; at < model_.constraints.size(); ++at) {
      const sema::Constraint& c = model_.constraints[at];
      if (const auto u = one_sided.find(at); u != one_sided.end() && !is_rope(u->second)) continue;
      std::vector<NodeId> rows;
      for (std::uint32_t k = 0; k < c.row_count; ++k) {
        const sema::Equation& e = model_.equations[c.first_row + k];
        if (!e.of_body && e.level == ad::Level::position) rows.push_back(e.residual);
      }
      if (rows.size() == model_.space)
        if (std::optional<Ends> ends = ends_of(rows)) {
          links_.push_back({SceneLink::Kind::joint, c.name.text(), std::move(ends->first), std::move(ends->second)});
          continue;
        }
      for (const NodeId row : rows) distances_in(row, SceneLink::Kind::rod, c.name.text());
    }
  }

  void potentials() {
    for (const sema::EnergyTerm& e : model_.energies)
      if (e.kind == sema::EnergyTerm::Kind::potential) distances_in(e.value, SceneLink::Kind::spring, e.name);
  }

  // `force F on b from a` is two forces with the same name and opposite values.
  void forces() {
    for (std::size_t k = 0; k + 1 < model_.forces.size(); ++k) {
      const sema::Force &on = model_.forces[k], &from = model_.forces[k + 1];
      if (on.name != from.name || on.span != from.span || on.position == from.position) continue;
      const auto end = [this](const std::vector<NodeId>& position) {
        const auto found = std::find(places_.begin(), places_.end(), position);
        if (found == places_.end()) return FoundEnd{position, {}};
        return FoundEnd{position, static_cast<std::uint32_t>(found - places_.begin())};
      };
      add(SceneLink::Kind::force, on.name, {end(from.position), end(on.position)});
      ++k;
    }
  }

  // Returns whether a row >= 0 subtracts a distance, `dist(a, b) <= l`.
  [[nodiscard]] bool is_rope(NodeId row) const {
    std::vector<std::pair<NodeId, bool>> open{{row, false}};
    std::set<std::pair<std::uint32_t, bool>> seen;  // sums may share terms
    while (!open.empty()) {
      const auto [id, taken] = open.back();
      const Node& n = graph_.node(id);
      open.pop_back();
      if (!seen.insert({id.value, taken}).second) continue;
      if (n.op == Op::sqrt || n.op == Op::abs) return taken;
      if (n.op == Op::neg) open.emplace_back(NodeId{n.a}, !taken);
      if (n.op == Op::add || n.op == Op::sub)
        open.insert(open.end(), {{NodeId{n.b}, taken != (n.op == Op::sub)}, {NodeId{n.a}, taken}});
    }
    return false;
  }

  // Finds every sum of squares below `value`, the larger sums first.
  void distances_in(NodeId value, SceneLink::Kind kind, const std::string& name) {
    std::vector<NodeId> below = graph::reachable(graph_, {&value, 1});
    std::reverse(below.begin(), below.end());
    std::set<std::uint32_t> parts;  // parts of sums that were examined
    for (const NodeId divisor : divisors_in(below)) parts.insert(divisor.value);
    for (const NodeId node : below) {
      const Node n = graph_.node(node);
      if (parts.contains(node.value)) {
        if (n.op == Op::add) parts.insert({n.a, n.b});
        continue;
      }
      const bool length = model_.space == 1 ? n.op == Op::abs : n.op == Op::add || n.op == Op::mul;
      if (!length) continue;
      if (n.op == Op::add) parts.insert({n.a, n.b});
      if (std::optional<Ends> ends = ends_of(squares_of(node))) add(kind, name, *std::move(ends));
    }
  }

  // A force between the ends of a rod or a spring is not drawn again.
  void add(SceneLink::Kind kind, const std::string& name, Ends ends) {
    std::vector<std::uint32_t> a, b;
    for (const NodeId n : ends.first.position) a.push_back(n.value);
    for (const NodeId n : ends.second.position) b.push_back(n.value);
    if (b < a) std::swap(a, b);
    a.insert(a.end(), b.begin(), b.end());
    if (seen_.contains({kind, a})) return;
    seen_.insert({kind, a});
    seen_.insert({SceneLink::Kind::force, a});
    links_.push_back({kind, name, std::move(ends.first), std::move(ends.second)});
  }

  // Returns d of every d*d (of |d| on a line); none if the sum has other terms that depend on coordinates.
  [[nodiscard]] std::vector<NodeId> squares_of(NodeId sum) const {
    std::vector<NodeId> open{sum}, found;
    while (!open.empty()) {
      const NodeId id = open.back();
      const Node& n = graph_.node(id);
      open.pop_back();
      if (n.op == Op::abs && model_.space == 1)
        found.push_back({n.a});
      else if (n.op == Op::add && open.size() < 3)
        open.insert(open.end(), {NodeId{n.a}, NodeId{n.b}});
      else if (n.op == Op::mul && n.a == n.b)
        found.push_back({n.a});
      else if (!fixed(id))
        return {};
    }
    return found.size() <= model_.space ? found : std::vector<NodeId>{};
  }

  // Returns the nodes below divisors: a potential 1/r attracts or repels and is not a spring.
  [[nodiscard]] std::vector<NodeId> divisors_in(const std::vector<NodeId>& nodes) const {
    std::vector<NodeId> divisors;
    for (const NodeId id : nodes)
      if (const Node& n = graph_.node(id); n.op == Op::div) divisors.push_back({n.b});
    return divisors.empty() ? divisors : graph::reachable(graph_, divisors);
  }

  // Returns the ends whose components have these differences.
  [[nodiscard]] std::optional<Ends> ends_of(const std::vector<NodeId>& all) {
    for (const NodeId d : all)
      if (std::optional<Ends> ends = match(d, all)) return ends;
    return {};
  }

  // Returns whether d is a - b or b - a, in one of the forms that the graph gives it.
  [[nodiscard]] bool is_difference(NodeId d, NodeId a, NodeId b) {
    for (int order = 0; order < 2; ++order, std::swap(a, b)) {
      if (graph_.sub(a, b) == d) return true;
      if (graph_.is_constant(b) && graph_.add(a, graph_.neg(b)) == d) return true;
    }
    return false;
  }

  // Returns whether every d is the difference of one component, and no other component differs by a variable.
  [[nodiscard]] bool same_ends(const std::vector<NodeId>& a, const std::vector<NodeId>& b,
                               const std::vector<NodeId>& all) {
    std::size_t used = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      const bool found = std::any_of(all.begin(), all.end(), [&](NodeId d) { return is_difference(d, a[k], b[k]); });
      if (!found && !graph_.is_constant(graph_.sub(a[k], b[k]))) return false;
      used += found ? 1 : 0;
    }
    return used == all.size();
  }

  // Returns pairs x, y with d = x - y; y may be zero.
  [[nodiscard]] std::vector<std::pair<NodeId, NodeId>> differences(NodeId d) {
    const Node n = graph_.node(d);
    std::vector<std::pair<NodeId, NodeId>> pairs{{d, graph_.zero()}, {graph_.zero(), graph_.neg(d)}};
    if (n.op == Op::sub) pairs.emplace_back(NodeId{n.a}, NodeId{n.b});
    if (n.op == Op::add) {
      pairs.emplace_back(NodeId{n.a}, graph_.neg({n.b}));
      pairs.emplace_back(NodeId{n.b}, graph_.neg({n.a}));
    }
    return pairs;
  }

  // Returns ends with d as the difference of a component.
  [[nodiscard]] std::optional<Ends> match(NodeId d, const std::vector<NodeId>& all) {
    const auto fits = [&](const std::vector<NodeId>& a, const std::vector<NodeId>& b) { return same_ends(a, b, all); };
    const auto places = [this](NodeId node) {
      const auto found = component_.find(node.value);
      return found == component_.end() ? std::vector<std::pair<std::uint32_t, std::uint32_t>>{} : found->second;
    };
    for (const auto& [x, y] : differences(d)) {
      const auto of_x = places(x), of_y = places(y);
      for (const auto& [p, k] : of_x)
        for (const auto& [q, m] : of_y)
          if (k == m && p != q && fits(places_[p], places_[q])) return Ends{end_of(p), end_of(q)};
      for (const auto& [p, k] : of_x)
        if (const auto other = other_end(places_[p], all, true); other && fits(places_[p], *other))
          return Ends{end_of(p), FoundEnd{*other, {}}};
      for (const auto& [q, m] : of_y)
        if (const auto other = other_end(places_[q], all, false); other && fits(*other, places_[q]))
          return Ends{FoundEnd{*other, {}}, end_of(q)};
    }
    return {};
  }

  // Returns the end that is not a place of the model: a component is the known one minus the difference, or equal to it
  // if there is no difference.
  [[nodiscard]] std::optional<std::vector<NodeId>> other_end(const std::vector<NodeId>& known,
                                                             const std::vector<NodeId>& all, bool known_first) {
    std::vector<NodeId> other;
    for (const NodeId component : known) {
      NodeId found = component;
      for (const NodeId d : all)
        for (const auto& [x, y] : differences(d))
          if (component == (known_first ? x : y) && fixed(known_first ? y : x)) found = known_first ? y : x;
      if (!fixed(found)) return {};
      other.push_back(found);
    }
    return other;
  }

  // without coordinates
  [[nodiscard]] bool fixed(NodeId node) const {
    return std::ranges::all_of(graph::leaves(graph_, node), [](const graph::Node& n) {
      return n.leaf == LeafKind::param || n.leaf == LeafKind::time || n.leaf == LeafKind::input;
    });
  }

  [[nodiscard]] FoundEnd end_of(std::uint32_t place) const { return {places_[place], place}; }

  sema::Model& model_;
  graph::Graph& graph_;
  const std::vector<std::vector<NodeId>>& places_;
  std::unordered_map<std::uint32_t, std::vector<std::pair<std::uint32_t, std::uint32_t>>> component_;  // place, k
  std::vector<FoundLink> links_;
  std::set<std::pair<SceneLink::Kind, std::vector<std::uint32_t>>> seen_;
};

}  // namespace

std::vector<FoundLink> find_links(sema::Model& model, const std::vector<std::vector<NodeId>>& places) {
  return LinkFinder(model, places).find();
}

}  // namespace mbc::api
