// SPDX-License-Identifier: Apache-2.0
#include "api/scene/shapes.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <utility>

namespace mbc::api {

namespace {

using ShapeKind = SceneShape::Kind;
using Matrix = std::array<double, 9>;

double root(double x) { return x > 0 ? std::sqrt(x) : 0; }

// Returns "cylinder_inertia" for "cylinder_inertia(m, r, l)"; "" for anything but a single call.
std::string called(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
  if (end == 0 || end == text.size() || text[end] != '(' || text.back() != ')') return "";
  int depth = 0;
  for (std::size_t k = end; k < text.size(); ++k) {
    depth += text[k] == '(' ? 1 : text[k] == ')' ? -1 : 0;
    if (depth == 0 && k + 1 < text.size()) return "";
  }
  return std::string(text.substr(0, end));
}

struct Principal {
  std::array<double, 3> moments;
  Matrix axes;  // its columns
};

// Jacobi's rotations (Golub, Van Loan, section 8.5): a few sweeps are enough for three rows.
Principal principal_axes(const std::array<double, 6>& inertia) {
  const auto [xx, yy, zz, xy, xz, yz] = inertia;
  Matrix a = {xx, xy, xz, xy, yy, yz, xz, yz, zz}, v = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  constexpr std::array<std::pair<std::size_t, std::size_t>, 3> kPairs = {{{0, 1}, {0, 2}, {1, 2}}};
  const auto turn = [](Matrix& m, std::size_t i, std::size_t j, double c, double s) {
    const double x = m[i], y = m[j];
    m[i] = c * x - s * y;
    m[j] = s * x + c * y;
  };
  for (int sweep = 0; sweep < 12; ++sweep)
    for (const auto& [p, q] : kPairs) {
      const double off = a[3 * p + q];
      if (std::fabs(off) <= 1e-16 * (std::fabs(a[3 * p + p]) + std::fabs(a[3 * q + q]))) continue;
      const double theta = (a[3 * q + q] - a[3 * p + p]) / (2 * off);
      const double t = (theta >= 0 ? 1 : -1) / (std::fabs(theta) + std::sqrt(theta * theta + 1));
      const double c = 1 / std::sqrt(t * t + 1), s = t * c;
      for (std::size_t k = 0; k < 3; ++k) turn(a, 3 * k + p, 3 * k + q, c, s);
      for (std::size_t k = 0; k < 3; ++k) turn(a, 3 * p + k, 3 * q + k, c, s);
      for (std::size_t k = 0; k < 3; ++k) turn(v, 3 * k + p, 3 * k + q, c, s);
    }
  return {{a[0], a[4], a[8]}, v};
}

// Returns the axes as a rotation with `first` as its third column, which points along the positive side of its largest
// component.
Quaternion along(const Matrix& v, std::size_t first) {
  std::array<double, 3> z = {v[first], v[3 + first], v[6 + first]};
  const std::size_t second = (first + 1) % 3;
  const std::array<double, 3> x = {v[second], v[3 + second], v[6 + second]};
  const auto largest =
      std::max_element(z.begin(), z.end(), [](double a, double b) { return std::fabs(a) < std::fabs(b); });
  if (*largest < 0)
    for (double& e : z) e = -e;
  const std::array<double, 3> y = {z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]};
  return quaternion_of({x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]});
}

// Moments about the axis of symmetry and normal to it, divided by the mass.
struct Axial {
  double about = 0, normal = 0;
  Quaternion axes{1, 0, 0, 0};
};

Axial axial(const Principal& p, double mass) {
  std::size_t axis = 2;
  double nearest = std::fabs(p.moments[0] - p.moments[1]);
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}})
    if (const double d = std::fabs(p.moments[(k + 1) % 3] - p.moments[(k + 2) % 3]); d < nearest * (1 - 1e-9)) {
      nearest = d;
      axis = k;
    }
  return {p.moments[axis] / mass, 0.5 * (p.moments[(axis + 1) % 3] + p.moments[(axis + 2) % 3]) / mass,
          along(p.axes, axis)};
}

