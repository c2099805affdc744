// SPDX-License-Identifier: Apache-2.0
// `bodies = tree`: the coordinates of joints are the coordinates of the model. Until the whole text is elaborated every
// body is described by leaves that stand for its motion (Model::placed). This pass chooses the joints that carry bodies
// and puts the motion of each body in the place of these leaves: that of the body that carries it and of the joint, or
// coordinates of its own. Rows that the joints fulfil go; all other statements keep their meaning.
//
// A body with the pose (r, R) in the axes of its carrier A, omega_G the angular velocity of R in the axes of the body:
//   x = x_A + R_A r,  R_B = R_A R,  omega = R^T omega_A + omega_G,  v = v_A + R_A (omega_A x r + r')
//   alpha = R^T alpha_A - omega_G x R^T omega_A + omega_G'
//   a = a_A + R_A (alpha_A x r + omega_A x (omega_A x r) + 2 omega_A x r' + r'')
// (R. Featherstone, Rigid Body Dynamics Algorithms, 2008, chapters 2 and 5, in body axes.)
#pragma once
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "compiler/sema/expressions/definedness.h"
#include "compiler/sema/tree/forest.h"

namespace mbc::sema {

class Tree {
 public:
  // Everything outlives the object.
  Tree(Model& model, Definedness& defined, Sink& sink)
      : model_(model), g_(model.graph), defined_(defined), sink_(sink) {}

  // Decides once, when all statements are read, in a model whose bodies may form a tree. `more`: expressions made
  // meanwhile that are not part of the model.
  void decide(const std::vector<Placement>& placements, std::span<NodeId* const> more);
  // Returns whether an expression holds the multiplier of a row that the tree has replaced.
  [[nodiscard]] static bool holds_gone_row(const graph::Graph& g, std::span<const NodeId> nodes);

 private:
  struct Motion {
    std::vector<NodeId> x, R, v, omega, a, alpha, quaternion;
    NodeId angle;  // in the plane
  };
  void add_joint_coordinates(const Branch& b);
  void carry(const Branch& b);
  void free_body(std::uint32_t body);
  void stand_for(std::uint32_t body, const Motion& m);
  [[nodiscard]] bool turns(const Placement& p, std::uint32_t coordinate) const;
  Pose relative(const Branch& b);
  bool turn_in_plane(const Pose& p, NodeId& angle);
  Motion carried(const Motion& carrier, const Pose& p);
  void carried_in_space(const Motion& carrier, const Pose& p, Motion& m);
  Motion ground();
  std::vector<NodeId> rates(const std::vector<NodeId>& nodes);
  NodeId at_start(NodeId e);
  void substitute(std::span<NodeId* const> more);
  NodeId image(NodeId id);
  std::set<std::uint32_t> fulfilled();
  void drop_rows();
  void start();
  void finish_bodies();
  void record_carried(Body& b, const Motion& m);
  void tell();

  Model& model_;
  graph::Graph& g_;
  Definedness& defined_;
  Sink& sink_;
  std::vector<JointCandidate> candidates_;
  std::vector<Branch> forest_;
  std::unordered_map<std::uint32_t, NodeId> image_;        // of nodes, by what was decided
  std::map<std::uint32_t, Motion> motions_;                // by body
  std::unordered_map<std::uint32_t, std::uint32_t> real_;  // coordinates of the model, by what stood for them
  std::vector<std::uint32_t> row_;                         // where each row is now
};

}  // namespace mbc::sema
