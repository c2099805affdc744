// SPDX-License-Identifier: Apache-2.0
// Rigid bodies, free or following a frame.
#pragma once
#include <array>

#include "compiler/sema/names.h"
#include "compiler/sema/statements/frames.h"
#include "compiler/sema/statements/statement.h"

namespace mbc::sema {

class Bodies : private Statement {
 public:
  Bodies(Elaboration& shared, Frames& frames) : Statement(shared), frames_(frames) {}
  void body(const ast::Entity& e, const ast::Stmt& s);

 private:
  // What is given of a free body at the start.
  struct Start {
    std::vector<NodeId> place, velocity, spin, rotation;
    bool moving = false, spinning = false;  // written
  };
  bool free_body(const ast::Entity& e, Body& b);
  bool read_start(const ast::Entity& e, Body& b, Start& start);
  bool read_spin(const ast::Expr& spinning, const std::string& what, Start& start);
  bool read_rotation(const ast::Expr& rotated, Body& b, Start& start);
  void add_place(Body& b, const Start& start);
  void turn_in_plane(Body& b, const Start& start);
  void mass_centre(Body& b);

  // body_arguments.cpp
  bool arguments(const ast::Entity& e, bool free, Body& b);
  bool representation(const ast::Argument& a, bool free, Body& b);
  bool mass(const ast::Expr& mass, const ast::Expr& inertia, Body& b);
  bool axes(const ast::Argument* axes, Body& b);
  bool centre(const ast::Argument* com, const ast::Argument* about, Body& b);
  bool fixed_place(const ast::Argument* a, const std::string& which, const Body& b, std::vector<NodeId>& out);

  // representation.cpp
  std::uint32_t add_turning(Body& b, const std::vector<std::string>& names);
  void quaternion_body(Body& b, Dimension rate);
  void euler_parameter_body(Body& b);
  void natural_body(Body& b);
  void standing_body(Body& b, Dimension rate);
  static std::array<Speed, 3> turning_speeds(const Body& b, const Dimension& rate);
  void representation_rows(Body& b);

  Frames& frames_;
};

// What `init` may set of a body although it is no coordinate or speed of its representation.
struct StartValue {
  NodeId* value;  // the initial value to set
  bool* given;    // or null: says that it was set
  std::string name;
};
std::optional<StartValue> body_start(Model& model, NodeId node);
// A coordinate of the rotation of a body that has more of them than a rotation has conditions, or a speed of these.
bool describes_rotation(const Model& model, const Node& leaf);
// Initial coordinates and speeds of the rotation, when `init` is read.
void start_bodies(Model& model);

}  // namespace mbc::sema
