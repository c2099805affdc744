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
  // The start of a free body, as declared.
  struct Start {
    std::vector<NodeId> place, velocity, spin, rotation;
    bool moving = false, spinning = false;  // written
  };
  bool free_body(const ast::Entity& e, Body& b);
  bool read_start(const ast::Entity& e, Body& b, Start& start);
  bool read_spin(const ast::Expr& spinning, const std::string& what, Start& start);
  bool read_rotation(const ast::Expr& rotated, Body& b, Start& start);
  bool draw_on(const ast::Expr& on, Start& start);
  std::vector<NodeId> seen_from(const Frame& f, const std::vector<NodeId>& nodes);
  void move_along(const Body& b, Start& start);
  void add_place(Body& b, const Start& start);
  void turn_in_plane(Body& b, const Start& start);
  void mass_centre(Body& b);

  // body_arguments.cpp
  bool arguments(const ast::Entity& e, bool free, Body& b);
  bool representation(const ast::Argument& a, bool free, Body& b);
  bool mass(const ast::Expr& mass, const ast::Expr& inertia, Body& b);
  bool axes(const ast::Argument* axes, Body& b);
  bool centre(const ast::Argument* com, const ast::Argument* about, Body& b);
  bool fixed_place(const ast::Argument* a, const std::string& which, const Body& b, std::vector<NodeId>& out,
                   const char* help);

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

// A value of a body that `init` may set although it is no coordinate or speed of its representation.
struct StartValue {
  NodeId* value;  // the initial value to set
  bool* given;    // set to true when the value is set; or null
  std::string name;
};
std::optional<StartValue> body_start(Model& model, NodeId node);
// Returns whether a leaf is a redundant coordinate of a body's rotation, in a representation with more of them than a
// rotation has freedoms, or a speed of one.
bool describes_rotation(const Model& model, const Node& leaf);
// Computes the initial coordinates and speeds of the rotations, after `init` is read.
void start_bodies(Model& model);

}  // namespace mbc::sema
