// SPDX-License-Identifier: Apache-2.0
// Tests the projection of positions and velocities onto constraints.
#include "runtime/constraints/gauss_newton.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/runtime/rows/numerics_support.h"

using namespace mbc;
using runtime::ConstraintFunctions;
using runtime::ConstraintValues;
using runtime::MassScaling;
using runtime::project;
using runtime::ProjectionOptions;
using runtime::ProjectionReport;
using runtime::ProjectionStatus;

namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

ConstraintFunctions from(std::function<bool(const Vector&, ConstraintValues&)> evaluate) { return {evaluate, {}}; }

Eigen::Matrix3d skew(const Eigen::Vector3d& a) {
  Eigen::Matrix3d S;
  S << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return S;
}

// Adds a distance between points i and j of the plane (coordinates 2 i, 2 i + 1). If j < 0, the second point is the
// fixed point `ground`.
void add_distance(const Vector& q, int i, int j, const Eigen::Vector2d& ground, double length, int row,
                  ConstraintValues& out) {
  const Eigen::Vector2d d = q.segment<2>(2 * i) - (j < 0 ? ground : Eigen::Vector2d(q.segment<2>(2 * j)));
  const double distance = d.norm();
  out.e(row) = distance - length;
  out.J.block<1, 2>(row, 2 * i) = d.transpose() / distance;
  if (j >= 0) out.J.block<1, 2>(row, 2 * j) = -d.transpose() / distance;
}

void start(ConstraintValues& out, int rows, int columns) {
  out.e = Vector::Zero(rows);
  out.J = Matrix::Zero(rows, columns);
}

// Each of two bodies has a unit axis. q = (a, b) changes with w = (omega_a, omega_b): a moves by omega x a.
ConstraintFunctions parallel_axes() {
  ConstraintFunctions c;
  c.evaluate = [](const Vector& q, ConstraintValues& out) {
    const Eigen::Vector3d a = q.head<3>(), b = q.tail<3>();
    out.e = a.cross(b);
    out.J.resize(3, 6);
    out.J << skew(b) * skew(a), -skew(a) * skew(b);
    return true;
  };
  c.displace = [](const Vector& q, const Vector& w, Vector& out) {
    const auto turn = [](const Eigen::Vector3d& axis, const Eigen::Vector3d& by) -> Eigen::Vector3d {
      const double angle = by.norm();
      return angle == 0 ? axis : Eigen::AngleAxisd(angle, by / angle) * axis;
    };
    out.resize(6);
    out << turn(q.head<3>(), w.head<3>()), turn(q.tail<3>(), w.tail<3>());
  };
  return c;
}

}  // namespace

TEST_CASE("a point near a sphere moves straight to it") {
  for (bool squared : {false, true}) {
    const auto sphere = from([squared](const Vector& q, ConstraintValues& out) {
      start(out, 1, 3);
      out.e(0) = squared ? q.squaredNorm() - 4 : q.norm() - 2;
      out.J.row(0) = squared ? Vector(2 * q) : q.normalized();
      return true;
    });
    Vector q = Eigen::Vector3d(1, 2, 2) * 0.8;
    const Vector expected = q.normalized() * 2;
    const ProjectionReport report = project(sphere, MassScaling::diagonal(Vector::Constant(3, 4.0)), q);
    CHECK(report.converged());
    CHECK(test::max_abs(q - expected) < 1e-15);
    CHECK(report.correction == doctest::Approx(2 * 0.4).epsilon(1e-12));
    CHECK(report.worst <= 1e-15);
    CHECK(report.worst_before > 0.1);
    CHECK(report.worst_row == 0);
    CHECK(report.iterations <= 6);
    CHECK(report.rank == 1);
  }
}

TEST_CASE("the heavy particle moves less") {
  // The system has two particles on a line with x2 - x1 = 1 and the masses 1 and 3.
  const auto rod = from([](const Vector& q, ConstraintValues& out) {
    start(out, 1, 2);
    out.e(0) = q(1) - q(0) - 1;
    out.J << -1, 1;
    return true;
  });
  Vector q = Eigen::Vector2d(0, 1.4);
  const ProjectionReport report = project(rod, MassScaling::diagonal(Eigen::Vector2d(1, 3)), q);
  CHECK(report.converged());
  CHECK(report.iterations <= 2);
  CHECK(q(0) == doctest::Approx(0.3).epsilon(1e-14));
  CHECK(q(1) == doctest::Approx(1.3).epsilon(1e-14));
  CHECK(report.correction == doctest::Approx(std::sqrt(0.09 + 3 * 0.01)).epsilon(1e-13));
}

