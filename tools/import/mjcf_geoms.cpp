// SPDX-License-Identifier: Apache-2.0
#include "tools/import/mjcf_geoms.h"

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "tools/import/robot_geometry.h"

namespace mbc::tools {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using std::numbers::pi;

enum class GeomKind : std::uint8_t { plane, hfield, sphere, capsule, ellipsoid, cylinder, box, mesh, sdf };

struct Geom {
  MjcfElement e;
  GeomKind kind = GeomKind::sphere;
  Pose pose;
  Triple size{};  // radius and half length, or half edges
};

Geom read_geom(MjcfFile& file, Node node, const std::string& around, const Pose& frame) {
  Geom g;
  g.e = file.element(node, "geom", around);
  g.kind = static_cast<GeomKind>(file.word(
      g.e, "type", {"plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"}, 2));
  g.size = file.numbers<3>(g.e, "size", {}, 1);
  const bool ends = g.e.has("fromto");
  if (ends) {
    const std::array<double, 6> f = file.numbers<6>(g.e, "fromto", {});
    const double half = (Vector3d(f[3], f[4], f[5]) - Vector3d(f[0], f[1], f[2])).norm() / 2;
    if (g.kind == GeomKind::capsule || g.kind == GeomKind::cylinder)
      g.size[1] = half;
    else
      g.size = {g.size[0], g.size[0], half};
  }
  g.pose = product(frame, ends ? between(file, g.e) : file.pose(g.e));
  const std::size_t needed = g.kind == GeomKind::sphere                                    ? 1
                             : g.kind == GeomKind::capsule || g.kind == GeomKind::cylinder ? 2
                             : g.kind == GeomKind::ellipsoid || g.kind == GeomKind::box    ? 3
                                                                                           : 0;
  for (std::size_t k = 0; k < needed && !g.e.has("mesh"); ++k)
    if (!(g.size[k] > 0)) {
      file.xml().fail(node, "a size of the geom is not positive");
      return g;
    }
  return g;
}

double volume(const Geom& g) {
  const auto& [a, b, c] = g.size;
  switch (g.kind) {
    case GeomKind::sphere:
      return 4.0 / 3 * pi * a * a * a;
    case GeomKind::capsule:
      return pi * a * a * (2 * b + 4.0 / 3 * a);
    case GeomKind::cylinder:
      return pi * a * a * 2 * b;
    case GeomKind::ellipsoid:
      return 4.0 / 3 * pi * a * b * c;
    case GeomKind::box:
      return 8 * a * b * c;
    case GeomKind::plane:
    case GeomKind::hfield:
    case GeomKind::mesh:
    case GeomKind::sdf:
      break;
  }
  return 0;
}

// Moments of a solid of uniform density. A capsule is a cylinder with two half balls, whose mass centres are 3/8 of the
// radius from their flat sides and whose moment about an axis through it is 83/320 m r^2.
Triple moments(const Geom& g, double m) {
  const auto& [a, b, c] = g.size;
  switch (g.kind) {
    case GeomKind::sphere:
      return {0.4 * m * a * a, 0.4 * m * a * a, 0.4 * m * a * a};
    case GeomKind::cylinder: {
      const double across = m * (3 * a * a + 4 * b * b) / 12;
      return {across, across, m * a * a / 2};
    }
    case GeomKind::capsule: {
      const double balls = m * (4.0 / 3 * a) / (2 * b + 4.0 / 3 * a), middle = m - balls, arm = b + 3.0 / 8 * a;
      const double across = middle * (3 * a * a + 4 * b * b) / 12 + balls * (83.0 / 320 * a * a + arm * arm);
      return {across, across, middle * a * a / 2 + 0.4 * balls * a * a};
    }
    case GeomKind::ellipsoid:
      return {m * (b * b + c * c) / 5, m * (a * a + c * c) / 5, m * (a * a + b * b) / 5};
    case GeomKind::box:
      return {m * (b * b + c * c) / 3, m * (a * a + c * c) / 3, m * (a * a + b * b) / 3};
    case GeomKind::plane:
    case GeomKind::hfield:
    case GeomKind::mesh:
    case GeomKind::sdf:
      break;
  }
  return {};
}

Matrix3d tensor_of(const Link& l) {
  const auto& [xx, xy, xz, yy, yz, zz] = l.inertia;
  Matrix3d out;
  out << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  return out;
}

void set_tensor(const Matrix3d& t, Link& l) { l.inertia = {t(0, 0), t(0, 1), t(0, 2), t(1, 1), t(1, 2), t(2, 2)}; }

}  // namespace

Pose between(MjcfFile& file, const MjcfElement& e) {
  const std::array<double, 6> f = file.numbers<6>(e, "fromto", {});
  const Vector3d a(f[0], f[1], f[2]), b(f[3], f[4], f[5]);
  if (!((b - a).norm() > 1e-14)) {
    file.xml().fail(e.holder("fromto"), "both ends of `fromto` are the same point");
    return {};
  }
  return {triple_of((a + b) / 2), turn_to(b - a)};
}

