// SPDX-License-Identifier: Apache-2.0
// Points and frames.
//   point tip on link at (2, 0, 0): fixed in a body, a frame or the ground.
//   frame F on link at (2, 0, 0) rotated rotz(90 [deg]): axes fixed in a body, a frame or the ground.
//   frame G follows frame(origin = .., rotation = ..): axes that are expressions of coordinates and time.
#pragma once
#include "compiler/sema/statements/statement.h"

namespace mbc::sema {

class Frames : private Statement {
 public:
  explicit Frames(Elaboration& shared) : Statement(shared) {}
  void point(const ast::Entity& e);
  void frame(const ast::Entity& e);
  // Computes the place, the rotation and their rates for a body that follows `frame(origin = r, rotation = R)`. Reports
  // mistakes.
  bool follow(const ast::Expr& frame, Body& b);

 private:
  struct Followed {
    const ast::Expr *origin = nullptr, *rotation = nullptr;
  };
  Followed followed(const ast::Expr& frame);
  void following_frame(const ast::Entity& e, const ast::Expr& follows);
  void fixed_frame(const ast::Entity& e);
};

}  // namespace mbc::sema