TEST_CASE("a state at round-off is returned bit for bit") {
  const auto pendulum = from([](const Vector& q, ConstraintValues& out) {
    start(out, 1, 2);
    add_distance(q, 0, -1, {0, 0}, 1.0, 0, out);
    return true;
  });
  Vector q = Eigen::Vector2d(0.6, -0.8);
  const Vector before = q;
  const ProjectionReport report = project(pendulum, MassScaling::identity(2), q);
  CHECK(report.converged());
  CHECK(report.iterations == 0);
  CHECK(report.correction == 0);
  CHECK(q == before);
}

TEST_CASE("drift below the tolerance is still taken to round-off") {
  const auto pendulum = from([](const Vector& q, ConstraintValues& out) {
    start(out, 1, 2);
    add_distance(q, 0, -1, {0, 0}, 1.0, 0, out);
    return true;
  });
  Vector q = Eigen::Vector2d(0.6, -0.8) * (1 + 1e-9);
  ProjectionOptions options;
  options.tolerance = 1e-6;
  const ProjectionReport report = project(pendulum, MassScaling::identity(2), q, options);
  CHECK(report.converged());
  CHECK(report.worst <= 2.3e-16);
}

TEST_CASE("a double pendulum with every row written twice, once squared") {
  const auto rows = from([](const Vector& q, ConstraintValues& out) {
    start(out, 4, 4);
    add_distance(q, 0, -1, {0, 0}, 1.0, 0, out);
    add_distance(q, 1, 0, {0, 0}, 0.5, 1, out);
    const Eigen::Vector2d p = q.head<2>(), d = q.tail<2>() - q.head<2>();
    out.e(2) = p.squaredNorm() - 1;
    out.J.block<1, 2>(2, 0) = 2 * p.transpose();
    out.e(3) = d.squaredNorm() - 0.25;
    out.J.row(3) << -2 * d.transpose(), 2 * d.transpose();
    return true;
  });
  test::Random random(4);
  for (int trial = 0; trial < 50; ++trial) {
    Vector q = Eigen::Vector4d(0.6, -0.8, 0.9, -1.2) + 0.1 * random.vector(4);
    const ProjectionReport report = project(rows, MassScaling::dense(test::random_mass(random, 4)), q);
    CHECK(report.converged());
    CHECK(report.rank == 2);
    CHECK(test::max_abs(report.residual) < 2e-15);
    CHECK(report.iterations < 8);
  }
}

TEST_CASE("a four-bar linkage closes quadratically") {
  const Eigen::Vector2d A(0, 0), D(2, 0), B(0.5, 1.2), C(1.8, 1.5);
  const auto linkage = from([=](const Vector& q, ConstraintValues& out) {
    start(out, 3, 4);
    add_distance(q, 0, -1, A, (B - A).norm(), 0, out);
    add_distance(q, 1, 0, A, (C - B).norm(), 1, out);
    add_distance(q, 1, -1, D, (C - D).norm(), 2, out);
    return true;
  });
  test::Random random(6);
  for (double size : {1e-8, 1e-4, 1e-2, 0.2}) {
    for (int trial = 0; trial < 30; ++trial) {
      Vector q(4);
      q << B, C;
      q += size * random.vector(4);
      const Vector before = q;
      const ProjectionReport report = project(linkage, MassScaling::diagonal(Eigen::Vector4d(1, 1, 5, 5)), q);
      CHECK(report.converged());
      CHECK(report.worst < 5e-16);
      CHECK(report.iterations <= 7);
      CHECK((q - before).norm() < 8 * size);
      CHECK(report.rank == 3);
    }
  }
}

