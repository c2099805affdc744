// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/rows/cone/drawn_problem.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/split_mix64.h"

namespace mbc::test {

namespace {

using Vector = Eigen::VectorXd;
using Eigen::Vector2d;
using Eigen::Vector3d;

// noise of the required values, so that dependent rows require slightly different values
constexpr double kNoise = 1e-13;

class Drawing {
 public:
  Drawing(DrawnKind kind, std::uint64_t seed, double decades, int most_contacts)
      : kind_(kind), decades_(decades), most_(most_contacts), random_(seed * 8 + static_cast<std::uint64_t>(kind)) {
    largest_coefficient_ = one_in(3) ? 0.5 : 2;
    one_coefficient_ = one_in(2);
    coefficient_ = value(0, largest_coefficient_);
  }

  DrawnProblem draw() {
    switch (kind_) {
      case DrawnKind::rows:
        draw_rows();
        break;
      case DrawnKind::plane_bodies:
        draw_plane_bodies();
        break;
      case DrawnKind::space_bodies:
        draw_space_bodies();
        break;
      case DrawnKind::plane_stack:
        draw_plane_stack();
        break;
      case DrawnKind::space_stack:
        draw_space_stack();
        break;
    }
    draw_speeds();
    return finish();
  }

 private:
  double value(double from, double to) { return from + (to - from) * 0.5 * (random_.next() + 1); }
  int whole(int below) { return std::min(below - 1, static_cast<int>(value(0, below))); }
  bool one_in(int n) { return whole(n) == 0; }
  // Returns a nearly normally distributed value.
  double normal() { return value(-1, 1) + value(-1, 1) + value(-1, 1); }
  double mass() { return std::pow(10.0, value(-0.5 * decades_, 0.5 * decades_)); }

  // ---- rows in the speeds, and their scaling by M^(-1/2)
  void begin(int speeds) {
    n_ = speeds;
    inverse_root_ = Vector::Ones(speeds);
  }
  void set_mass(int speed, double m) { inverse_root_[speed] = 1 / std::sqrt(m); }
  void contact(const Vector& normal, const std::vector<Vector>& slips) {
    normals_.push_back(normal);
    slips_.push_back(slips);
  }

  Vector any_row() {
    Vector made(n_);
    for (double& x : made) x = one_in(3) ? 0 : value(-1, 1);
    if (made.isZero(0)) made[0] = 1;
    return made;
  }

  void draw_rows() {
    begin(2 + whole(14));
    for (int i = 0; i < n_; ++i) set_mass(i, mass());
    const int count = 1 + whole(most_);
    for (int k = 0; k < count; ++k) {
      Vector normal = any_row();
      if (k > 1 && one_in(3)) {
        const double part = value(0.2, 0.8);
        const Vector &a = normals_[static_cast<std::size_t>(whole(k))],
                     &b = normals_[static_cast<std::size_t>(whole(k))];
        normal = part * a + (1 - part) * b;
      }
      std::vector<Vector> slips;
      if (one_in(2))
        for (int i = 1 + whole(2); i > 0; --i) slips.push_back(any_row());
      contact(normal, slips);
    }
  }

