// SPDX-License-Identifier: Apache-2.0
#include "tools/import/robot_geometry.h"

#include <cmath>
#include <numbers>
#include <set>

#include "base/numbers.h"
#include "tools/import/robot_words.h"

namespace mbc::tools {

using Eigen::AngleAxisd;
using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

Quaterniond rotation_of(const Pose& pose) {
  Quaterniond out = Quaterniond::Identity();
  for (const AxisTurn& t : pose.turns) out = out * Quaterniond(AngleAxisd(t.angle, vector_of(t.axis).normalized()));
  return out;
}

namespace {

// The largest component of the axis becomes 1.
AxisTurn turn_about(const Vector3d& axis, double angle) {
  Eigen::Index k = 0;
  axis.cwiseAbs().maxCoeff(&k);
  return {triple_of(axis / axis[k]), axis[k] < 0 ? -angle : angle};
}

}  // namespace

std::vector<AxisTurn> roll_pitch_yaw(const Triple& angles) {
  std::vector<AxisTurn> out;
  for (std::size_t k = 3; k-- > 0;) {
    AxisTurn t{{}, angles[k]};
    t.axis[k] = 1;
    if (t.angle != 0) out.push_back(t);
  }
  return out;
}

std::vector<AxisTurn> turns_of(const Quaterniond& rotation) {
  const Vector3d v = rotation.w() < 0 ? Vector3d(-rotation.vec()) : Vector3d(rotation.vec());
  if (v.norm() == 0) return {};
  return {turn_about(v, 2 * std::atan2(v.norm(), std::fabs(rotation.w())))};
}

std::vector<AxisTurn> turn_to(const Vector3d& z) {
  const Vector3d axis = Vector3d::UnitZ().cross(z.normalized());
  const double sine = axis.norm(), cosine = z.normalized().z();
  if (sine < 1e-14) return cosine > 0 ? std::vector<AxisTurn>() : std::vector<AxisTurn>{{{1, 0, 0}, std::numbers::pi}};
  return {turn_about(axis, std::atan2(sine, cosine))};
}

Pose product(const Pose& first, const Pose& second) {
  if (first.turns.empty()) {
    const Vector3d at = vector_of(first.xyz) + vector_of(second.xyz);
    return {triple_of(at), second.turns};
  }
  const Quaterniond axes = rotation_of(first);
  Pose out{triple_of(vector_of(first.xyz) + axes * vector_of(second.xyz)), first.turns};
  if (!second.turns.empty()) out.turns = turns_of(axes * rotation_of(second));
  return out;
}

Pose chained(const Pose& first, const Pose& second) {
  const Vector3d arm = vector_of(second.xyz);
  Pose out{triple_of(vector_of(first.xyz) + (first.turns.empty() ? arm : Vector3d(rotation_of(first) * arm))),
           first.turns};
  for (const AxisTurn& t : second.turns) {
    if (out.turns.empty() || out.turns.back().axis != t.axis) {
      out.turns.push_back(t);
      continue;
    }
    out.turns.back().angle += t.angle;
    if (out.turns.back().angle == 0) out.turns.pop_back();
  }
  return out;
}

Pose inverse(const Pose& pose) {
  Pose out{{}, {pose.turns.rbegin(), pose.turns.rend()}};
  for (AxisTurn& t : out.turns) t.angle = -t.angle;
  out.xyz = triple_of(-(rotation_of(out) * vector_of(pose.xyz)));
  return out;
}

Triple tidy(const Triple& v) {
  const double size = vector_of(v).norm();
  Triple out{};
  for (std::size_t k = 0; k < 3; ++k)
    if (std::fabs(v[k]) > 1e-15 * size) out[k] = std::stod(text::short_number(v[k], 15));
  return out;
}

Pose tidy(const Pose& pose) {
  Pose out{tidy(pose.xyz), pose.turns};
  if (out.turns.size() <= 3) return out;
  const Quaterniond axes = rotation_of(pose);
  out.turns = axes.vec().norm() < 1e-15 ? std::vector<AxisTurn>() : turns_of(axes);
  for (AxisTurn& t : out.turns) t.axis = tidy(t.axis);
  return out;
}

const Joint* mimic_of_itself(const Robot& robot) {
  std::map<std::string, const Joint*> named;
  for (const Joint& j : robot.joints) named[j.name] = &j;
  for (const Joint& j : robot.joints) {
    const Joint* at = &j;
    for (std::size_t k = 0; at->mimic && k <= robot.joints.size(); ++k) at = named.at(at->mimic->joint);
    if (at->mimic) return &j;
  }
  return nullptr;
}

Placed placed_by(const Placed& on, const Pose& pose) {
  return {on.at + on.axes * vector_of(pose.xyz), (on.axes * rotation_of(pose)).normalized()};
}

std::map<std::string, Placed> places_of(const Robot& robot, const JointValues& at) {
  std::map<std::string, Placed> out;
  if (!robot.links.empty()) out[robot.links[0].name] = {};
  for (const Joint& j : robot.joints) {
    if (j.role != Joint::Role::carries) continue;
    const auto given = at.placed.find(j.name);
    if (given != at.placed.end() && j.kind == Joint::Kind::floating) {
      out[j.child] = given->second;
      continue;
    }
    Placed here = placed_by(out[j.parent], j.pose);
    const auto value = at.values.find(j.name);
    const double moved = value == at.values.end() ? 0 : value->second - j.reference;
    const Vector3d axis = vector_of(j.axis).normalized(), anchor = vector_of(j.anchor);
    Quaterniond turn = Quaterniond::Identity();
    if (j.kind == Joint::Kind::prismatic) here.at += here.axes * (moved * axis);
    if (j.kind == Joint::Kind::screw) here.at += here.axes * (moved * j.lead / (2 * std::numbers::pi) * axis);
    if (has_one_coordinate(j) && j.kind != Joint::Kind::prismatic) turn = AngleAxisd(moved, axis);
    if (given != at.placed.end()) turn = given->second.axes;
    here.at += here.axes * (anchor - turn * anchor);
    here.axes = here.axes * turn;
    out[j.child] = here;
  }
  return out;
}

double length_of(const Robot& robot, const Tendon& tendon, const JointValues& at) {
  double sum = 0;
  for (const auto& [joint, factor] : tendon.joints) {
    const auto value = at.values.find(joint);
    for (const Joint& j : robot.joints)
      if (j.name == joint) sum += factor * (value == at.values.end() ? j.reference : value->second);
  }
  if (tendon.paths.empty()) return sum;
  const std::map<std::string, Placed> places = places_of(robot, at);
  std::map<std::string, Vector3d> points;
  for (const Site& s : robot.sites) points[s.name] = placed_by(places.at(s.link), s.pose).at;
  for (const Tendon::Path& p : tendon.paths)
    for (std::size_t k = 1; k < p.sites.size(); ++k)
      sum += (points[p.sites[k]] - points[p.sites[k - 1]]).norm() / p.divisor;
  return sum;
}

// A link adds m |a x r|^2 + a.J a about an axis a, with r from the axis to its mass centre, and m along a slide.
std::map<std::string, double> inertias_of_joints(const Robot& robot) {
  const std::map<std::string, Placed> places = places_of(robot, {});
  std::map<std::string, double> out;
  for (const Joint& j : robot.joints) {
    std::set<std::string> carried{j.child};
    for (const Joint& k : robot.joints)
      if (carried.contains(k.parent)) carried.insert(k.child);
    const Placed& at = places.at(j.child);
    const Vector3d axis = at.axes * vector_of(j.axis).normalized(), point = at.at + at.axes * vector_of(j.anchor);
    double sum = j.armature;
    for (const Link& l : robot.links) {
      if (!carried.contains(l.name) || l.mass == 0) continue;
      if (j.kind == Joint::Kind::prismatic) {
        sum += l.mass;
        continue;
      }
      const Placed own = placed_by(places.at(l.name), l.inertial);
      const auto& [xx, xy, xz, yy, yz, zz] = l.inertia;
      Matrix3d tensor;
      tensor << xx, xy, xz, xy, yy, yz, xz, yz, zz;
      const Vector3d local = own.axes.conjugate() * axis;
      sum += l.mass * axis.cross(own.at - point).squaredNorm() + local.dot(tensor * local);
    }
    out[j.name] = sum;
  }
  return out;
}

}  // namespace mbc::tools