TEST_CASE("a truss with redundant members of the right length is met") {
  // The truss has four free points of the plane and all six distances of a square, of which five are independent.
  const Matrix corner = (Matrix(4, 2) << 0, 0, 1, 0, 1, 1, 0, 1).finished();
  const auto truss = from([corner](const Vector& q, ConstraintValues& out) {
    start(out, 6, 8);
    int row = 0;
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < i; ++j) add_distance(q, i, j, {0, 0}, (corner.row(i) - corner.row(j)).norm(), row++, out);
    return true;
  });
  test::Random random(16);
  for (double size : {1e-12, 1e-9, 1e-6, 1e-3, 0.1}) {
    for (int trial = 0; trial < 20; ++trial) {
      Vector q(8);
      q << 0, 0, 1, 0, 1, 1, 0, 1;
      q += size * random.vector(8);
      const Vector before = q;
      const ProjectionReport report = project(truss, MassScaling::identity(8), q);
      CHECK(report.converged());
      CHECK(report.rank == 5);
      CHECK(report.worst < 1e-15);
      CHECK((q - before).norm() < 4 * size);
    }
  }
}

TEST_CASE("lengths that contradict each other are found and named") {
  const auto rows = from([](const Vector& q, ConstraintValues& out) {
    start(out, 3, 4);
    add_distance(q, 1, -1, {5, 5}, 1.0, 0, out);
    add_distance(q, 0, -1, {0, 0}, 1.0, 1, out);
    add_distance(q, 0, -1, {0, 0}, 2.0, 2, out);
    return true;
  });
  for (double size : {1.0, 1.5, 1.9, 2.0, 7.0}) {
    Vector q = Eigen::Vector4d(0.6 * size, 0.8 * size, 5, 6.1);
    const ProjectionReport report = project(rows, MassScaling::identity(4), q);
    CHECK(report.status == ProjectionStatus::inconsistent);
    CHECK(report.conflicting == std::vector<int>{1, 2});
    CHECK(report.worst > 0.4);
  }
}

TEST_CASE("a state that cannot be reached does not converge and stays finite") {
  // The rows are the unit circle and the line x = 2.
  const auto rows = from([](const Vector& q, ConstraintValues& out) {
    start(out, 2, 2);
    out.e << q.squaredNorm() - 1, q(0) - 2;
    out.J << 2 * q(0), 2 * q(1), 1, 0;
    return true;
  });
  Vector q = Eigen::Vector2d(1, 0.3);
  const ProjectionReport report = project(rows, MassScaling::identity(2), q);
  CHECK_FALSE(report.converged());
  CHECK(report.worst > 0.1);
  CHECK(q.allFinite());
}

TEST_CASE("non-finite and refused states") {
  const auto rows = from([](const Vector& q, ConstraintValues& out) {
    start(out, 2, 2);
    out.e << q(0), std::log(q(1));
    out.J << 1, 0, 0, 1 / q(1);
    return q(1) > 0;
  });
  Vector bad = Eigen::Vector2d(std::numeric_limits<double>::quiet_NaN(), 1);
  CHECK(project(rows, MassScaling::identity(2), bad).status == ProjectionStatus::not_evaluable);
  bad = Eigen::Vector2d(1, -1);
  CHECK(project(rows, MassScaling::identity(2), bad).status == ProjectionStatus::not_evaluable);
  CHECK(bad == Eigen::Vector2d(1, -1));
  const auto overflow = from([](const Vector& q, ConstraintValues& out) {
    start(out, 2, 2);
    out.J << 1, 0, 0, 1 / (q(1) - 1);
    return true;
  });
  bad = Eigen::Vector2d(1, 1);
  const ProjectionReport report = project(overflow, MassScaling::identity(2), bad);
  CHECK(report.status == ProjectionStatus::not_evaluable);
  CHECK(report.non_finite.row == 1);
  CHECK(report.non_finite.column == 1);
  // A full Newton step from 5 leads to a point where log is not defined, so the step is shortened.
  Vector q = Eigen::Vector2d(1, 5);
  CHECK(project(rows, MassScaling::identity(2), q).converged());
  CHECK(q(1) == doctest::Approx(1).epsilon(1e-12));
}

TEST_CASE("no rows: nothing happens") {
  const auto none = from([](const Vector&, ConstraintValues& out) {
    start(out, 0, 3);
    return true;
  });
  Vector q = Eigen::Vector3d(1, 2, 3);
  const ProjectionReport report = project(none, MassScaling::identity(3), q);
  CHECK(report.converged());
  CHECK(report.worst_row == -1);
  CHECK(q == Eigen::Vector3d(1, 2, 3));
}

