// SPDX-License-Identifier: Apache-2.0
// A robot as files of other programs describe it: links, joints, what acts, and what was not taken over. Lengths are in
// m, masses in kg, angles in rad.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mbc::tools {

using Triple = std::array<double, 3>;
using Range = std::pair<double, double>;

// A place in the file of the robot, or in one that it includes.
struct FilePlace {
  std::uint32_t line = 0;
  std::string file;  // "" for the robot's own file
};

struct AxisTurn {
  Triple axis{};
  double angle = 0;
};

// A frame in another one: its origin, and its rotation by turns about axes that the turns before have turned.
struct Pose {
  Triple xyz{};
  std::vector<AxisTurn> turns;
};

struct Shape {
  enum class Kind : std::uint8_t { box, cylinder, sphere, capsule, plane } kind = Kind::box;
  Pose pose;
  Triple sizes{};  // of a box; radius and length of a cylinder or capsule; radius of a sphere
};

struct Link {
  std::string name;
  FilePlace place;
  double mass = 0;  // 0: none is given
  Pose inertial;
  std::array<double, 6> inertia{};  // xx, xy, xz, yy, yz, zz about the mass centre, in the axes of `inertial`
  std::vector<Shape> shapes;
  bool carrier = false;             // moves without mass, and carries others
  double gravity_compensation = 0;  // the part of its weight that is lifted
};

// Coefficients of a force against a displacement or a rate x: c[0]*x + c[1]*x^2 + c[2]*x^3.
using ForceLaw = std::array<double, 3>;
inline bool acts(const ForceLaw& law) { return law[0] != 0 || law[1] != 0 || law[2] != 0; }

struct Joint {
  enum class Kind : std::uint8_t {
    fixed,
    revolute,
    continuous,
    prismatic,
    planar,
    floating,
    ball,
    screw
  } kind = Kind::fixed;
  // carries: its child is drawn on its parent. Other joints are written after the links that others draw; those that
  // close a loop hold their links by rows.
  enum class Role : std::uint8_t { carries, is_carried, closes } role = Role::carries;
  struct Mimic {
    std::string joint;
    double factor = 1, offset = 0;
  };
  std::string name, parent, child;
  FilePlace place;
  Pose pose;        // of the child in the parent, where the joint has the value `reference`
  Triple anchor{};  // a point of the axis, in the child
  Triple axis{1, 0, 0};
  double reference = 0;
  double lead = 0;                     // of a screw: the way for each turn
  std::optional<double> lower, upper;  // of a ball joint: `upper`, the largest angle
  ForceLaw damping{}, stiffness{};
  std::array<double, 2> spring_damper{};  // time constant and damping ratio, which stiffness and damping follow from
  double spring_at = 0, friction = 0, armature = 0, effort = 0;
  std::optional<Mimic> mimic;
  std::optional<Range> drive_range;  // of the sum of the actuators' loads
};

// A named frame of a link.
struct Site {
  std::string name, link;
  FilePlace place;
  Pose pose;
};

// The sum of joint values, each times a number; or of straight paths from site to site, each divided by a number.
struct Tendon {
  struct Path {
    double divisor = 1;
    std::vector<std::string> sites;
  };
  std::string name;
  FilePlace place;
  std::vector<std::pair<std::string, double>> joints;
  std::vector<Path> paths;
  ForceLaw damping{}, stiffness{};
  Range rest{};  // without force between these lengths
  double friction = 0, armature = 0;
  std::optional<double> lower, upper;
  std::optional<Range> drive_range;
};

// A row between two links, two joints or two tendons.
struct Coupling {
  enum class Kind : std::uint8_t { connect, weld, joints, tendons } kind = Kind::connect;
  std::string name, first, second;  // `second` is "" for a joint or tendon that is held
  FilePlace place;
  Pose at_first, at_second;
  double reference_first = 0, reference_second = 0;
  std::array<double, 5> polynomial{};  // first - reference = sum of polynomial[k]*(second - reference)^k
  bool active = true;
};

// force = (gain[0] + gain[1]*length + gain[2]*rate)*u + bias[0] + bias[1]*length + bias[2]*rate, where length is
// gear[0] times the value of the target, and u the control or the state that follows it.
struct Actuator {
  enum class Target : std::uint8_t { joint, tendon, site } target = Target::joint;
  enum class State : std::uint8_t { none, filter, integrator } state = State::none;
  std::string name, on;
  FilePlace place;
  std::array<double, 6> gear{1, 0, 0, 0, 0, 0};
  bool in_parent = false;  // the axis of a ball or free joint is given in the parent
  double time_constant = 1;
  std::array<double, 3> gain{1, 0, 0}, bias{};
  std::optional<Range> control, force;
  bool idle = false;  // switched off: it counts, and does nothing
};

// A quantity that is recorded, of a joint, tendon, actuator, link, site or the whole robot.
struct Sensor {
  std::string name, what, kind, object, reference_kind, reference;
  FilePlace place;
};

// The state at the beginning. A value that is not named begins as it is drawn.
struct Start {
  std::string keyframe;                                    // its name; "" for none
  std::map<std::string, double> values, rates;             // of joints with one coordinate
  std::map<std::string, Triple> places;                    // of links that move freely
  std::map<std::string, std::array<double, 4>> rotations;  // of links that turn freely: Euler parameters in space
  std::map<std::string, Triple> velocities, spins;         // spins: in the axes of the link
  std::map<std::string, double> controls, states;          // of actuators
};

struct Remark {
  FilePlace place;
  std::string text;
};

struct Robot {
  std::string name;
  std::vector<Link> links;
  std::vector<Joint> joints;
  std::vector<Site> sites;
  std::vector<Tendon> tendons;
  std::vector<Coupling> couplings;
  std::vector<Actuator> actuators;
  std::vector<Sensor> sensors;
  bool root_is_world = false;  // the first link is the ground itself
  Triple gravity{0, 0, -9.81};
  double step = 1e-3;
  Start start;
  std::vector<Remark> left_out;
};

}  // namespace mbc::tools