// The axial functions of stdlib/bodies.mbd, solved for the sizes.
SceneShape axial_shape(const std::string& name, const Axial& j) {
  SceneShape s;
  s.axes = j.axes;
  s.kind = ShapeKind::cylinder;
  if (name == "rod_inertia") {
    s.size = {0, root(12 * j.normal), 0};
  } else if (name == "cylinder_inertia") {
    s.size = {root(2 * j.about), root(12 * j.normal - 6 * j.about), 0};
  } else if (name == "disc_inertia") {
    s.size = {root(2 * j.about), 0, 0};
  } else if (name == "ring_inertia") {
    s.kind = ShapeKind::torus;
    s.size = {root(j.about), 0, 0};
  } else if (name == "cone_inertia") {
    s.kind = ShapeKind::cone;
    s.size = {root(j.about / 0.3), root((j.normal - 0.5 * j.about) / 0.0375), 0};
  } else if (name == "torus_inertia") {
    const double tube = (j.normal - 0.5 * j.about) / 0.25;
    s.kind = ShapeKind::torus;
    s.size = {root(j.about - 0.75 * tube), root(tube), 0};
  } else {
    s.kind = ShapeKind::none;
  }
  return s;
}

// The functions of stdlib/bodies.mbd whose axes are those of the body.
SceneShape block_shape(const std::string& name, double mass, const std::array<double, 6>& j) {
  const double x = (j[1] + j[2] - j[0]) / mass, y = (j[0] + j[2] - j[1]) / mass, z = (j[0] + j[1] - j[2]) / mass;
  SceneShape s;
  if (name == "cuboid_inertia") {
    s.kind = ShapeKind::box;
    s.size = {root(6 * x), root(6 * y), root(6 * z)};
  } else if (name == "plate_inertia") {
    s.kind = ShapeKind::box;
    s.size = {root(12 * j[1] / mass), root(12 * j[0] / mass), 0};
  } else if (name == "sphere_inertia" || name == "ellipsoid_inertia") {
    s.kind = ShapeKind::ellipsoid;
    s.size = {root(2.5 * x), root(2.5 * y), root(2.5 * z)};
  } else if (name == "shell_inertia") {
    s.kind = ShapeKind::ellipsoid;
    s.size.fill(root(1.5 * j[0] / mass));
  }
  return s;
}

}  // namespace

Quaternion quaternion_of(const Matrix& r) {
  const double trace = r[0] + r[4] + r[8];
  Quaternion q{};
  if (trace > 0) {
    q = {1 + trace, r[7] - r[5], r[2] - r[6], r[3] - r[1]};
  } else if (r[0] >= r[4] && r[0] >= r[8]) {
    q = {r[7] - r[5], 1 + r[0] - r[4] - r[8], r[1] + r[3], r[2] + r[6]};
  } else if (r[4] >= r[8]) {
    q = {r[2] - r[6], r[1] + r[3], 1 + r[4] - r[0] - r[8], r[5] + r[7]};
  } else {
    q = {r[3] - r[1], r[2] + r[6], r[5] + r[7], 1 + r[8] - r[0] - r[4]};
  }
  const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (double& e : q) e /= length;
  return q;
}

SceneShape shape_of(std::string_view written, double mass, const std::array<double, 6>& inertia) {
  if (!(mass > 0)) return {};
  const std::string name = called(written);
  const Principal p = principal_axes(inertia);
  SceneShape s = block_shape(name, mass, inertia);
  if (s.kind == ShapeKind::none) s = axial_shape(name, axial(p, mass));
  if (s.kind != ShapeKind::none) {
    s.known = true;
    s.function = name;
    return s;
  }
  const auto [a, b, c] = p.moments;
  s.kind = ShapeKind::ellipsoid;
  s.axes = along(p.axes, 2);  // x of the shape is the first principal axis, y the second
  s.size = {root(2.5 * (b + c - a) / mass), root(2.5 * (a + c - b) / mass), root(2.5 * (a + b - c) / mass)};
  return s;
}

SceneShape planar_shape_of(std::string_view written, double mass, double inertia) {
  if (!(mass > 0)) return {};
  SceneShape s;
  s.function = called(written);
  s.known = s.function == "planar_disc_inertia" || s.function == "planar_rod_inertia";
  s.kind = ShapeKind::cylinder;
  s.size = {root(2 * inertia / mass), 0, 0};
  if (s.function == "planar_rod_inertia") {  // along x
    s.size = {0, root(12 * inertia / mass), 0};
    s.axes = {std::sqrt(0.5), 0, std::sqrt(0.5), 0};
  }
  if (!s.known) s.function.clear();
  return s;
}

}  // namespace mbc::api