TEST_CASE("velocities linear in the speeds take one step, then rounding") {
  test::Random random(12);
  for (int trial = 0; trial < 50; ++trial) {
    const Matrix independent = random.matrix(3, 6);
    Matrix A(5, 6);
    A << independent, 0.5 * independent.row(0) - independent.row(2), 1e6 * independent.row(1);
    const Vector c = A * random.vector(6);
    const auto rows = from([&](const Vector& u, ConstraintValues& out) {
      out.e = A * u + c;
      out.J = A;
      return true;
    });
    const Matrix M = test::random_mass(random, 6);
    Vector u = random.vector(6);
    // The reference solves the KKT system M (v - u) = A^T lambda, A v = -c on the independent rows.
    Matrix K = Matrix::Zero(9, 9);
    K << M, -independent.transpose(), independent, Matrix::Zero(3, 3);
    Vector right(9);
    right << M * u, -c.head(3);
    const Vector expected = K.fullPivLu().solve(right).head(6);
    const Vector before = u;
    const ProjectionReport report = project(rows, MassScaling::dense(M), u);
    CHECK(report.converged());
    CHECK(report.iterations <= 3);
    CHECK(report.rank == 3);
    CHECK(test::max_abs(u - expected) < 1e-13);
    CHECK(report.correction == doctest::Approx(std::sqrt((u - before).dot(M * (u - before)))).epsilon(1e-11));
  }
}

TEST_CASE("velocity rows nonlinear in the speeds") {
  // The rows are a constant speed of 2 and a knife edge along (1, 1).
  const auto rows = from([](const Vector& u, ConstraintValues& out) {
    start(out, 2, 3);
    out.e << u.squaredNorm() - 4, u(0) - u(1);
    out.J << 2 * u(0), 2 * u(1), 2 * u(2), 1, -1, 0;
    return true;
  });
  Vector u = Eigen::Vector3d(1.1, 0.9, 1.0);
  const ProjectionReport report = project(rows, MassScaling::identity(3), u);
  CHECK(report.converged());
  CHECK(u.norm() == doctest::Approx(2).epsilon(1e-15));
  CHECK(u(0) == doctest::Approx(u(1)).epsilon(1e-15));
}

TEST_CASE("a cross product as a constraint never locks the hinge, whatever the tolerance") {
  test::Random random(21);
  const Matrix M = test::random_mass(random, 6);
  for (double tolerance : {1e-12, 1e-10, 1e-8, 1e-6}) {
    for (double drift : {1e-12, 1e-9, 1e-6, 1e-3}) {
      for (int trial = 0; trial < 20; ++trial) {
        const bool along_axis = trial % 4 == 0;  // In this case one of the three rows vanishes on the manifold.
        const Eigen::Vector3d a =
            along_axis ? Eigen::Vector3d(0, 0, 1) : Eigen::Vector3d(random.vector(3).normalized());
        const Eigen::Vector3d b = (a + drift * random.vector(3)).normalized();
        Vector q(6);
        q << a, b;
        ProjectionOptions options;
        options.rank.tolerance = tolerance;
        const ProjectionReport report = project(parallel_axes(), MassScaling::dense(M), q, options);
        INFO("tolerance ", tolerance, " drift ", drift, " trial ", trial);
        CHECK(report.converged());
        CHECK(report.rank == 2);
        CHECK(test::max_abs(report.residual) < 1e-15);
        // The smallest correction is about the angle between the axes in the metric of M. Nothing spurious is added.
        const double angle = a.cross(b).norm();
        CHECK(report.correction < 1.01 * std::sqrt(M.norm()) * angle + 1e-14);

        // At the projected state the velocity projection keeps every rotation with omega_a = omega_b.
        ConstraintValues at;
        parallel_axes().evaluate(q, at);
        const auto velocity = from([&](const Vector& u, ConstraintValues& out) {
          out.e = at.J * u;
          out.J = at.J;
          return true;
        });
        const Eigen::Vector3d omega = random.vector(3);
        Vector u(6);
        u << omega, omega + 0.7 * q.head<3>();
        const Vector before = u;
        CHECK(project(velocity, MassScaling::dense(M), u, options).converged());
        CHECK(test::max_abs(u - before) < 1e-13);
      }
    }
  }
}
