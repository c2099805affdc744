// SPDX-License-Identifier: Apache-2.0
// The motion of a body by that of its carrier. A body with the pose (r, R) in the axes of its carrier A, and omega_G
// the angular velocity of R in the axes of the body, has
//   x = x_A + R_A r,  R_B = R_A R,  omega = R^T omega_A + omega_G,  v = v_A + R_A (omega_A x r + r')
//   alpha = R^T alpha_A - omega_G x R^T omega_A + omega_G'
//   a = a_A + R_A (alpha_A x r + omega_A x (omega_A x r) + 2 omega_A x r' + r'')
// (R. Featherstone, Rigid Body Dynamics Algorithms, 2008, chapters 2 and 5, in body axes.)
#pragma once
#include <vector>

#include "compiler/sema/model.h"
#include "compiler/sema/tree/pose.h"

namespace mbc::sema {

// As expressions of coordinates, speeds and accelerations: x, v, a in space axes, omega and alpha in body axes.
struct BodyMotion {
  std::vector<NodeId> x, R, v, omega, a, alpha, quaternion;
  NodeId angle;  // in the plane
};

class Kinematics {
 public:
  // The model outlives the object.
  explicit Kinematics(Model& model) : model_(model), g_(model.graph) {}

  BodyMotion ground();
  // `p`: the pose of the body in the axes of its carrier.
  BodyMotion carried(const BodyMotion& carrier, const Pose& p);
  // Returns the angular velocity of R in its own axes; R is written as in a pose.
  std::vector<NodeId> turning(const Pose& p);
  // Sets the place of a body that turns by itself: its point `own` is the point `r` of the carrier, each in the axes of
  // its body.
  void hang(const BodyMotion& carrier, const std::vector<NodeId>& r, const std::vector<NodeId>& own, BodyMotion& m);
  // Returns whether the rotation of a pose in the plane is written as turns one after the other, with their sum.
  bool turn_in_plane(const Pose& p, NodeId& angle);

 private:
  struct PointMotion {
    std::vector<NodeId> x, v, a;
  };
  PointMotion point(const BodyMotion& of, const std::vector<NodeId>& r);
  std::vector<NodeId> crossed(const std::vector<NodeId>& omega, const std::vector<NodeId>& r);
  std::vector<NodeId> rates(const std::vector<NodeId>& nodes);

  Model& model_;
  graph::Graph& g_;
};

}  // namespace mbc::sema
