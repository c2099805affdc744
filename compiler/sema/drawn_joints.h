// SPDX-License-Identifier: Apache-2.0
// Joints stay as they are drawn where `init` gives other places of a mechanism: their coordinates, whether they are
// those of the model or rows hold them, and then the first body of each mechanism that no joint ties to the ground.
// These are targets of the assembly with a start that is soft and not written, `declared` for a body.
#pragma once
#include <vector>

#include "compiler/sema/model.h"

namespace mbc::sema {

// The statement `coordinates` of a joint, by expressions of its bodies.
struct DrawnJoint {
  std::vector<NodeId> names, measures;  // of the coordinates: with turns, and as they are measured
  std::vector<Dimension> dimensions;
  std::vector<NodeId> holds;  // expressions of all its bodies
  bool point = false;         // it places a point, and leaves the rotation of a body free
  std::string name;
  Span span;
};

// Returns an expression of coordinates and speeds where the bodies are drawn.
[[nodiscard]] NodeId as_bodies_are_drawn(Model& model, NodeId e);

// Gives wishes of `init` that have no weight the inertia that they move, as free bodies and rows have it: in a tree the
// mass matrix says another one.
void weigh_wishes(Model& model);

class MovedInertia;

class DrawnJoints {
 public:
  // While the joints are expressions of the bodies, before a tree is decided. Does nothing without places in `init`.
  void read(Model& model, const std::vector<DrawnJoint>& joints);
  // Expressions that the tree replaces.
  [[nodiscard]] std::vector<NodeId*> nodes();
  // Adds the targets, once it is known what follows.
  void keep(Model& model) const;

 private:
  struct Kept {
    NodeId name, measure, value, weight;
    std::string text;
    Dimension dimension;
    Span span;
  };
  void keep_angles(Model& model, const DrawnJoint& joint, const MovedInertia& inertia);
  void find_roots(const Model& model, const std::vector<DrawnJoint>& joints);

  std::vector<Kept> kept_;
  std::vector<std::uint32_t> roots_;  // bodies
};

}  // namespace mbc::sema
