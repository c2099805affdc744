// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/robot_motion.h"

#include <cmath>

namespace mbc::test {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

struct State {
  Matrix3d axes = Matrix3d::Identity();
  Vector3d at = Vector3d::Zero(), omega = at, velocity_bias = at, alpha = at;  // velocity_bias: acceleration of `at`
  MatrixXd turns, moves;
};

// The state of a part by that of its parent, without accelerations of the joints.
State moved(const State& up, const Part& p, const RobotMotion& m, std::size_t which) {
  State s = up;
  const Matrix3d seat = up.axes * turned(p.turn);
  const bool one = p.kind == PartKind::revolute || p.kind == PartKind::prismatic;
  const Vector3d axis = one ? Vector3d(seat * p.axis.normalized()) : Vector3d(Vector3d::Zero());
  const double q = one ? m.q[p.coordinate] - p.reference : 0, rate = one ? m.rate[p.coordinate] : 0;
  Vector3d arm = up.axes * p.at;
  s.axes = seat;
  if (p.kind == PartKind::prismatic) arm += axis * q;
  s.at = up.at + arm;
  for (int k = 0; k < s.moves.cols(); ++k) s.moves.col(k) = up.moves.col(k) + Vector3d(up.turns.col(k)).cross(arm);
  s.velocity_bias = up.velocity_bias + up.alpha.cross(arm) + up.omega.cross(up.omega.cross(arm));
  if (p.kind == PartKind::prismatic) {
    s.moves.col(p.coordinate) += axis;
    s.velocity_bias += 2 * up.omega.cross(axis * rate);
  }
  if (p.kind == PartKind::revolute) {
    s.axes = seat * Eigen::AngleAxisd(q, p.axis.normalized()).toRotationMatrix();
    s.turns.col(p.coordinate) += axis;
    s.omega = up.omega + axis * rate;
    s.alpha = up.alpha + up.omega.cross(axis * rate);
  }
  if (p.kind == PartKind::ball) {
    s.axes = seat * m.rotations[which];
    s.turns.middleCols(p.coordinate, 3) += s.axes;
    const Vector3d spin = s.axes * m.rate.segment(p.coordinate, 3);
    s.omega = up.omega + spin;
    s.alpha = up.alpha + up.omega.cross(spin);
  }
  return s;
}

}  // namespace

Matrix3d turned(const Vector3d& rpy) {
  return (Eigen::AngleAxisd(rpy[2], Vector3d::UnitZ()) * Eigen::AngleAxisd(rpy[1], Vector3d::UnitY()) *
          Eigen::AngleAxisd(rpy[0], Vector3d::UnitX()))
      .toRotationMatrix();
}

RobotAnswer newton_euler(const std::vector<Part>& parts, int speeds, const RobotMotion& m) {
  const Vector3d g(0, 0, -9.81);
  State ground;
  ground.turns = ground.moves = MatrixXd::Zero(3, speeds);
  std::vector<State> all;
  MatrixXd mass = MatrixXd::Zero(speeds, speeds);
  VectorXd force = VectorXd::Zero(speeds);
  std::vector<const Part*> followers;
  for (std::size_t which = 0; which < parts.size(); ++which) {
    const Part& p = parts[which];
    const State s = moved(p.parent < 0 ? ground : all[static_cast<std::size_t>(p.parent)], p, m, which);
    if (p.mass > 0) {
      const Vector3d c = s.axes * p.com;
      MatrixXd moves = s.moves;
      for (int k = 0; k < speeds; ++k) moves.col(k) += Vector3d(s.turns.col(k)).cross(c);
      const Matrix3d own = s.axes * turned(p.inertial_turn), tensor = own * p.inertia * own.transpose();
      const Vector3d bias = s.velocity_bias + s.alpha.cross(c) + s.omega.cross(s.omega.cross(c));
      mass += p.mass * moves.transpose() * moves + s.turns.transpose() * tensor * s.turns;
      force += moves.transpose() * (p.mass * ((1 - p.lift) * g - bias)) -
               s.turns.transpose() * (tensor * s.alpha + s.omega.cross(tensor * s.omega));
    }
    for (int k = p.coordinate, n = p.kind == PartKind::ball ? 3 : 1; k >= 0 && n > 0; ++k, --n) {
      mass(k, k) += p.armature;
      force[k] += m.drive[k] - p.damping * m.rate[k] - p.friction * (m.rate[k] > 0 ? 1 : -1);
      if (p.kind != PartKind::ball) force[k] -= p.stiffness * (m.q[k] - p.spring_at);
    }
    if (p.leader >= 0) followers.push_back(&p);
    all.push_back(s);
  }
  const int rows = static_cast<int>(followers.size());
  MatrixXd whole = MatrixXd::Zero(speeds + rows, speeds + rows);
  VectorXd right = VectorXd::Zero(speeds + rows);
  whole.topLeftCorner(speeds, speeds) = mass;
  right.head(speeds) = force;
  for (int r = 0; r < rows; ++r) {
    const Part& p = *followers[static_cast<std::size_t>(r)];
    const int leader = parts[static_cast<std::size_t>(p.leader)].coordinate;
    whole(speeds + r, p.coordinate) = whole(p.coordinate, speeds + r) = 1;
    whole(speeds + r, leader) = whole(leader, speeds + r) = -p.factor;
  }
  RobotAnswer out;
  out.accelerations = whole.fullPivLu().solve(right).head(speeds);
  for (const State& s : all) {
    out.at.push_back(s.at);
    out.axes.push_back(s.axes);
    out.velocity.emplace_back(s.moves * m.rate);
    out.acceleration.emplace_back(s.moves * out.accelerations + s.velocity_bias);
    out.omega.emplace_back(s.axes.transpose() * s.omega);
    out.alpha.emplace_back(s.axes.transpose() * (s.turns * out.accelerations + s.alpha));
  }
  return out;
}

}  // namespace mbc::test
