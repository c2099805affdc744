// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/template.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <unordered_set>

namespace mbc::lower {

namespace {

// Returns whether simplification or meaning depends on a literal. Such literals stay in the shape; others may differ
// between instances.
bool structural(double c) {
  const double m = std::fabs(c);
  return m == 0 || m == 0.5 || m == 1 || m == 2 || !std::isnormal(m);  // denormal numbers name tables
}

void append(std::string& key, std::uint32_t word) {
  char bytes[4];
  std::memcpy(bytes, &word, 4);
  key.append(bytes, 4);
}

constexpr std::uint32_t kLiftable = 0xfffffffeu;
constexpr std::uint32_t kNone = 0xffffffffu;
constexpr std::size_t kPlacesKept = 200;  // instances: larger families are loops in the text, or code in loops

}  // namespace

FamilyBuilder::FamilyBuilder(const sema::Model& model, std::uint32_t state_depth)
    : model_(model), state_depth_(state_depth) {
  for (std::uint32_t i = 0; i < model.bodies.size(); ++i)
    if (const sema::Body& b = model.bodies[i]; !b.negated_rotation.empty())
      for (const auto* entries : {&b.rotation, &b.negated_rotation})
        for (NodeId entry : *entries) body_of_[entry.value] = i;
}

// Finds bodies described by quaternions: p' = p o (0, omega)/2 and R = R(p)/|p|^2 make R' = R skew(omega) exact for any
// length of p. Every entry of R holds the four parameters, whose rates hold the three speeds, so that all have slots.
void FamilyBuilder::find_turning(Template& t, const std::unordered_map<std::uint32_t, NodeId>& image,
                                 const std::unordered_map<std::uint64_t, std::uint32_t>& slot_of) const {
  std::set<std::uint32_t> bodies;
  for (const auto& [node, made] : image)
    if (const auto it = body_of_.find(node); it != body_of_.end()) bodies.insert(it->second);
  const auto slot = [&](const Node& n) {
    return t.graph.leaf(n.leaf, slot_of.at(static_cast<std::uint64_t>(n.leaf) << 32 | n.a));
  };
  for (std::uint32_t i : bodies) {
    const sema::Body& b = model_.bodies[i];
    ad::Turning turning;
    std::ranges::copy(graph::copy_into(model_.graph, b.rotation, t.graph, slot), turning.rotation.begin());
    std::ranges::copy(graph::copy_into(model_.graph, b.omega, t.graph, slot), turning.omega.begin());
    t.turning.push_back(turning);
  }
}

// Numbers the nodes below `root` in evaluation order and writes their shape to `key`.
std::uint32_t FamilyBuilder::visit(NodeId root, Item& item, Group& group, std::string& key) {
  const Graph& g = model_.graph;
  if (stamp_.size() < g.size()) {
    stamp_.resize(g.size(), 0);
    local_.resize(g.size(), 0);
  }
  const auto done = [this](NodeId id) { return stamp_[id.value] == epoch_; };
  graph::each_below(g, root, done, [&](NodeId id) {
    const Node& n = g.node(id);
    key += static_cast<char>(n.op);
    if (n.op == Op::constant) {
      const double c = g.constant_value(id);
      if (structural(c)) {
        append(key, n.a);
        append(key, n.b);
      } else {
        append(key, kLiftable);
        item.constants.push_back(c);
      }
    } else if (n.op == Op::leaf) {
      key += static_cast<char>(n.leaf);
      if (n.leaf != LeafKind::time) {
        group.slots.push_back({n.leaf});
        item.leaves.push_back(n.a);
      }
    } else {
      for (const NodeId x : graph::Operands(n)) append(key, local_[x.value]);
    }
    stamp_[id.value] = epoch_;
    local_[id.value] = next_local_++;
  });
  return local_[root.value];
}

void FamilyBuilder::add(std::uint32_t item_number, const std::vector<NodeId>& roots) {
  ++epoch_;
  next_local_ = 0;
  Item item;
  Group shape;
  item.item = item_number;
  item.roots = roots;
  std::string key;
  for (NodeId root : roots) append(key, visit(root, item, shape, key));
  // adds the rates of the coordinates and states found, which may hold further ones; state_depth_ limits rates of
  // states
  std::vector<std::uint32_t> depth(shape.slots.size(), 0);
  for (std::size_t s = 0; s < shape.slots.size(); ++s) {
    const bool state = shape.slots[s].kind == LeafKind::state && depth[s] < state_depth_;
    if (shape.slots[s].kind != LeafKind::coordinate && !state) {
      shape.rate_root.push_back(kNone);
      continue;
    }
    const NodeId rate = state ? model_.states[item.leaves[s]].rate : model_.coordinates[item.leaves[s]].rate;
    shape.rate_root.push_back(static_cast<std::uint32_t>(item.roots.size()));
    item.roots.push_back(rate);
    append(key, visit(rate, item, shape, key));
    depth.resize(shape.slots.size(), depth[s] + (state ? 1 : 0));
  }
  const auto [it, fresh] = by_shape_.try_emplace(std::move(key), groups_.size());
  if (fresh) groups_.push_back(std::move(shape));
  groups_[it->second].items.push_back(std::move(item));
}

Family FamilyBuilder::build(const Group& group) const {
  Family family;
  Template& t = family.shape;
  t.graph.share_tables(model_.graph.tables());
  t.slots = group.slots;
  t.rate_root = group.rate_root;
  const Item& first = group.items.front();
  // literals that differ between instances get a slot
  std::vector<std::uint32_t> constant_slot(first.constants.size(), kNone);
  for (std::size_t c = 0; c < first.constants.size(); ++c) {
    bool equal = true;
    for (const Item& item : group.items) equal &= item.constants[c] == first.constants[c];
    if (equal) continue;
    constant_slot[c] = static_cast<std::uint32_t>(t.slots.size());
    t.slots.push_back({LeafKind::slot_constant});
    t.rate_root.push_back(kNone);
  }
  // Copies the first item's graph with leaves renamed to slots. Both walks meet leaves and literals of equal shapes in
  // the same order only in `visit`, so that the mapping here is by value: global leaf -> slot, literal -> its position.
  std::unordered_map<std::uint64_t, std::uint32_t> slot_of;
  for (std::uint32_t s = 0; s < first.leaves.size(); ++s)
    slot_of[static_cast<std::uint64_t>(group.slots[s].kind) << 32 | first.leaves[s]] = s;
  std::unordered_map<double, std::uint32_t> literal_of;
  for (std::uint32_t c = 0; c < first.constants.size(); ++c) literal_of[first.constants[c]] = c;

  const Graph& g = model_.graph;
  const std::vector<NodeId> order = graph::reachable(g, first.roots);
  std::unordered_map<std::uint32_t, NodeId> image;
  for (NodeId id : order) {
    const Node& n = g.node(id);
    graph::SpanScope scope(t.graph, g.origin(id));
    NodeId made;
    if (n.op == Op::constant) {
      const double value = g.constant_value(id);
      const auto lifted = literal_of.find(value);
      made = lifted != literal_of.end() && constant_slot[lifted->second] != kNone
                 ? t.graph.leaf(LeafKind::slot_constant, constant_slot[lifted->second])
                 : t.graph.constant(value);
    } else if (n.op == Op::leaf) {
      made = n.leaf == LeafKind::time
                 ? t.graph.leaf(LeafKind::time, 0)
                 : t.graph.leaf(n.leaf, slot_of.at(static_cast<std::uint64_t>(n.leaf) << 32 | n.a));
    } else {
      made = t.graph.remake(n, [&](std::uint32_t of) { return image.at(of); });
    }
    image[id.value] = made;
  }
  for (NodeId root : first.roots) t.roots.push_back(image.at(root.value));
  find_turning(t, image, slot_of);

  family.rows.reserve(group.items.size() * t.slots.size());
  family.items.reserve(group.items.size());
  for (const Item& item : group.items) {
    family.rows.insert(family.rows.end(), item.leaves.begin(), item.leaves.end());
    for (std::size_t c = 0; c < constant_slot.size(); ++c)
      if (constant_slot[c] != kNone) {
        family.rows.push_back(static_cast<std::uint32_t>(family.constants.size()));
        family.constants.push_back(item.constants[c]);
      }
    family.items.push_back(item.item);
  }
  family.count = static_cast<std::uint32_t>(group.items.size());
  if (group.items.size() > 1 && group.items.size() <= kPlacesKept) find_places(family, group);
  return family;
}

// Returns all nodes below the roots, operands first, in the same order for equal shapes.
std::vector<NodeId> FamilyBuilder::in_order(const std::vector<NodeId>& roots) const {
  std::unordered_set<std::uint32_t> done;
  std::vector<NodeId> order;
  for (NodeId root : roots)
    graph::each_below(
        model_.graph, root, [&](NodeId id) { return done.contains(id.value); },
        [&](NodeId id) {
          done.insert(id.value);
          order.push_back(id);
        });
  return order;
}

void FamilyBuilder::find_places(Family& family, const Group& group) const {
  const Graph& g = model_.graph;
  const std::vector<NodeId> first = in_order(group.items.front().roots);
  family.places.resize(group.items.size());
  for (std::size_t k = 1; k < group.items.size(); ++k) {
    const std::vector<NodeId> other = in_order(group.items[k].roots);
    auto& places = family.places[k];
    for (std::size_t i = 0; i < std::min(first.size(), other.size()); ++i) {
      const std::pair<Span, Span> place{g.origin(first[i]), g.origin(other[i])};
      if (place.first.known() && place.second.known() && place.first != place.second &&
          std::find(places.begin(), places.end(), place) == places.end())
        places.push_back(place);
    }
  }
}

std::uint32_t Family::append_slot(LeafKind kind, const std::function<std::uint32_t(std::uint32_t)>& index_of) {
  const std::size_t n = shape.slots.size();
  std::vector<std::uint32_t> wider;
  wider.reserve(rows.size() + count);
  for (std::uint32_t k = 0; k < count; ++k) {
    wider.insert(wider.end(), rows.begin() + static_cast<std::ptrdiff_t>(k * n),
                 rows.begin() + static_cast<std::ptrdiff_t>((k + 1) * n));
    wider.push_back(index_of(k));
  }
  rows = std::move(wider);
  shape.slots.push_back({kind});
  shape.rate_root.push_back(kNone);
  return static_cast<std::uint32_t>(n);
}

std::uint32_t Family::add_slot(LeafKind kind, std::uint32_t like) {
  return append_slot(kind, [&](std::uint32_t k) { return index(k, like); });
}

std::uint32_t Family::add_item_slot(LeafKind kind) {
  return append_slot(kind, [&](std::uint32_t k) { return items[k]; });
}

std::uint32_t Family::add_shared_slot(LeafKind kind, std::uint32_t global) {
  return append_slot(kind, [&](std::uint32_t) { return global; });
}

std::vector<Family> FamilyBuilder::finish() {
  std::vector<Family> families;
  for (Group& group : groups_) {
    families.push_back(build(group));
    group = {};
  }
  return families;
}

}  // namespace mbc::lower