  // ---- bodies in the plane: x, y, angle
  struct Place {
    int body;
    Vector2d at;
  };
  void begin_plane(int bodies) {
    begin(3 * bodies);
    for (int b = 0; b < bodies; ++b) {
      const double m = mass();
      set_mass(3 * b, m);
      set_mass(3 * b + 1, m);
      set_mass(3 * b + 2, m * value(0.1, 0.7));
    }
  }
  // Returns the row of one body on another, or on the ground (body -1), along a direction.
  Vector plane_row(const Place& one, const Place& other, const Vector2d& along) const {
    Vector row = Vector::Zero(n_);
    const auto add = [&](const Place& p, double side) {
      if (p.body < 0) return;
      row.segment(3 * p.body, 2) += side * along;
      row[3 * p.body + 2] += side * (p.at[0] * along[1] - p.at[1] * along[0]);
    };
    add(one, 1);
    add(other, -1);
    return row;
  }
  void plane_contact(const Place& one, const Place& other, double angle, bool rubs) {
    const Vector2d normal(std::cos(angle), std::sin(angle)), slip(-normal[1], normal[0]);
    std::vector<Vector> slips;
    if (rubs) slips.push_back(plane_row(one, other, slip));
    contact(plane_row(one, other, normal), slips);
  }
  int another(int body, int bodies) {
    const int made = one_in(2) ? whole(bodies) : -1;
    return made == body ? -1 : made;
  }
  void draw_plane_bodies() {
    const int bodies = 1 + whole(6), count = 1 + whole(most_);
    begin_plane(bodies);
    for (int k = 0; k < count; ++k) {
      const int b = whole(bodies), other = another(b, bodies);
      const double up = 0.5 * std::numbers::pi, lattice = up / 3 * whole(12);
      const double angle = one_in(3) ? lattice : one_in(2) ? up : value(0, 4 * up);
      const Vector2d at(value(-1, 1), one_in(2) ? -0.5 : value(-1, 1));
      plane_contact({b, at}, {other, Vector2d(value(-1, 1), value(-1, 1))}, angle, !one_in(4));
    }
  }
  void draw_plane_stack() {
    const int bodies = 1 + whole(5);
    begin_plane(bodies);
    for (int b = 0; b < bodies; ++b)
      for (const double x : {-0.5, 0.5})
        for (const double part : {1.0, 0.3})
          if (part == 1 || one_in(4))
            plane_contact({b, Vector2d(part * x, -0.5)}, {b - 1, Vector2d(part * x, 0.5)}, 0.5 * std::numbers::pi,
                          true);
  }

  // ---- bodies in space: place, angular velocity
  struct SpacePlace {
    int body;
    Vector3d at;
  };
  void begin_space(int bodies) {
    begin(6 * bodies);
    for (int b = 0; b < bodies; ++b) {
      const double m = mass();
      for (int i = 0; i < 3; ++i) {
        set_mass(6 * b + i, m);
        set_mass(6 * b + 3 + i, m * value(0.1, 0.7));
      }
    }
  }
  Vector space_row(const SpacePlace& one, const SpacePlace& other, const Vector3d& along) const {
    Vector row = Vector::Zero(n_);
    const auto add = [&](const SpacePlace& p, double side) {
      if (p.body < 0) return;
      row.segment(6 * p.body, 3) += side * along;
      row.segment(6 * p.body + 3, 3) += side * p.at.cross(along);
    };
    add(one, 1);
    add(other, -1);
    return row;
  }
  void space_contact(const SpacePlace& one, const SpacePlace& other, const Vector3d& normal, bool rubs) {
    const Vector3d across = std::fabs(normal[0]) < 0.9 ? Vector3d::UnitX() : Vector3d::UnitY();
    const Vector3d first = normal.cross(across).normalized(), second = normal.cross(first);
    std::vector<Vector> slips;
    if (rubs) slips = {space_row(one, other, first), space_row(one, other, second)};
    contact(space_row(one, other, normal), slips);
  }
  Vector3d any_place() { return {value(-1, 1), value(-1, 1), value(-1, 1)}; }
  void draw_space_bodies() {
    const int bodies = 1 + whole(6), count = 1 + whole(most_);
    begin_space(bodies);
    for (int k = 0; k < count; ++k) {
      const int b = whole(bodies), other = another(b, bodies);
      const Vector3d normal = one_in(2) ? Vector3d::UnitZ() : Vector3d(any_place().normalized());
      Vector3d at = any_place();
      if (one_in(2)) at[2] = -0.5;
      space_contact({b, at}, {other, any_place()}, normal, !one_in(4));
    }
  }
  void draw_space_stack() {
    const int bodies = 1 + whole(4);
    begin_space(bodies);
    for (int b = 0; b < bodies; ++b)
      for (const double x : {-0.5, 0.5})
        for (const double y : {-0.5, 0.5})
          space_contact({b, Vector3d(x, y, -0.5)}, {b - 1, Vector3d(x, y, 0.5)}, Vector3d::UnitZ(), true);
  }

  // ---- motion without contacts: that of an impact, or of weight and a force
  void draw_speeds() {
    const bool stack = kind_ == DrawnKind::plane_stack || kind_ == DrawnKind::space_stack;
    rests_ = stack ? !one_in(3) : one_in(3);
    speeds_ = Vector::Zero(n_);
    if (!rests_) {
      for (double& x : speeds_) x = normal();
    } else {
      const int of_body = kind_ == DrawnKind::rows                                              ? 1
                          : kind_ == DrawnKind::plane_bodies || kind_ == DrawnKind::plane_stack ? 3
                                                                                                : 6;
      const double push = one_in(3) ? 0 : value(0, 1.5);
      const bool pulled = one_in(3);
      for (int b = 0; b < n_ / of_body; ++b) {
        speeds_[b * of_body + of_body / 3] = -1;
        speeds_[b * of_body] += push;
      }
      for (double& x : speeds_)
        if (pulled && one_in(3)) x += 0.3 * normal();
    }
    for (Vector& row : normals_)
      if (kind_ == DrawnKind::rows && row.dot(speeds_) > 0) row = -row;
  }

