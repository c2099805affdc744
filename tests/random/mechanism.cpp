// SPDX-License-Identifier: Apache-2.0
#include "tests/random/mechanism.h"

#include <cmath>
#include <sstream>
#include <string_view>

#include "tests/physics/run.h"

namespace mbc::test {

namespace {

template <class Matrix, class Vector>
Vector back(const Matrix& R, const Vector& v) {  // R^T v
  Vector out{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) out[i] += R[k][i] * v[k];
  return out;
}

template <class Matrix>
Matrix back_of(const Matrix& R, const Matrix& Q) {  // R^T Q
  Matrix out{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) out[i][j] += R[k][i] * Q[k][j];
  return out;
}

}  // namespace

Mechanism::Mechanism(std::uint64_t seed, int more_bodies, bool far)
    : rng_(seed * 7919 + 13),
      plane_(rng_.chance(0.3)),
      far_(far),
      bodies_(2 + more_bodies + static_cast<int>(rng_.below(4u))),
      places_(static_cast<std::size_t>(bodies_) + 1) {
  text_ = plane_ ? "mbd 1\nspace 2\nuse planar_joints, forces, contact\ngravity (0.3, -9.81)\n"
                 : "mbd 1\nuse joints, forces, contact\ngravity (0.3, 0.2, -9.81)\n";
  places_[0].R = {Vector{1, 0, 0}, Vector{0, 1, 0}, Vector{0, 0, 1}};
  for (int i = 0; i < bodies_; ++i) body(i);
  for (int i = 0; i < bodies_; ++i) joint(i);
  if (bodies_ > 2 && rng_.chance(0.3)) close();
  loads();
  init();
  text_ += "output e = energy.total\n";
  text_ += "simulate motion { time = 0 .. 0.3 step 0.03; integrator = auto(tol = 1e-11) }\n";
}

Mechanism::Matrix Mechanism::rotation() {
  double p[4], size = 0;
  for (double& x : p) x = rng_.between(-1, 1), size += x * x;
  if (plane_) p[1] = p[2] = 0, size = p[0] * p[0] + p[3] * p[3];
  for (double& x : p) x /= std::sqrt(size);
  const double w = p[0], x = p[1], y = p[2], z = p[3];
  return {Vector{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
          Vector{2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
          Vector{2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
}

Mechanism::Vector Mechanism::vector(double size) {
  Vector v{};
  for (double& x : v) x = rng_.between(-size, size);
  if (plane_) v[2] = 0;
  return v;
}

std::string Mechanism::entries(const Vector& v) {
  return "(" + number(v[0]) + ", " + number(v[1]) + (plane_ ? "" : ", " + number(v[2])) + ")";
}

// A rotation that is one to rounding: three turns about axes.
std::string Mechanism::rotated(const Matrix& R) {
  if (plane_) return "rot(" + number(std::atan2(R[1][0], R[0][0])) + ")";
  const double pitch = std::asin(std::fmin(1, std::fmax(-1, -R[2][0])));
  return "rotz(" + number(std::atan2(R[1][0], R[0][0])) + ")*roty(" + number(pitch) + ")*rotx(" +
         number(std::atan2(R[2][1], R[2][2])) + ")";
}

// "b2.at((..), ..)": the frame with this place, fixed in a body or, 0, the ground.
std::string Mechanism::frame_on(int body, const Place& place) {
  const Place& of = places_[static_cast<std::size_t>(body)];
  Vector apart{};
  for (std::size_t k = 0; k < 3; ++k) apart[k] = place.r[k] - of.r[k];
  return (body == 0 ? std::string("ground") : "b" + std::to_string(body)) + ".at(" + entries(back(of.R, apart)) + ", " +
         rotated(back_of(of.R, place.R)) + ")";
}

void Mechanism::body(int i) {
  Place& p = places_[static_cast<std::size_t>(i) + 1];
  p.r = vector(1);
  p.R = rotation();
  const double m = rng_.between(0.5, 3), a = rng_.between(0.05, 0.2), b = rng_.between(0.05, 0.2);
  const std::string inertia =
      plane_ ? number(a)
             : "diag(" + number(a) + ", " + number(b) + ", " + number(rng_.between(0.6, 0.95) * (a + b)) + ")";
  const std::string com = rng_.chance(0.3) ? ", com = " + entries(vector(0.2)) : "";
  text_ += "body b" + std::to_string(i + 1) + "(mass = " + number(m) + ", inertia = " + inertia + com + ") at " +
           entries(p.r) + " rotated " + rotated(p.R) + "\n";
}

// One that holds body i + 1 to an earlier one or to the ground; or none, of a forest.
void Mechanism::joint(int i) {
  if (i > 0 && rng_.chance(0.1)) {
    measured_ = false;  // where the body is, no joint says
    return;
  }
  const int carrier = static_cast<int>(rng_.below(static_cast<std::uint32_t>(i) + 1));
  const Place place{vector(1), rotation()};
  std::string first = frame_on(carrier, place), second = frame_on(i + 1, place);
  if (rng_.chance(0.4)) std::swap(first, second);
  // What measures all of a joint's freedom, one by one; "?": nothing does.
  struct Kind {
    const char *name, *arguments, *measures, *rows;
  };
  static constexpr Kind kSpace[] = {
      {"Revolute", ", axis = (1, 2, -0.5)", "angle", "pos ax1 ax2"},
      {"Revolute", "", "angle", "pos ax1 ax2"},
      {"Prismatic", ", axis = (0.3, -1, 0.5)", "displacement", "side1 side2 turn1 turn2 turn3"},
      {"Cylindrical", ", axis = ex", "angle displacement", "side1 side2 ax1 ax2"},
      {"Planar", ", normal = (1, 1, 0.5)", "angle x y", "height ax1 ax2"},
      {"Screw", ", lead = 0.2", "angle displacement", "side1 side2 ax1 thread"},
      {"Fixed", "", "", "pos turn1 turn3"},
      {"Spherical", "", "?", "pos"},
      {"PointOnLine", ", axis = (0.4, 1, 0.2)", "?", "side1 side2"},
      {"PointOnPlane", ", normal = (0.4, 1, 0.2)", "?", "height"},
      {"ConstantVelocity", ", axis = (0.2, 0.3, 1)", "x y", "pos twist"},
      {"Universal", "", "angle_a angle_b", "pos cross_pin"}};
  static constexpr Kind kPlane[] = {{"Pin", "", "angle", "pos"},
                                    {"Pin", "", "angle", "pos"},
                                    {"Slider", ", axis = (1, 0.4)", "displacement", "side turn"},
                                    {"Fixed", "", "", "pos turn"},
                                    {"PointOnLine", ", axis = (1, 0.4)", "?", "side"},
                                    {"Together", "", "?", "pos"}};
  const Kind* kind = plane_ ? &kPlane[rng_.below(std::size(kPlane))] : &kSpace[rng_.below(std::size(kSpace))];
  if (i == 0 && *kind->measures == 0) kind = plane_ ? kPlane : kSpace;  // something moves
  const std::string name = "j" + std::to_string(i + 1);
  text_ += std::string(kind->name) + " " + name + "(" + first + ", " + second + kind->arguments + ")\n";
  std::istringstream rows(kind->rows);
  for (std::string row; rows >> row;) {
    const std::string constraint = name + "." + row, body = std::to_string(i + 1);
    if (rng_.chance(0.15)) text_ += "output " + constraint + ".lambda\n";
    if (rng_.chance(0.1)) text_ += "output " + constraint + ".reaction(b" + body + ")\n";
    if (rng_.chance(0.1)) text_ += "output " + constraint + ".moment(b" + body + ")\n";
  }
  if (std::string_view(kind->measures) == "?") {
    measured_ = false;
    return;
  }
  std::istringstream measures(kind->measures);
  const bool thread = std::string_view(kind->name) == "Screw";
  for (std::string measure; measures >> measure;) {
    if (!thread || measure == "angle") rates_.push_back(name + "." + measure + "'");
    measures_.push_back(name + "." + measure);
  }
}

// A point of the last body stays together with one of the first.
void Mechanism::close() {
  loops_ = true;
  const Place place{vector(1), rotation()};
  text_ += std::string(plane_ ? "Together" : "Spherical") + " closing(" + frame_on(1, place) + ", " +
           frame_on(bodies_, place) + ")\n";
}

void Mechanism::loads() {
  const std::string last = "b" + std::to_string(bodies_), first = "b1";
  text_ += "PullSpring spring(ground.at(" + entries(vector(1)) + "), " + last + ".at(" + entries(vector(0.3)) +
           "), stiffness = " + number(rng_.between(1, 20)) + ")\n";
  if (rng_.chance(0.5))
    text_ += "torque damping on " + last + " from " + first + ": -0.05*(" +
             (plane_ ? last + ".omega - " + first + ".omega" : last + ".omega_space - " + first + ".omega_space") +
             ")\n";
  if (rng_.chance(0.3))
    text_ += "force push on " + last + ".at(" + entries(vector(0.3)) + "): " + entries(vector(5)) + "\n";
  for (std::size_t k = 0; k < measures_.size(); ++k) {
    const std::string &q = measures_[k], of = std::to_string(k + 1);
    const bool turns = far_ && q.find(".angle") != std::string::npos;
    if (rng_.chance(turns ? 0.6 : 0.2))
      text_ +=
          "load drive" + of + " on " + q + ": " + (turns ? "-0.3*" + q : "-0.3*sin(" + q + ")") + " - 0.1*" + q + "'\n";
    if (turns && q.ends_with(".angle") && rng_.chance(0.15)) text_ += rubs(q.substr(0, q.find('.')));
    if (rng_.chance(0.1)) text_ += "kinetic rotor" + of + ": 0.02*(" + q + "')^2\n";
  }
  guided_ = !loops_ && rng_.chance(0.15);
  if (!guided_) return;
  text_ += "constraint guide: dot(" + entries(vector(1)) + ", " + last + ".vel - " + first + ".vel) == 0";
  text_ += rng_.chance(0.5) ? " nonideal { force rub on " + last + ": -0.3*" + last + ".vel }\n" : "\n";
}

// A friction against the rate of a joint that has one, and a force that presses it.
std::string Mechanism::rubs(const std::string& joint) const {
  const bool hinge = text_.find("Revolute " + joint + "(") != std::string::npos ||
                     text_.find("Pin " + joint + "(") != std::string::npos;
  return hinge ? "JointFriction rub_" + joint + "(" + joint + ".rate, torque = 0.01*norm(" + joint + ".force))\n" : "";
}

// All joints begin where they are said to, or where they are drawn: what some values leave open differs with what
// describes the bodies. Rates that are left open are those of least kinetic energy whatever describes the bodies.
// Wishes (`~`) that contradict something are met differently, and are left out.
void Mechanism::init() {
  std::string given;
  if (!loops_ && measured_ && rng_.chance(0.7))
    for (const std::string& measure : measures_) {
      const bool turns = far_ && measure.find(".angle") != std::string::npos;
      const char* sign = far_ && rng_.chance(0.3) ? " ~ " : " = ";
      given += measure + sign + number(turns ? rng_.between(-6, 6) : rng_.between(-0.5, 0.5)) + "; ";
    }
  if (rng_.chance(0.5)) {
    const bool wishes = !loops_ && !guided_ && rng_.chance(0.3);
    const char* sign = wishes ? " ~ " : " = ";
    for (const std::string& rate : rates_)
      if (rng_.chance(0.5)) {
        const bool turns = far_ && rate.find(".angle") != std::string::npos;
        given += rate + sign + number(turns ? rng_.between(-15, 15) : rng_.between(-0.5, 0.5)) + "; ";
      }
    if (!wishes && rng_.chance(0.3))
      given += "dot(" + entries(vector(1)) + ", b" + std::to_string(bodies_) +
               ".vel) = " + number(rng_.between(-0.5, 0.5)) + "; ";
  }
  if (!given.empty()) text_ += "init { " + given + "}\n";
}

}  // namespace mbc::test
