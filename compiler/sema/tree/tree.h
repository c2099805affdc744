// SPDX-License-Identifier: Apache-2.0
// `bodies = tree`: the coordinates of joints are the coordinates of the model. Until the whole text is elaborated every
// body is described by leaves that stand for its motion (Model::placed). This pass chooses the joints that carry bodies
// and puts the motion of each body in the place of these leaves: that of the body that carries it and of the joint, or
// coordinates of its own. Rows that the joints fulfil go; all other statements keep their meaning.
#pragma once
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/sema/expressions/definedness.h"
#include "compiler/sema/tree/forest.h"
#include "compiler/sema/tree/joint_multipliers.h"
#include "compiler/sema/tree/motion.h"

namespace mbc::sema {

class Tree {
 public:
  // Everything outlives the object.
  Tree(Model& model, Definedness& defined, Sink& sink)
      : model_(model), g_(model.graph), defined_(defined), sink_(sink) {}

  // Decides once, when all statements are read, in a model whose bodies may form a tree. `names`: expressions made
  // meanwhile that are not part of the model, and may be asked for.
  void decide(const std::vector<Placement>& placements, std::span<NodeId* const> names);
  // `bodies = auto`: the tree is taken where joints carry bodies and it costs less than rows.
  void may_decline(bool may) { optional_ = may; }
  // Returns whether it was not taken. The model then has leaves that stand for motions.
  [[nodiscard]] bool declined() const { return declined_; }
  // Returns whether an expression holds the multiplier of a row that the tree has replaced.
  [[nodiscard]] static bool holds_gone_row(const graph::Graph& g, std::span<const NodeId> nodes);

 private:
  void add_joint_coordinates(const Branch& b);
  void carry(const Branch& b);
  void free_body(std::uint32_t body);
  void own_coordinate(std::uint32_t stood, std::uint32_t speed);
  void turn_by_itself(std::uint32_t body, BodyMotion& m);
  void stand_for(std::uint32_t body, const BodyMotion& m);
  void link(const Branch& b, const Pose& p);
  void link_alone(std::uint32_t body, std::optional<std::uint32_t> carrier, std::vector<NodeId> r,
                  std::vector<NodeId> point, const BodyMotion& m);
  [[nodiscard]] bool turns(const Placement& p, std::uint32_t coordinate) const;
  Pose relative(const Branch& b);
  NodeId whole_turns(std::uint32_t body, NodeId angle);
  std::vector<NodeId> rates(const std::vector<NodeId>& nodes);
  void substitute(std::span<NodeId* const> names);
  NodeId image(NodeId id);
  std::vector<NodeId> images(std::vector<NodeId> nodes);
  std::set<std::uint32_t> fulfilled();
  void inverse_pass(std::span<NodeId* const> names);
  void drop_rows();
  void images_of_multipliers();
  void joint_reaction(std::uint32_t k);
  void weigh(const Body& b);
  void start();
  void drop_what_holds();
  void finish_bodies();
  void record_carried(Body& b, const BodyMotion& m);
  [[nodiscard]] std::optional<problem::Recorded> stored_as(const std::string& column, NodeId node) const;
  void tell();
  void note_drawn_rows();

  Model& model_;
  bool optional_ = false, declined_ = false;
  graph::Graph& g_;
  Kinematics kinematics_{model_};
  Definedness& defined_;
  Sink& sink_;
  std::vector<JointCandidate> candidates_;
  std::vector<Branch> forest_;
  std::vector<RowMultiplier> multipliers_;                      // of rows of the forest that something asks for
  std::unordered_map<std::uint32_t, NodeId> image_;             // of nodes, by what was decided
  std::map<std::uint32_t, BodyMotion> motions_;                 // by body
  std::unordered_map<std::uint32_t, std::uint32_t> real_;       // coordinates of the model, by what stood for them
  std::set<std::uint32_t> own_speeds_;                          // speeds that stood for one of the model
  std::map<std::uint32_t, std::pair<NodeId, NodeId>> weights_;  // of wishes, by coordinate and by speed
  std::vector<std::uint32_t> row_;                              // where each row is now
};

}  // namespace mbc::sema
