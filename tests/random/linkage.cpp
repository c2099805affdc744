// SPDX-License-Identifier: Apache-2.0
#include "tests/random/linkage.h"

#include <Eigen/Geometry>
#include <cmath>
#include <vector>

#include "tests/compiler/ad/rng.h"
#include "tests/physics/run.h"

namespace mbc::test {

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

const double kPi = std::acos(-1.0);

std::string text_of(const Vector3d& v) {
  return "(" + number(v.x()) + ", " + number(v.y()) + ", " + number(v.z()) + ")";
}

std::string rows_of(const Matrix3d& m) {
  return "(" + text_of(Vector3d(m.row(0))) + ", " + text_of(Vector3d(m.row(1))) + ", " + text_of(Vector3d(m.row(2))) +
         ")";
}

class LinkageText {
 public:
  explicit LinkageText(const Linkage& linkage)
      : linkage_(linkage), flat_(linkage.kind == LinkageKind::plane), rng_(linkage.seed) {}

  std::string text() {
    out_ = flat_ ? "mbd 1\nspace 2\n" : "mbd 1\nuse joints\n";
    choose_pose();
    for (std::size_t k = 0; k < place_.size(); ++k) write_body(k);
    for (std::size_t k = 0; k < corner_.size(); ++k) write_joint(k);
    return out_ + "simulate { time = 0 .. 0.01 step 0.001; integrator = rk4 }\n";
  }

 private:
  [[nodiscard]] bool planar() const {
    return linkage_.kind == LinkageKind::plane || linkage_.kind == LinkageKind::hinges;
  }

  Vector3d anywhere() { return {rng_.between(-1, 1), rng_.between(-1, 1), planar() ? 0 : rng_.between(-1, 1)}; }

  Vector3d direction() {
    for (;;) {
      const Vector3d v(rng_.between(-1, 1), rng_.between(-1, 1), rng_.between(-1, 1));
      if (v.norm() > 0.1 && v.norm() < 1) return v.normalized();
    }
  }

  Matrix3d turned(double most) {
    const Vector3d axis = flat_ ? Vector3d::UnitZ() : direction();
    return Eigen::AngleAxisd(rng_.between(-most, most), axis).toRotationMatrix();
  }

  // Chooses the corners at which the bodies meet, none near its neighbour. Each body is between two of them.
  void choose_pose() {
    const auto n = static_cast<std::size_t>(linkage_.bodies);
    while (corner_.size() < n + 1) {
      const Vector3d v = anywhere();
      const bool near = !corner_.empty() && ((v - corner_.back()).norm() < 0.4 ||
                                             (corner_.size() == n && (v - corner_.front()).norm() < 0.4));
      if (!near) corner_.push_back(v);
    }
    for (std::size_t k = 0; k < n; ++k) {
      place_.emplace_back((corner_[k] + corner_[k + 1]) / 2);
      turn_.push_back(planar() ? Matrix3d(Eigen::AngleAxisd(rng_.between(-kPi, kPi), Vector3d::UnitZ())) : turned(kPi));
    }
  }

  void write_body(std::size_t k) {
    const Vector3d move(rng_.between(-1, 1), rng_.between(-1, 1), flat_ ? 0 : rng_.between(-1, 1));
    const bool in_row = linkage_.disturbed == 0;
    const Vector3d place = in_row ? Vector3d(double(k + 1), 0, 0) : Vector3d(place_[k] + linkage_.disturbed * move);
    const Matrix3d turn = in_row ? Matrix3d(Matrix3d::Identity()) : Matrix3d(turn_[k] * turned(linkage_.disturbed));
    const std::string name = "body b" + std::to_string(k + 1);
    if (flat_)
      out_ += name + "(mass = 1, inertia = 0.1) at (" + number(place.x()) + ", " + number(place.y()) +
              ") rotated rot(" + number(std::atan2(turn(1, 0), turn(0, 0))) + ")\n";
    else
      out_ += name + "(mass = 1, inertia = diag(0.05, 0.1, 0.12)) at " + text_of(place) + " rotated " + rows_of(turn) +
              "\n";
  }

  // Returns corner k in body k, where 0 and n + 1 are the ground. `axes` are those of the joint in space.
  std::string mark(std::size_t corner, std::size_t body, const Matrix3d& axes) {
    const bool ground = body == 0 || body == corner_.size();
    const Vector3d at =
        ground ? corner_[corner] : Vector3d(turn_[body - 1].transpose() * (corner_[corner] - place_[body - 1]));
    const std::string name = ground ? "ground" : "b" + std::to_string(body);
    if (flat_) {
      const std::string point = "p" + std::to_string(corner) + "_" + std::to_string(body);
      out_ += "point " + point + " on " + name + " at (" + number(at.x()) + ", " + number(at.y()) + ")\n";
      return point;
    }
    const Matrix3d turn = ground ? axes : Matrix3d(turn_[body - 1].transpose() * axes);
    return name + ".at(" + text_of(at) + ", " + rows_of(turn) + ")";
  }

  void write_joint(std::size_t k) {
    const std::string name = "j" + std::to_string(k + 1);
    const Matrix3d axes = planar() ? Matrix3d(Matrix3d::Identity()) : turned(kPi);
    const std::string a = mark(k, k, axes), b = mark(k, k + 1, axes);
    if (flat_)
      out_ += "constraint " + name + ": " + a + ".pos == " + b + ".pos\n";
    else
      out_ += type(k) + " " + name + "(" + a + ", " + b + ")\n";
  }

  // Every second joint of a mixed linkage is a ball joint, so that the loop can move.
  std::string type(std::size_t k) {
    if (linkage_.kind == LinkageKind::hinges) return "Revolute";
    if (linkage_.kind == LinkageKind::balls || k % 2 == 0) return "Spherical";
    const char* const kinds[] = {"Revolute", "Universal", "Cylindrical", "Prismatic"};
    return kinds[rng_.below(4u)];
  }

  const Linkage linkage_;
  const bool flat_;
  Rng rng_;
  std::string out_;
  std::vector<Vector3d> corner_, place_;
  std::vector<Matrix3d> turn_;
};

}  // namespace

std::string linkage_text(const Linkage& linkage) { return LinkageText(linkage).text(); }

}  // namespace mbc::test
