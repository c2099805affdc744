// SPDX-License-Identifier: Apache-2.0
// Converts rotations and their rates between the representations of bodies.
#include "runtime/equations/representation_state.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <map>

namespace mbc::runtime {

namespace {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using settings::Representation;

// A Rotation holds the Euler parameters of one body as a unit quaternion (body components to space components) and
// omega in body axes.
struct Rotation {
  Quaterniond p;
  Vector3d omega;
};

std::uint32_t coordinates_of(const problem::Body& b) { return b.representation == Representation::natural ? 9 : 4; }

// Builds a matrix from its columns, which are stored one after the other.
Matrix3d columns(const double* values) { return Eigen::Map<const Matrix3d>(values); }

Rotation rotation_of(const problem::Body& b, const double* q, const double* u) {
  if (b.representation == Representation::natural) {
    const Matrix3d R = columns(q), W = R.transpose() * columns(u);  // W = skew(omega) up to round-off
    return {Quaterniond(R).normalized(), 0.5 * Vector3d(W(2, 1) - W(1, 2), W(0, 2) - W(2, 0), W(1, 0) - W(0, 1))};
  }
  const Quaterniond p(q[0], q[1], q[2], q[3]);
  if (b.representation == Representation::quaternion) return {p.normalized(), {u[0], u[1], u[2]}};
  return {p.normalized(), 2 * (p.conjugate() * Quaterniond(u[0], u[1], u[2], u[3])).vec()};  // p' = p o (0, omega)/2
}

void write(const problem::Body& b, const Rotation& r, double* q, double* u) {
  if (b.representation == Representation::natural) {
    const Matrix3d R = r.p.toRotationMatrix();
    Matrix3d skew;
    skew << 0, -r.omega.z(), r.omega.y(), r.omega.z(), 0, -r.omega.x(), -r.omega.y(), r.omega.x(), 0;
    Eigen::Map<Matrix3d>{q} = R;
    Eigen::Map<Matrix3d>{u} = R * skew;
    return;
  }
  const auto store = [](const Quaterniond& p, double* to) {
    to[0] = p.w();
    to[1] = p.x();
    to[2] = p.y();
    to[3] = p.z();
  };
  store(r.p, q);
  if (b.representation == Representation::quaternion)
    Eigen::Map<Vector3d>{u} = r.omega;
  else
    store(Quaterniond(0.5 * (r.p * Quaterniond(0, r.omega.x(), r.omega.y(), r.omega.z())).coeffs()), u);
}

// Copies the entries that have equal names. Those of rotations are overwritten afterwards.
void copy_named(const problem::Quantities& from, const double* source, const problem::Quantities& to, double* target) {
  std::map<std::string, std::size_t> places;
  for (std::size_t k = 0; k < from.size(); ++k) places.emplace(from[k].name, k);
  for (std::size_t k = 0; k < to.size(); ++k)
    if (const auto it = places.find(to[k].name); it != places.end()) target[k] = source[it->second];
}

}  // namespace

std::vector<double> in_representation(const problem::Problem& from, const std::vector<double>& y,
                                      const problem::Problem& to) {
  const std::size_t from_q = from.coordinates.size(), from_s = from_q + from.speeds.size();
  const std::size_t to_q = to.coordinates.size(), to_s = to_q + to.speeds.size();
  std::vector<double> out(to_s + y.size() - from_s, 0.0);
  copy_named(from.coordinates, y.data(), to.coordinates, out.data());
  copy_named(from.speeds, y.data() + from_q, to.speeds, out.data() + to_q);
  std::copy(y.begin() + static_cast<std::ptrdiff_t>(from_s), y.end(), out.begin() + static_cast<std::ptrdiff_t>(to_s));
  for (std::size_t k = 0; k < from.bodies.size() && k < to.bodies.size(); ++k) {
    const problem::Body &a = from.bodies[k], &b = to.bodies[k];
    const double *q = y.data() + a.first_coordinate, *u = y.data() + from_q + a.first_speed;
    double *q_out = out.data() + b.first_coordinate, *u_out = out.data() + to_q + b.first_speed;
    if (a.representation != b.representation) {
      write(b, rotation_of(a, q, u), q_out, u_out);
      continue;
    }
    std::copy(q, q + coordinates_of(a), q_out);
    std::copy(u, u + a.speeds(), u_out);
  }
  return out;
}

void keep_angular_velocities(const problem::Problem& info, const std::vector<double>& before,
                             const std::vector<char>& chosen, std::vector<double>& y) {
  const std::size_t n_q = info.coordinates.size();
  for (const problem::Body& b : info.bodies) {
    const auto first = chosen.begin() + b.first_speed;
    if (b.representation == Representation::quaternion ||
        std::any_of(first, first + b.speeds(), [](char c) { return c != 0; }))
      continue;
    const double *q0 = before.data() + b.first_coordinate, *u0 = before.data() + n_q + b.first_speed;
    double *q = y.data() + b.first_coordinate, *u = y.data() + n_q + b.first_speed;
    if (std::equal(q0, q0 + coordinates_of(b), q)) continue;
    std::array<double, 9> place{};
    write(b, {rotation_of(b, q, u).p, rotation_of(b, q0, u0).omega}, place.data(), u);
  }
}

bool bodies_differ_from_quaternions(const problem::Problem& info) {
  return std::any_of(info.bodies.begin(), info.bodies.end(),
                     [](const problem::Body& b) { return b.representation != Representation::quaternion; });
}

}  // namespace mbc::runtime