  DrawnProblem finish() {
    DrawnProblem out;
    const double e = rests_ || !one_in(3) ? 0 : value(0, 1);
    out.rebounds = e > 0;
    const double noise = rests_ && one_in(2) ? kNoise : 0;
    std::vector<Vector> rows;
    std::vector<double> wanted;
    const auto add = [&](const Vector& row, double want) {
      rows.emplace_back(row.cwiseProduct(inverse_root_));
      wanted.push_back(want + noise * normal());
    };
    for (std::size_t k = 0; k < normals_.size(); ++k) {
      const auto at = static_cast<std::uint32_t>(rows.size());
      const double speed = normals_[k].dot(speeds_);
      out.unilateral.push_back(at);
      add(normals_[k], -speed - e * std::min(speed, 0.0));
      if (slips_[k].empty()) continue;
      const double mu = one_coefficient_ ? coefficient_ : value(0, largest_coefficient_);
      out.frictions.push_back({at + 1, static_cast<std::uint32_t>(slips_[k].size()), at, mu});
      for (const Vector& slip : slips_[k]) add(slip, -slip.dot(speeds_));
    }
    out.rows.resize(static_cast<Eigen::Index>(rows.size()), n_);
    for (std::size_t k = 0; k < rows.size(); ++k) out.rows.row(static_cast<Eigen::Index>(k)) = rows[k].transpose();
    out.wanted = Eigen::Map<const Vector>(wanted.data(), static_cast<Eigen::Index>(wanted.size()));
    out.size = speeds_.cwiseQuotient(inverse_root_).norm();
    return out;
  }

  DrawnKind kind_;
  double decades_;
  int most_;
  SplitMix64 random_;
  double largest_coefficient_ = 0, coefficient_ = 0;
  bool one_coefficient_ = false, rests_ = false;
  int n_ = 0;
  Vector inverse_root_, speeds_;
  std::vector<Vector> normals_;
  std::vector<std::vector<Vector>> slips_;
};

}  // namespace

runtime::ConeProblem DrawnProblem::problem(double tolerance) const {
  runtime::ConeProblem out;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    for (Eigen::Index j = 0; j < rows.cols(); ++j)
      if (rows(i, j) != 0) out.rows.add(static_cast<std::uint32_t>(j), rows(i, j));
    out.rows.close();
  }
  out.n = static_cast<std::uint32_t>(rows.cols());
  out.wanted.assign(wanted.begin(), wanted.end());
  out.unilateral = unilateral;
  for (const Friction& f : frictions) out.frictions.push_back({f.row, f.count});
  out.limits = [this](const Vector& multipliers, std::vector<double>& limits) {
    for (std::size_t k = 0; k < frictions.size(); ++k)
      limits[k] = frictions[k].coefficient * multipliers[frictions[k].pressed_by];
  };
  out.size = size;
  out.tolerance = tolerance;
  return out;
}

double DrawnProblem::error(const Vector& p) const {
  const Vector left = rows * (rows.transpose() * p) - wanted;
  double most = 0;
  for (const std::uint32_t i : unilateral) {
    const double norm = rows.row(i).norm();
    most = std::max(most, std::fabs(std::min(p[i] * norm, left[i] / norm)));
  }
  for (const Friction& f : frictions) {
    const double norm = rows.middleRows(f.row, f.count).norm();
    Vector force = p.segment(f.row, f.count) * norm - left.segment(f.row, f.count) / norm;
    const double limit = std::max(0.0, f.coefficient * p[f.pressed_by]) * norm, strength = force.norm();
    if (strength > limit) force *= limit / strength;
    most = std::max(most, (p.segment(f.row, f.count) * norm - force).cwiseAbs().maxCoeff());
  }
  return most / size;
}

DrawnProblem draw_problem(DrawnKind kind, std::uint64_t seed, double decades, int most_contacts) {
  return Drawing(kind, seed, decades, most_contacts).draw();
}

}  // namespace mbc::test
