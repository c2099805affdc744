// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/prescribed_bodies.h"

#include <numeric>

#include "base/disjoint_sets.h"

namespace mbc::sema {

namespace {

// Groups of coordinates: those of one body or particle, those that rows at position level connect, and those that place
// a body of a tree.
class Groups {
 public:
  explicit Groups(const Model& model) : model_(model), sets_(model.coordinates.size()), tied_(sets_.size(), 0) {
    for (const Body& b : model.bodies)
      if (b.first_coordinate) join(coordinates_of(b));
    for (const Particle& p : model.particles)
      if (p.first_coordinate) join(coordinates_from(*p.first_coordinate, model.space));
    for (const Equation& e : model.equations)
      if (e.level == Level::position && !e.of_body) tie({e.residual});
    for (const Body& b : model.bodies)
      if (b.representation == Representation::tree) {
        tie(b.position);
        tie(b.rotation);
      }
    // a group may have been joined to another one after it was marked
    for (std::uint32_t i = 0; i < sets_.size(); ++i)
      if (tied_[i] != 0) tied_[root(i)] = 1;
  }

  [[nodiscard]] std::vector<std::uint32_t> coordinates_in(const std::vector<NodeId>& nodes) const {
    std::vector<std::uint32_t> list;
    for (const Node& n : graph::leaves(model_.graph, nodes))
      if (n.leaf == LeafKind::coordinate) list.push_back(n.a);
    return list;
  }
  [[nodiscard]] std::vector<std::uint32_t> coordinates_of(const Body& b) const {
    const std::uint32_t turning = model_.space == 2 ? 1 : b.representation == Representation::natural ? 9 : 4;
    return coordinates_from(*b.first_coordinate, model_.space + turning);
  }
  [[nodiscard]] bool tied(std::uint32_t i) { return tied_[root(i)] != 0; }
  std::uint32_t root(std::uint32_t i) { return sets_.root(i); }

 private:
  static std::vector<std::uint32_t> coordinates_from(std::uint32_t first, std::uint32_t count) {
    std::vector<std::uint32_t> list(count);
    std::iota(list.begin(), list.end(), first);
    return list;
  }
  void tie(const std::vector<NodeId>& nodes) {
    const std::vector<std::uint32_t> touched = coordinates_in(nodes);
    join(touched);
    for (const std::uint32_t i : touched) tied_[root(i)] = 1;
  }
  void join(const std::vector<std::uint32_t>& list) {
    for (const std::uint32_t i : list) sets_.join(i, list.front());
  }

  const Model& model_;
  DisjointSets sets_;
  std::vector<char> tied_;  // at roots: whether a row of the user's ties the group
};

}  // namespace

void free_prescribed(Model& model, std::vector<NodeId> said) {
  for (const InitialTarget& t : model.initial_targets)
    if (t.level == Level::position) said.push_back(t.target);
  if (said.empty()) return;
  Groups groups(model);
  std::vector<char> follows(model.coordinates.size(), 0);  // at roots
  for (const std::uint32_t i : groups.coordinates_in(said))
    if (groups.tied(i)) follows[groups.root(i)] = 1;
  std::vector<char> kept(model.coordinates.size(), 0);
  for (const Body& b : model.bodies)
    if (b.quaternion_given)
      for (const std::uint32_t i : groups.coordinates_in(b.rotation)) kept[i] = 1;
  for (std::uint32_t i = 0; i < model.coordinates.size(); ++i) {
    Coordinate& c = model.coordinates[i];
    const bool placed = c.of_particle || c.of_joint != Coordinate::OfJoint::none;
    if (placed && !c.start.written && kept[i] == 0 && follows[groups.root(i)] != 0) c.start.soft = true;
  }
}

}  // namespace mbc::sema