std::optional<GeomMass> mass_of(MjcfFile& file, Node node, const std::string& around, const Pose& frame) {
  const Geom g = read_geom(file, node, around, frame);
  const auto group = static_cast<int>(file.number(g.e, "group", 0));
  if (group < file.compiler().first_group || group > file.compiler().last_group || g.kind == GeomKind::plane) return {};
  if (g.kind == GeomKind::hfield || g.kind == GeomKind::sdf) return {};  // they are refused as shapes
  const bool given = g.e.has("mass");
  const double density = file.number(g.e, "density", 1000), mass = given ? file.number(g.e, "mass", 0) : 0;
  if (mass < 0 || density < 0) {
    file.xml().fail(node, "the mass of the geom is negative");
    return {};
  }
  if (given ? mass == 0 : density == 0) return {};
  if (g.kind == GeomKind::mesh || g.e.has("mesh")) {
    file.xml().fail(node,
                    "the mass of this body is that of a mesh, which is not read: give the body an <inertial>, as "
                    "MuJoCo saves it");
    return {};
  }
  if (file.word(g.e, "shellinertia", {"false", "true"}, 0) == 1) {
    file.xml().fail(node, "the inertia of a shell is not taken over: give the body an <inertial>");
    return {};
  }
  GeomMass out{given ? mass : density * volume(g), g.pose, {}};
  out.moments = moments(g, out.mass);
  return out;
}

void add_masses(const std::vector<GeomMass>& masses, Link& link) {
  if (masses.empty()) return;
  if (masses.size() == 1) {
    const GeomMass& m = masses[0];
    link.mass = m.mass;
    link.inertial = m.pose;
    link.inertia = {m.moments[0], 0, 0, m.moments[1], 0, m.moments[2]};
    return;
  }
  Vector3d sum = Vector3d::Zero();
  for (const GeomMass& m : masses) {
    link.mass += m.mass;
    sum += m.mass * vector_of(m.pose.xyz);
  }
  const Vector3d centre = sum / link.mass;
  Matrix3d tensor = Matrix3d::Zero();
  for (const GeomMass& m : masses) {
    const Matrix3d axes = rotation_of(m.pose).toRotationMatrix();
    const Vector3d arm = vector_of(m.pose.xyz) - centre;
    tensor += axes * vector_of(m.moments).asDiagonal() * axes.transpose() +
              m.mass * (arm.squaredNorm() * Matrix3d::Identity() - arm * arm.transpose());
  }
  link.inertial = {triple_of(centre), {}};
  set_tensor((tensor + tensor.transpose()) / 2, link);
}

void bound_mass(MjcfFile& file, Link& link) {
  const MjcfCompiler& c = file.compiler();
  link.mass = std::fmax(link.mass, c.bound_mass);
  if (c.bound_inertia == 0 && !c.balance_inertia) return;
  const Eigen::SelfAdjointEigenSolver<Matrix3d> principal(tensor_of(link));
  Vector3d m = principal.eigenvalues().cwiseMax(c.bound_inertia);
  const bool unbalanced = m[0] + m[1] < m[2] || m[1] + m[2] < m[0] || m[0] + m[2] < m[1];
  if (c.balance_inertia && unbalanced) {
    file.xml().leave_out(link.place, "repaired: the inertia of `" + printable(link.name) +
                                         "`, whose moments became equal by `balanceinertia`");
    m = Vector3d::Constant(m.mean());
  }
  if (m == principal.eigenvalues()) return;
  set_tensor(principal.eigenvectors() * m.asDiagonal() * principal.eigenvectors().transpose(), link);
}

void add_shape(MjcfFile& file, Node node, const std::string& around, const Pose& frame, Link& link) {
  file.rest(node, "geom");
  const Geom g = read_geom(file, node, around, frame);
  const auto& [a, b, c] = g.size;
  Shape s;
  s.pose = g.pose;
  switch (g.kind) {
    case GeomKind::sphere:
      s.kind = Shape::Kind::sphere, s.sizes = {a, 0, 0};
      break;
    case GeomKind::capsule:
      s.kind = Shape::Kind::capsule, s.sizes = {a, 2 * b, 0};
      break;
    case GeomKind::cylinder:
      s.kind = Shape::Kind::cylinder, s.sizes = {a, 2 * b, 0};
      break;
    case GeomKind::box:
      s.kind = Shape::Kind::box, s.sizes = {2 * a, 2 * b, 2 * c};
      break;
    case GeomKind::plane:
      s.kind = Shape::Kind::plane;
      break;
    case GeomKind::hfield:
      return file.xml().fail(node, "height fields are not taken over");
    case GeomKind::sdf:
      return file.xml().fail(node, "geoms of a plugin are not taken over");
    case GeomKind::ellipsoid:
      return file.xml().leave_out(node, "the shapes of ellipsoids");
    case GeomKind::mesh:
      return file.xml().leave_out(node, "meshes");
  }
  if (g.e.has("mesh")) return file.xml().leave_out(node, "the shapes that are fitted to meshes");
  link.shapes.push_back(s);
}

}  // namespace mbc::tools
