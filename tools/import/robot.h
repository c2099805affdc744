// SPDX-License-Identifier: Apache-2.0
// A robot as files of other programs describe it: links, joints, and what was not taken over. Lengths are in m, masses
// in kg, angles in rad.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mbc::tools {

using Triple = std::array<double, 3>;

// A frame in another one: its origin, and the angles of its rotation rotz(yaw)*roty(pitch)*rotx(roll).
struct Pose {
  Triple xyz{}, rpy{};
};

struct Shape {
  enum class Kind : std::uint8_t { box, cylinder, sphere } kind = Kind::box;
  Pose pose;
  Triple sizes{};  // of a box; radius and length of a cylinder; radius of a sphere
};

struct Link {
  std::string name;
  std::uint32_t line = 0;
  double mass = 0;  // 0: none is given
  Pose inertial;
  std::array<double, 6> inertia{};  // xx, xy, xz, yy, yz, zz about the mass centre, in the axes of `inertial`
  std::vector<Shape> shapes;
};

struct Joint {
  enum class Kind : std::uint8_t { fixed, revolute, continuous, prismatic, planar, floating } kind = Kind::fixed;
  struct Mimic {
    std::string joint;
    double factor = 1, offset = 0;
  };
  std::string name, parent, child;
  std::uint32_t line = 0;
  Pose pose;  // of the child in the parent, at the joint's zero
  Triple axis{1, 0, 0};
  std::optional<double> lower, upper;
  double damping = 0, friction = 0, effort = 0;
  std::optional<Mimic> mimic;
};

struct Remark {
  std::uint32_t line = 0;
  std::string text;
};

struct Robot {
  std::string name;
  std::vector<Link> links;
  std::vector<Joint> joints;
  std::vector<Remark> left_out;
};

}  // namespace mbc::tools
