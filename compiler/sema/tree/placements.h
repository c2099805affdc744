// SPDX-License-Identifier: Apache-2.0
// `coordinates angle = angle_about(axis, a, b): b = a.at((0, 0, 0), rot(axis, angle))`: where a frame is by the names.
#pragma once
#include <string>
#include <vector>

#include "compiler/sema/statements/statement.h"
#include "compiler/sema/tree/pose.h"

namespace mbc::sema {

// A statement `coordinates` of one joint. The names stand for coordinates of Model::placed.
struct Placement {
  std::string joint;                       // the path of the instance, "j1."; "" in the file itself
  Span span;                               // of the place
  std::vector<std::uint32_t> coordinates;  // leaves
  std::vector<NodeId> measures;            // of the names, by any two frames
  std::optional<std::uint32_t> body;       // that the frame is fixed in
  bool ground = false;                     // the frame is fixed in the ground
  Pose frame, place;                       // of the frame as it stands; where it is by the names
};

class Placements : private Statement {
 public:
  explicit Placements(Elaboration& shared) : Statement(shared) {}
  // Only read where the bodies of the model may form a tree.
  void placement(const ast::Placement& p);
  [[nodiscard]] const std::vector<Placement>& all() const { return all_; }

 private:
  bool name(const ast::Declared& d, Placement& made, Scope& inside);
  std::optional<Pose> place(const ast::Expr& e, const Scope& inside);
  std::optional<Pose> at(const ast::Call& c, const ast::Member& callee, Span span, const Scope& inside);
  std::optional<std::vector<NodeId>> offset(const std::vector<Value>& args, Span span);
  std::optional<Frame> frame_of(const ast::Expr& e, const Scope& scope, const char* what);

  std::vector<Placement> all_;
};

}  // namespace mbc::sema
