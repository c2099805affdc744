// SPDX-License-Identifier: Apache-2.0
// Points and frames.
//   point tip on link at (2, 0, 0): fixed in a body, a frame or the ground.
//   frame F on link at (2, 0, 0) rotated rotz(90 [deg]): axes fixed in a body, a frame or the ground.
//   frame G follows frame(origin = .., rotation = ..): axes that are expressions of coordinates and time.
//   coordinates angle = ..: b = a.at(.., rot(axis, angle)): where a frame is by the coordinates of a joint.
//   coordinates: b.pos = a.pos: where a point is.
#pragma once
#include "compiler/sema/drawn_joints.h"
#include "compiler/sema/statements/statement.h"
#include "compiler/sema/tree/placement.h"

namespace mbc::sema {

// Returns whether a joint among the statements says where a frame is by coordinates of its own.
[[nodiscard]] bool place_frames(const std::vector<ast::StmtPtr>& statements);

class Frames : private Statement {
 public:
  explicit Frames(Elaboration& shared) : Statement(shared) {}
  void point(const ast::Entity& e);
  void frame(const ast::Entity& e);
  // Computes the place, the rotation and their rates for a body that follows `frame(origin = r, rotation = R)`. Reports
  // mistakes.
  bool follow(const ast::Expr& frame, Body& b);
  void placement(const ast::Placement& p);
  [[nodiscard]] const std::vector<Placement>& placements() const { return placements_; }
  // In every representation.
  [[nodiscard]] const std::vector<DrawnJoint>& drawn_joints() const { return drawn_joints_; }

 private:
  struct Followed {
    const ast::Expr *origin = nullptr, *rotation = nullptr;
  };
  Followed followed(const ast::Expr& frame);
  void following_frame(const ast::Entity& e, const ast::Expr& follows);
  void fixed_frame(const ast::Entity& e);

  // placements.cpp
  void note_drawn(const ast::Placement& p);
  bool add_place(const ast::Expr& e, std::vector<NodeId>& places);
  bool name(const ast::Declared& d, Placement& made, Scope& inside);
  bool placed_point(const ast::Expr& e, const ast::Expr& place, Scope& inside, Placement& made);
  bool placed_frame(const ast::Expr& e, const ast::Expr& place, Scope& inside, Placement& made);
  std::optional<Pose> place(const ast::Expr& e, const Scope& inside);
  std::optional<Pose> at(const ast::Call& c, const ast::Member& callee, Span span, const Scope& inside);
  std::optional<std::vector<NodeId>> offset(const std::vector<Value>& args, Span span);
  std::optional<Frame> frame_of(const ast::Expr& e, const Scope& scope, const char* what);

  std::vector<Placement> placements_;
  std::vector<DrawnJoint> drawn_joints_;
};

}  // namespace mbc::sema
