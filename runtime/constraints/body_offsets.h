// SPDX-License-Identifier: Apache-2.0
// BodyOffsets corrects the distance of two poses for bodies whose origin is not their mass centre. The squared distance
// is the sum over all points of a body of mass times the squared displacement; for such bodies it couples place and
// rotation.
//
// Let d be the displacement of the origin, R0 and R the rotations, and s the first moment (mass times mass centre, in
// body axes). The squared distance is
//   m d^2 + 2 d (R - R0) s + (2 v)^T J (2 v)
// where v is the vector part of p0^-1 p and J the inertia about the origin. It is a quadratic form of the columns of R.
// For Euler parameters p the quadratic form with the mass matrix at p0 has R0 (2 v x s) in place of (R - R0) s. This
// class computes the difference, so that the distance is the same for all coordinates.
#pragma once
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <vector>

#include "kernel/problem/problem.h"

namespace mbc::runtime {

class BodyOffsets {
 public:
  BodyOffsets() = default;

  // `mass` is M at the coordinates x0, with a row and a column for each speed.
  BodyOffsets(const problem::Problem& info, const Eigen::MatrixXd& mass, const Eigen::VectorXd& x0) : x0_(x0) {
    for (const problem::Body& b : info.bodies) {
      if (b.representation == settings::Representation::natural) continue;
      const Parameters p = parameters(b, x0);
      const Eigen::Matrix3d R = rotation(p);
      Eigen::Matrix3d coupling;  // The coupling of the velocity with omega is -R0 skew(s).
      if (b.representation == settings::Representation::quaternion)
        coupling = mass.block<3, 3>(b.first_speed - 3, b.first_speed);
      else
        coupling = 0.5 * mass.block<3, 4>(b.first_speed - 3, b.first_speed) * relative(p).transpose();
      const Eigen::Matrix3d A = -R.transpose() * coupling;
      const Eigen::Vector3d s = 0.5 * Eigen::Vector3d(A(2, 1) - A(1, 2), A(0, 2) - A(2, 0), A(1, 0) - A(0, 1));
      if (s.squaredNorm() > 0 && s.allFinite()) list_.push_back({&b, s, R, 2 * R * skew(s) * relative(p)});
    }
  }

  [[nodiscard]] bool empty() const { return list_.empty(); }

  // These functions compute the difference in half of the squared distance from x0, and its derivative by the
  // coordinates.
  [[nodiscard]] double value(const Eigen::VectorXd& x) const {
    double sum = 0;
    for (const Beside& b : list_) sum += way(b, x).dot(difference(b, x));
    return sum;
  }
  [[nodiscard]] Eigen::VectorXd gradient(const Eigen::VectorXd& x) const {
    Eigen::VectorXd out = Eigen::VectorXd::Zero(x.size());
    for (const Beside& b : list_) {
      const Parameters p = parameters(*b.body, x);
      const Eigen::Vector3d v = p.tail<3>();
      Eigen::Matrix<double, 3, 4> turned;  // the derivative of R s by p
      turned.col(0) = 2 * (p[0] * b.s + v.cross(b.s));
      turned.rightCols<3>() = 2 * (v * b.s.transpose() - b.s * v.transpose() - p[0] * skew(b.s));
      turned.rightCols<3>().diagonal().array() += 2 * v.dot(b.s);
      out.segment<3>(b.body->first_coordinate - 3) += difference(b, x);
      out.segment<4>(b.body->first_coordinate) += (turned + b.linear).transpose() * way(b, x);
    }
    return out;
  }

 private:
  using Parameters = Eigen::Vector4d;  // The scalar part comes first.
  struct Beside {
    const problem::Body* body;
    Eigen::Vector3d s;
    Eigen::Matrix3d R;                   // at x0
    Eigen::Matrix<double, 3, 4> linear;  // -R0 (2 v x s), linear in p
  };

  static Parameters parameters(const problem::Body& b, const Eigen::VectorXd& x) {
    return x.segment<4>(b.first_coordinate);
  }
  static Eigen::Matrix3d rotation(const Parameters& p) {
    return Eigen::Quaterniond(p[0], p[1], p[2], p[3]).toRotationMatrix();
  }
  static Eigen::Matrix3d skew(const Eigen::Vector3d& a) {
    Eigen::Matrix3d out;
    out << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
    return out;
  }
  // The matrix maps other parameters to the vector part of their product with p^-1.
  static Eigen::Matrix<double, 3, 4> relative(const Parameters& p) {
    Eigen::Matrix<double, 3, 4> out;
    out.col(0) = -p.tail<3>();
    out.rightCols<3>() = p[0] * Eigen::Matrix3d::Identity() - skew(p.tail<3>());
    return out;
  }
  [[nodiscard]] Eigen::Vector3d way(const Beside& b, const Eigen::VectorXd& x) const {
    return x.segment<3>(b.body->first_coordinate - 3) - x0_.segment<3>(b.body->first_coordinate - 3);
  }
  [[nodiscard]] static Eigen::Vector3d difference(const Beside& b, const Eigen::VectorXd& x) {
    const Parameters p = parameters(*b.body, x);
    return (rotation(p) - b.R) * b.s + b.linear * p;
  }

  Eigen::VectorXd x0_;
  std::vector<Beside> list_;
};

}  // namespace mbc::runtime
