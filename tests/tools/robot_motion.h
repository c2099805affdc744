// SPDX-License-Identifier: Apache-2.0
// The motion of a robot by the Newton-Euler equations of its links, written apart from mbc.
#pragma once
#include <Eigen/Dense>
#include <vector>

namespace mbc::test {

enum class PartKind { fixed, revolute, prismatic, ball };

struct Part {  // a link and the joint that holds it
  int parent = -1;
  PartKind kind = PartKind::fixed;
  Eigen::Vector3d at = Eigen::Vector3d::Zero(), turn = at, axis = at, com = at, inertial_turn = at;
  double mass = 0, damping = 0, friction = 0, effort = 0;
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
  int coordinate = -1;  // the first of three speeds for a ball joint
  int leader = -1;      // the part whose coordinate this one mimics
  double factor = 1, offset = 0;
  double reference = 0, armature = 0, stiffness = 0, spring_at = 0, lift = 0;
};

struct RobotMotion {
  Eigen::VectorXd q, rate, drive;          // of a ball joint: rates in the axes of the child, q is not used
  std::vector<Eigen::Matrix3d> rotations;  // of ball joints against the parent, by part
};

struct RobotAnswer {
  Eigen::VectorXd accelerations;
  // By part, in space: origin, axes; in its own axes: angular velocity and acceleration.
  std::vector<Eigen::Vector3d> at, omega, alpha, velocity, acceleration;
  std::vector<Eigen::Matrix3d> axes;
};

// rotz(yaw)*roty(pitch)*rotx(roll)
Eigen::Matrix3d turned(const Eigen::Vector3d& rpy);

// Accelerations by the Newton-Euler equations of the links, projected on the joints (Kane), with a multiplier for each
// joint that mimics another. Parents come first; `speeds` is their number.
RobotAnswer newton_euler(const std::vector<Part>& parts, int speeds, const RobotMotion& m);

}  // namespace mbc::test
