// SPDX-License-Identifier: Apache-2.0
// Describes the direction of least inertia in the words of the model.
#include "runtime/constraints/undetermined.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "runtime/equations/user_place.h"
#include "runtime/rows/decompositions.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

constexpr std::uint32_t kPlaceSpeeds = 3;  // of a body, before those of its rotation

// Returns the direction of least inertia as speeds. The matrix is first scaled to unit inertia, so that units do not
// matter.
Eigen::VectorXd weakest(const Eigen::MatrixXd& mass) {
  const Eigen::Index n = mass.rows();
  Eigen::VectorXd scale(n);
  for (Eigen::Index i = 0; i < n; ++i) scale[i] = mass(i, i) > 0 ? 1 / std::sqrt(mass(i, i)) : 1;
  const Eigen::MatrixXd scaled = scale.asDiagonal() * mass * scale.asDiagonal();
  const Eigensystem system = symmetric_eigensystem(scaled);
  Eigen::VectorXd direction = system.vectors.col(0);
  // If several directions are equally weak, the message names the one of the first speed that they contain.
  const double least = system.values[0];
  Eigen::Index count = 1;
  while (count < n && system.values[count] < least + 1e-12) ++count;
  if (count > 1) {
    const Eigen::MatrixXd space = system.vectors.leftCols(count);
    for (Eigen::Index i = 0; i < n; ++i)
      if (space.row(i).norm() > kDirectionPart) {
        direction = space * space.row(i).transpose();
        break;
      }
  }
  return scale.asDiagonal() * direction;
}

std::string axis_text(Eigen::Vector3d axis) {
  Eigen::Index largest = 0;
  axis.cwiseAbs().maxCoeff(&largest);
  axis /= axis[largest] < 0 ? -axis.norm() : axis.norm();
  std::string text;
  for (int k = 0; k < 3; ++k) {
    const double x = std::fabs(axis[k]) < kDirectionPart ? 0 : axis[k];
    text += (k ? ", " : "(") + text::short_number(x, 4);
  }
  return text + ")";
}

// Returns the angular velocity in body axes that belongs to a combination of the speeds of a rotation.
Eigen::Vector3d turning(const problem::Body& b, const Eigen::VectorXd& speeds, const double* y) {
  const Eigen::VectorXd u = speeds.segment(b.first_speed, b.speeds());
  const double* q = y + b.first_coordinate;
  if (b.representation == settings::Representation::quaternion) return u;
  if (b.representation == settings::Representation::euler_parameters) {
    const Eigen::Vector3d p(q[1], q[2], q[3]), rate(u[1], u[2], u[3]);
    return 2 * (q[0] * rate - u[0] * p - p.cross(rate));
  }
  const Eigen::Map<const Eigen::Matrix3d> axes(q);
  const Eigen::Matrix3d skew = axes.transpose() * Eigen::Map<const Eigen::Matrix3d>(u.data());
  return 0.5 * Eigen::Vector3d(skew(2, 1) - skew(1, 2), skew(0, 2) - skew(2, 0), skew(1, 0) - skew(0, 1));
}

}  // namespace

Diagnostic undetermined_motion(const Assembled& s, const problem::Problem& info, double t, const double* y) {
  const Eigen::VectorXd speeds = weakest(s.solved_mass());
  const double part = kDirectionPart * speeds.cwiseAbs().maxCoeff();
  std::vector<std::uint32_t> moved;
  for (Eigen::Index i = 0; i < speeds.size(); ++i)
    if (std::fabs(speeds[i]) > part) moved.push_back(static_cast<std::uint32_t>(i));
  Diagnostic d = diagnostic_of(Kind::mass_matrix_singular, t, {});
  std::string spins;
  std::size_t explained = 0, bodies = 0;  // the moved speeds of the bodies that turn, and these bodies
  bool natural = false;
  for (const problem::Body& b : info.bodies) {
    const std::uint32_t end = b.first_speed + b.speeds();
    const auto first = std::find_if(moved.begin(), moved.end(), [&](auto i) { return i >= b.first_speed && i < end; });
    const Eigen::Vector3d axis = first != moved.end() ? turning(b, speeds, y) : Eigen::Vector3d::Zero();
    if (!(axis.norm() > part)) continue;
    spins += (spins.empty() ? "" : " and of ") + ("`" + b.name) + "` about its axis " + axis_text(axis);
    point_at(d, info, b.name, info.speed_spans[*first], "and this");
    explained += static_cast<std::size_t>(std::count_if(
        moved.begin(), moved.end(), [&](auto i) { return i + kPlaceSpeeds >= b.first_speed && i < end; }));
    natural = natural || b.representation == settings::Representation::natural;
    ++bodies;
  }
  if (bodies == 0 || explained < moved.size()) return undetermined_block(moved, info, t);
  d.args = {bodies == 1 ? "the spin of " + spins : "the common spin of " + spins};
  d.help = natural
               ? "a thin plate has none in natural coordinates: take `bodies = quaternion`; else give it a moment of "
                 "inertia about this axis, or a constraint that holds its spin"
               : "give it a moment of inertia about this axis, or a constraint that holds its spin";
  return d;
}

Diagnostic undetermined_block(const std::vector<std::uint32_t>& speeds, const problem::Problem& info, double t) {
  Diagnostic d = diagnostic_of(Kind::mass_matrix_singular, t, {});
  std::string names;
  for (std::size_t k = 0; k < speeds.size() && k < 4; ++k) {
    const std::uint32_t q = info.coordinate_of_speed[speeds[k]];
    const std::string name =
        q == problem::Problem::kNoCoordinate ? info.speeds[speeds[k]].name : info.coordinates[q].name;
    names += (k == 0 ? "`" : ", `") + name + "`";
    point_at(d, info, name, info.speed_spans[speeds[k]], "and this");
  }
  d.args = {speeds.size() == 1 ? names : "a combination of " + names + (speeds.size() > 4 ? ", ..." : "")};
  d.help = "give it a mass, a moment of inertia, or a `kinetic` energy that depends on its rate, or a constraint";
  return d;
}

}  // namespace mbc::runtime
