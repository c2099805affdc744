// SPDX-License-Identifier: Apache-2.0
// Compares free bodies with quaternions, Euler parameters and natural coordinates with each other, with reduced
// coordinates, with the formulas of the paper that they come from (C. M. Pappalardo, D. Guida, Machines 6 (2018) 20:
// "004") and with published values, by the generalised inverse and the augmented system.
#include "tests/physics/representations.h"

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "doctest/doctest.h"
#include "mbc/mbc.h"
#include "tests/physics/run.h"

using mbc::Simulation;
using mbc::test::choose;
using mbc::test::Engine;
using mbc::test::kFormulations;
using mbc::test::kRepresentations;
using mbc::test::near;
using mbc::test::Run;
using mbc::test::run_both;

namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::Vector4d;
using Eigen::VectorXd;
using State = std::vector<double>;

Matrix3d skew(const Vector3d& v) {
  Matrix3d s;
  s << 0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0;
  return s;
}

// This is 004 eq. 6.
Eigen::Matrix<double, 3, 4> local_rates(const Vector4d& p) {
  Eigen::Matrix<double, 3, 4> g;
  g << -p[1], p[0], p[3], -p[2], -p[2], -p[3], p[0], p[1], -p[3], p[2], -p[1], p[0];
  return 2 * g;
}

// This is 004 eq. 3.
Matrix3d rotation(const Vector4d& p) {
  return Matrix3d::Identity() + 2 * p[0] * skew(p.tail<3>()) + 2 * skew(p.tail<3>()) * skew(p.tail<3>());
}

// Returns the acceleration of the origin and the angular acceleration in body axes from the rates of a state of free
// bodies.
std::pair<Vector3d, Vector3d> accelerations(const std::string& bodies, std::size_t body, std::size_t count,
                                            const State& y, const State& dy) {
  const std::size_t turning = bodies == "quaternion" ? 3 : bodies == "natural" ? 9 : 4;
  const std::size_t n_q = count * (bodies == "quaternion" ? 7 : 3 + turning);
  const std::size_t u = n_q + body * (3 + turning), q = n_q / count * body + 3;
  const Vector3d acceleration(dy[u], dy[u + 1], dy[u + 2]);
  const Eigen::Map<const VectorXd> rate(dy.data() + u + 3, static_cast<Eigen::Index>(turning));
  if (bodies == "quaternion") return {acceleration, rate};
  if (bodies == "euler_parameters")
    return {acceleration, local_rates(Eigen::Map<const Vector4d>(y.data() + q)) * Vector4d(rate)};
  const Eigen::Map<const Matrix3d> axes(y.data() + q), first(y.data() + u + 3), second(rate.data());
  const Matrix3d a = axes.transpose() * second + first.transpose() * first;  // A^T A'' = skew(alpha) + skew(omega)^2
  return {acceleration, {a(2, 1), a(0, 2), a(1, 0)}};
}

// The model has a universal joint to the ground and then a hinge. The angles a, b, c and their rates are parameters for
// free bodies.
constexpr const char* kFree = R"(mbd 1
param a = 0.3, b = -0.4, c = 0.7, wa = 0.5, wb = -0.3, wc = 0.9
let R1 = rotz(a)*rotx(b), R2 = R1*roty(c)
let w1 = transpose(R1)*(wa*ez) + (wb, 0, 0), w2 = transpose(roty(c))*w1 + (0, wc, 0)
let d1 = (0.4, 0.3, -0.5), e1 = (0.2, -0.5, -0.6), d2 = (-0.1, 0.2, -0.7)
gravity (0.3, -0.2, -9.81)
body b1(mass = 2, inertia = ((0.5, 0.03, -0.02), (0.03, 0.6, 0.01), (-0.02, 0.01, 0.4)), com = (0.05, -0.1, 0.07)) at R1*d1 rotated R1 spinning w1 moving R1*cross(w1, d1)
body b2(mass = 1.5, inertia = ((0.2, -0.01, 0.03), (-0.01, 0.25, 0.02), (0.03, 0.02, 0.3))) at R1*e1 + R2*d2 rotated R2 spinning w2 moving R1*cross(w1, e1) + R2*cross(w2, d2)
point o1 on b1 at -d1
point h1 on b1 at e1 - d1
point h2 on b2 at -d2
point tip on b2 at (0.3, 0.1, -0.4)
constraint pin: o1.pos == (0, 0, 0)
constraint cross1: dot(b1.rot*ex, ez) == 0
constraint hinge: h1.pos == h2.pos
constraint axis1: dot(b1.rot*ey, b2.rot*ex) == 0
constraint axis2: dot(b1.rot*ey, b2.rot*ez) == 0
)";
constexpr const char* kReduced = R"(mbd 1
coord a = 0.3 rate 0.5
coord b = -0.4 rate -0.3
coord c = 0.7 rate 0.9
let R1 = rotz(a)*rotx(b), R2 = R1*roty(c)
let d1 = (0.4, 0.3, -0.5), e1 = (0.2, -0.5, -0.6), d2 = (-0.1, 0.2, -0.7)
gravity (0.3, -0.2, -9.81)
body b1(mass = 2, inertia = ((0.5, 0.03, -0.02), (0.03, 0.6, 0.01), (-0.02, 0.01, 0.4)), com = (0.05, -0.1, 0.07)) follows frame(origin = R1*d1, rotation = R1)
body b2(mass = 1.5, inertia = ((0.2, -0.01, 0.03), (-0.01, 0.25, 0.02), (0.03, 0.02, 0.3))) follows frame(origin = R1*e1 + R2*d2, rotation = R2)
point tip on b2 at (0.3, 0.1, -0.4)
)";
constexpr const char* kLoads = R"(
force wind on tip: (1, 0.5, -0.2) - 0.3*tip.vel
force weight on b1: (0, 0.4, 0)
torque motor on b2 from b1: b1.rot*(0.1, 0.7, -0.3)
torque drag on b1: -0.2*(b1.rot*b1.omega)
output tip.pos, E = energy.total
simulate { time = 0 .. 1 step 0.0005; integrator = rk4 }
)";

struct Angles {
  double a, b, c, wa, wb, wc;
};

// Computes the same quantities from the accelerations of the angles by differentiating the rotations by hand.
std::vector<std::pair<Vector3d, Vector3d>> bodies_of(const Angles& s, const Vector3d& second) {
  const double sb = std::sin(s.b), cb = std::cos(s.b), sc = std::sin(s.c), cc = std::cos(s.c);
  const Matrix3d R1 = (Eigen::AngleAxisd(s.a, Vector3d::UnitZ()) * Eigen::AngleAxisd(s.b, Vector3d::UnitX())).matrix();
  const Matrix3d turn = Eigen::AngleAxisd(s.c, Vector3d::UnitY()).matrix(), R2 = R1 * turn;
  const Vector3d d1(0.4, 0.3, -0.5), e1(0.2, -0.5, -0.6), d2(-0.1, 0.2, -0.7);
  const Vector3d w1(s.wb, s.wa * sb, s.wa * cb);
  const Vector3d alpha1(second[1], second[0] * sb + s.wa * s.wb * cb, second[0] * cb - s.wa * s.wb * sb);
  const Vector3d relative(0, s.wc, 0), w2 = turn.transpose() * w1 + relative;
  const Vector3d alpha2 = turn.transpose() * alpha1 - relative.cross(turn.transpose() * w1) + Vector3d(0, second[2], 0);
  CHECK(near(cc * cc + sc * sc, 1, 1e-15));
  const auto of_point = [](const Vector3d& alpha, const Vector3d& w, const Vector3d& r) {
    return Vector3d(alpha.cross(r) + w.cross(w.cross(r)));
  };
  return {{R1 * of_point(alpha1, w1, d1), alpha1},
          {R1 * of_point(alpha1, w1, e1) + R2 * of_point(alpha2, w2, d2), alpha2}};
}

std::string triple(const std::string& span) {
  return R"(mbd 1
gravity (0, 0, -9.81)
body b1(mass = 2, inertia = diag(0.053, 2.693, 2.693)) at (2, 0, 0)
body b2(mass = 3, inertia = diag(0.08, 4.04, 4.04)) at (4, 2, 0) rotated rotz(pi/2)
body b3(mass = 4, inertia = diag(0.107, 5.387, 5.387)) at (6, 4, 0)
point a1 on b1 at (-2, 0, 0)
point e1 on b1 at (2, 0, 0)
point a2 on b2 at (-2, 0, 0)
point e2 on b2 at (2, 0, 0)
point a3 on b3 at (-2, 0, 0)
point tip on b3 at (2, 0, 0)
constraint j1: a1.pos == (0, 0, 0)
constraint j2: e1.pos == a2.pos
constraint j3: e2.pos == a3.pos
output tip.pos
simulate { time = )" +
         span + "; integrator = rk4 }\n";
}

}  // namespace

TEST_CASE("three representations and reduced coordinates: the same accelerations at random states") {
  Simulation reduced = mbc::test::compile_text(std::string(kReduced) + kLoads, Engine::interpreter);
  std::vector<Simulation> programs;
  std::vector<std::string> choices;
  for (const std::string& bodies : kRepresentations)
    for (const std::string& formulation : kFormulations) {
      programs.push_back(
          mbc::test::compile_text(std::string(kFree) + kLoads, Engine::interpreter, choose(bodies, formulation)));
      choices.push_back(bodies);
    }
  std::mt19937_64 random(20180504);
  std::uniform_real_distribution<double> angle(-1.5, 1.5), rate(-3, 3);
  std::vector<double> worst(programs.size(), 0.0);
  for (int sample = 0; sample < 1000; ++sample) {
    const Angles s{angle(random), angle(random), angle(random), rate(random), rate(random), rate(random)};
    State y = reduced.initial_state(), dy(y.size());
    y[0] = s.a, y[1] = s.b, y[2] = s.c, y[3] = s.wa, y[4] = s.wb, y[5] = s.wc;
    REQUIRE(reduced.rhs(0, y, dy).ok());
    const auto wanted = bodies_of(s, {dy[3], dy[4], dy[5]});
    double size = 1;
    for (const auto& [linear, angular] : wanted) size = std::max({size, linear.norm(), angular.norm()});
    for (std::size_t k = 0; k < programs.size(); ++k) {
      Simulation& p = programs[k];
      for (const auto& [name, value] : std::vector<std::pair<const char*, double>>{
               {"a", s.a}, {"b", s.b}, {"c", s.c}, {"wa", s.wa}, {"wb", s.wb}, {"wc", s.wc}})
        REQUIRE(p.set_parameter(name, value));
      State free = p.initial_state(), free_rate(free.size());
      REQUIRE(p.rhs(0, free, free_rate).ok());
      for (std::size_t body = 0; body < 2; ++body) {
        const auto [linear, angular] = accelerations(choices[k], body, 2, free, free_rate);
        worst[k] = std::max(
            {worst[k], (linear - wanted[body].first).norm() / size, (angular - wanted[body].second).norm() / size});
      }
    }
  }
  for (std::size_t k = 0; k < programs.size(); ++k) {
    CAPTURE(choices[k]);
    CAPTURE(k);
    MESSAGE("largest relative difference " << worst[k]);
    CHECK(worst[k] < 1e-10);
  }
}

TEST_CASE("three representations and reduced coordinates: the same trajectory") {
  const Run wanted = run_both(std::string(kReduced) + kLoads);
  for (const std::string& bodies : kRepresentations)
    for (const std::string& formulation : kFormulations) {
      CAPTURE(bodies);
      CAPTURE(formulation);
      const Run r = run_both(std::string(kFree) + kLoads, choose(bodies, formulation));
      REQUIRE(r.result.status == mbc::Status::complete);
      for (const char* name : {"tip.pos.x", "tip.pos.y", "tip.pos.z", "b1.x", "b2.vz", "b2.ay", "E"}) {
        CAPTURE(name);
        CHECK(near(r.last(name), wanted.last(name), 2e-9));
      }
      CHECK(r.result.balance_error < 1e-8);
      CHECK(r.result.rank == (bodies == "quaternion" ? 9 : bodies == "natural" ? 21 : 11));
    }
}

TEST_CASE("Euler parameters: mass matrix and forces of 004 eq. 7-8") {
  Simulation p = mbc::test::compile_text(R"(mbd 1
gravity (0.3, -0.5, -9.81)
body b(mass = 2, inertia = ((0.5, 0.03, -0.02), (0.03, 0.6, 0.01), (-0.02, 0.01, 0.4)), com = (0.3, -0.2, 0.4), coordinates = euler_parameters) at (1, 2, 3)
)",
                                         Engine::interpreter);
  const double m = 2;
  const Vector3d c(0.3, -0.2, 0.4), gravity(0.3, -0.5, -9.81);
  Matrix3d I;
  I << 0.5, 0.03, -0.02, 0.03, 0.6, 0.01, -0.02, 0.01, 0.4;
  const Matrix3d about_origin = I + m * (c.squaredNorm() * Matrix3d::Identity() - c * c.transpose());
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (int sample = 0; sample < 100; ++sample) {
    Vector4d q(normal(random), normal(random), normal(random), normal(random)), rate = q;
    q.normalize();
    for (double& x : rate) x = normal(random);
    rate -= q * q.dot(rate);
    State y(p.initial_state());
    for (Eigen::Index k = 0; k < 4; ++k) {
      y[static_cast<std::size_t>(3 + k)] = q[k];
      y[static_cast<std::size_t>(10 + k)] = rate[k];
    }
    const mbc::RowSet set = p.rows(0, y).value();
    const Eigen::Map<const Eigen::Matrix<double, 7, 7>> M(set.M.data());
    const Eigen::Map<const Eigen::Matrix<double, 7, 1>> f(set.f.data());
    const auto G = local_rates(q);
    const Matrix3d A = rotation(q);
    const Vector3d w = G * rate;
    Eigen::Matrix<double, 7, 7> wanted;
    wanted << m * Matrix3d::Identity(), m * A * skew(c).transpose() * G, m * G.transpose() * skew(c) * A.transpose(),
        G.transpose() * about_origin * G;
    Eigen::Matrix<double, 7, 1> force;
    force << m * A * skew(w) * skew(c) * w + m * gravity,
        -G.transpose() * skew(w) * about_origin * w + m * (A * skew(c).transpose() * G).transpose() * gravity;
    CHECK((M - wanted).norm() < 1e-12);
    CHECK((f - force).norm() < 1e-11);
    CHECK(set.row_names == std::vector<std::string>{"b.norm"});
    CHECK(Eigen::FullPivLU<MatrixXd>(MatrixXd(wanted)).setThreshold(1e-10).rank() == 6);
    CHECK(std::fabs(set.multiplier[0]) < 1e-9);  // In 004 forces and joints act through the angular velocity.
  }
}

TEST_CASE("natural coordinates: the constant mass matrix of 004 eq. 20") {
  Simulation p = mbc::test::compile_text(R"(mbd 1
body b(mass = 2, inertia = ((0.5, 0.03, -0.02), (0.03, 0.6, 0.01), (-0.02, 0.01, 0.4)), com = (0.3, -0.2, 0.4), coordinates = natural) at (1, 2, 3) rotated rotx(0.4) spinning (1, -2, 0.5)
torque m on b: (0.4, 0.1, -0.7)
)",
                                         Engine::interpreter);
  const double m = 2;
  const Vector3d c(0.3, -0.2, 0.4);
  Matrix3d I;
  I << 0.5, 0.03, -0.02, 0.03, 0.6, 0.01, -0.02, 0.01, 0.4;
  const Matrix3d about_origin = I + m * (c.squaredNorm() * Matrix3d::Identity() - c * c.transpose());
  const Matrix3d J = 0.5 * about_origin.trace() * Matrix3d::Identity() - about_origin;  // These are the second moments.
  const State y = p.initial_state();
  const mbc::RowSet set = p.rows(0, y).value();
  MatrixXd wanted = MatrixXd::Zero(12, 12);
  for (Eigen::Index k = 0; k < 4; ++k)
    for (Eigen::Index l = 0; l < 4; ++l) {
      const double moment = k == 0 && l == 0 ? m : k == 0 ? m * c[l - 1] : l == 0 ? m * c[k - 1] : J(k - 1, l - 1);
      wanted.block<3, 3>(3 * k, 3 * l) = moment * Matrix3d::Identity();
    }
  CHECK((Eigen::Map<const MatrixXd>(set.M.data(), 12, 12) - wanted).norm() < 1e-14);
  const Vector3d torque(0.4, 0.1, -0.7);
  // There are no velocity terms, and a torque acts as (tau x a, tau x b, tau x c)/2.
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector3d axis(y[3 + 3 * k], y[4 + 3 * k], y[5 + 3 * k]), half = 0.5 * torque.cross(axis);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(near(set.f[i], 0, 1e-15));
      CHECK(near(set.f[3 + 3 * k + i], half[static_cast<Eigen::Index>(i)], 1e-14));
    }
  }
  CHECK(set.row_names == std::vector<std::string>{"b.aa", "b.bb", "b.cc", "b.ab", "b.ac", "b.bc"});
  CHECK(set.rank == 6);
}

TEST_CASE("spatial triple pendulum of 004 in every representation and formulation") {
  for (const std::string& bodies : kRepresentations)
    for (const std::string& formulation : kFormulations) {
      CAPTURE(bodies);
      CAPTURE(formulation);
      Run r = run_both(triple("0 .. 0.5 step 0.0005"), choose(bodies, formulation));
      CHECK(near(r.last("tip.pos.x"), 8.026341705175743, 1e-11));
      CHECK(near(r.last("tip.pos.y"), 4.004789501054786, 1e-11));
      CHECK(near(r.last("tip.pos.z"), -1.253717579357208, 1e-11));
      r = run_both(triple("0 .. 2 step 0.0005"), choose(bodies, formulation));
      CHECK(near(r.last("tip.pos.x"), -5.151936363921507, 1e-9));
      CHECK(near(r.last("tip.pos.y"), -1.205329624714145, 1e-9));
      CHECK(near(r.last("tip.pos.z"), -8.237451144073527, 1e-9));
      CHECK(r.result.rank == (bodies == "quaternion" ? 9 : bodies == "natural" ? 27 : 12));
      for (const mbc::ConstraintReport& c : r.result.constraints) CHECK(*c.position < 1e-12);
    }
}

TEST_CASE("an unsymmetric free body: invariants, and the same columns whatever the representation") {
  const std::string model = R"(mbd 1
body b(mass = 2, inertia = ((1, 0.1, -0.05), (0.1, 2, 0.2), (-0.05, 0.2, 2.6)), com = (0.2, 0.1, -0.3)) at (1, 2, 3) moving (1, -0.5, 0.2) rotated rotx(0.3)*roty(2.2) spinning (1, 3, 2)
output E = energy.total, L = momentum.angular, P = momentum.linear, q = b.quat, T = b.energy
simulate { time = 0 .. 6 step 0.001; integrator = rk4 }
)";
  const Run wanted = run_both(model);
  for (const std::string bodies : {"euler_parameters", "natural"}) {
    CAPTURE(bodies);
    const Run r = run_both(model, {"bodies=" + bodies});
    CHECK(r.names == wanted.names);
    for (const char* name : {"E", "L.x", "L.y", "L.z", "P.x", "P.y", "P.z", "T"}) {
      CAPTURE(name);
      CHECK(near(r.last(name), wanted.at(0, name), 1e-9));
    }
    double worst = 0;  // Quaternions are included, because their sign does not jump.
    for (std::size_t k = 0; k < r.values.size(); ++k)
      worst = std::max(worst, std::fabs(r.values[k] - wanted.values[k]));
    CHECK(worst < 1e-7);
  }
  double lowest = 1;
  for (std::size_t row = 0; row < wanted.rows(); ++row) lowest = std::min(lowest, wanted.at(row, "b.p0"));
  CHECK(lowest < -0.5);  // The quaternion from a matrix alone would have jumped.
}

TEST_CASE("`init` speaks of place, quaternion and angular velocity in every representation") {
  const std::string model = R"(mbd 1
body b(mass = 2, inertia = diag(1, 2, 2.5)) at (0, 0, 0) spinning (9, 9, 9)
init {
  b.pos = (1, 2, 3)
  b.vel = (0.1, 0.2, 0.3)
  b.quat = (0.5, -0.5, 0.5, 0.5)
  b.omega = (1, 2, 3)
}
simulate { time = 0 .. 0.1 step 0.1; integrator = rk4 }
)";
  for (const std::string& bodies : kRepresentations) {
    CAPTURE(bodies);
    const Run r = run_both(model, {"bodies=" + bodies});
    const std::vector<std::pair<const char*, double>> wanted{
        {"b.x", 1},     {"b.y", 2},    {"b.z", 3},    {"b.vx", 0.1},   {"b.vy", 0.2},   {"b.vz", 0.3},  {"b.p0", 0.5},
        {"b.p1", -0.5}, {"b.p2", 0.5}, {"b.p3", 0.5}, {"b.omegax", 1}, {"b.omegay", 2}, {"b.omegaz", 3}};
    const double sign = r.at(0, "b.p0") < 0 ? -1 : 1;  // A matrix does not determine the sign.
    for (const auto& entry : wanted) {
      const char* name = entry.first;
      const double value = entry.second;
      CAPTURE(name);
      const bool quaternion = std::string(name)[2] == 'p';
      CHECK(near(quaternion ? sign * r.at(0, name) : r.at(0, name), value, 1e-15));
    }
  }
}

TEST_CASE("com, about and axes against the plain body they describe") {
  const char* plain = R"(mbd 1
let S = rotx(0.4)*rotz(-0.7)
gravity (0, 0, -9.81)
body b(mass = 2, inertia = S*diag(0.5, 0.7, 0.9)*transpose(S)) at (1, 0, 0) + rotz(0.5)*(0.3, -0.2, 0.1) rotated rotz(0.5) spinning (1, 2, -1) moving rotz(0.5)*cross((1, 2, -1), (0.3, -0.2, 0.1))
point o on b at (-0.3, 0.2, -0.1)
point h on b at (0.7, 0.7, 0.4)
)";
  // The same body has its inertia given in rotated axes about the corner p, with m (|d|^2 E - d d^T) added for d = com
  // - p.
  const char* eccentric = R"(mbd 1
let S = rotx(0.4)*rotz(-0.7), p = (0.1, 0.4, -0.2), d = (0.2, -0.6, 0.3)
let D = ((d.y^2 + d.z^2, -d.x*d.y, -d.x*d.z), (-d.x*d.y, d.x^2 + d.z^2, -d.y*d.z), (-d.x*d.z, -d.y*d.z, d.x^2 + d.y^2))
let T = transpose(S)*D*S
gravity (0, 0, -9.81)
body b(mass = 2, inertia = ((I11, I12, I13), (I12, I22, I23), (I13, I23, I33)), com = (0.3, -0.2, 0.1), about = p, axes = S) at (1, 0, 0) rotated rotz(0.5) spinning (1, 2, -1)
let I11 = 2*dot(ex, T*ex) + 0.5, I12 = 2*dot(ex, T*ey), I13 = 2*dot(ex, T*ez)
let I22 = 2*dot(ey, T*ey) + 0.7, I23 = 2*dot(ey, T*ez), I33 = 2*dot(ez, T*ez) + 0.9
point o on b at (0, 0, 0)
point h on b at (1, 0.5, 0.5)
)";
  const char* rest = R"(
constraint pin: o.pos == (1, 0, 0)
force f on b: (0, 0.5, 0.2)
force g on h: (0.3, 0, 0)
output E = energy.total, h.pos, h.acc, L = momentum.angular
simulate { time = 0 .. 1 step 0.001; integrator = rk4 }
)";
  const Run wanted = run_both(std::string(plain) + rest);
  for (const std::string& bodies : kRepresentations) {
    CAPTURE(bodies);
    Run r = run_both(std::string(eccentric) + rest, {"bodies=" + bodies});
    for (const char* name :
         {"E", "h.pos.x", "h.pos.y", "h.pos.z", "h.acc.x", "h.acc.y", "h.acc.z", "L.x", "L.y", "L.z"}) {
      CAPTURE(name);
      CHECK(near(r.at(0, name), wanted.at(0, name), 1e-12));
      CHECK(near(r.last(name), wanted.last(name), 1e-8));
    }
    CHECK(near(r.last("b.x"), 1, 1e-12));  // This is the origin, which the pin fixes.
    r = run_both(std::string(eccentric) + "output b.com, b.pos\nsimulate { time = 0 .. 0.1 step 0.1 }\n");
    CHECK(near(r.at(0, "b.com.x"), 1 + 0.3 * std::cos(0.5) + 0.2 * std::sin(0.5), 1e-15));
  }
}

TEST_CASE("an eccentric body in the plane") {
  const char* rest =
      "gravity (0, -9.81)\nconstraint pin: o.pos == (0, 0)\noutput b.com, E = energy.total\n"
      "simulate { time = 0 .. 1 step 0.001; integrator = rk4 }\n";
  const Run plain = run_both(std::string("mbd 1\nspace 2\nbody b(mass = 2, inertia = 0.3) at (0.5, 0) spinning 0.4 "
                                         "moving (0, 0.2)\npoint o on b at (-0.5, 0)\n") +
                             rest);
  const Run moved = run_both(std::string("mbd 1\nspace 2\nbody b(mass = 2, inertia = 0.3 + 2*0.25, com = (0.5, 0), "
                                         "about = (0, 0)) at (0, 0) spinning 0.4\npoint o on b at (0, 0)\n") +
                             rest);
  for (const char* name : {"b.com.x", "b.com.y", "E", "b.omega"})
    CHECK(near(plain.last(name), moved.last(name), 1e-10));
}

TEST_CASE("each block of a file has its own representation and formulation, and bodies may choose their own") {
  const std::string model = R"(mbd 1
gravity (0, 0, -9.81)
body a(mass = 1, inertia = diag(0.1, 0.2, 0.25)) at (1, 0, 0)
body b(mass = 1, inertia = diag(0.1, 0.2, 0.25), coordinates = natural) at (3, 0, 0)
body c(mass = 1, inertia = diag(0.1, 0.2, 0.25), coordinates = euler_parameters) at (5, 0, 0)
point a0 on a at (-1, 0, 0)
point a1 on a at (1, 0, 0)
point b0 on b at (-1, 0, 0)
point b1 on b at (1, 0, 0)
point c0 on c at (-1, 0, 0)
constraint j1: a0.pos == (0, 0, 0)
constraint j2: a1.pos == b0.pos
constraint j3: b1.pos == c0.pos
simulate one { time = 0 .. 0.3 step 0.001; integrator = rk4 }
simulate two { time = 0 .. 0.3 step 0.001; bodies = natural; formulation = augmented; integrator = rk4 }
simulate three { time = 0 .. 0.3 step 0.001; bodies = euler_parameters; integrator = rk4 }
)";
  Simulation program = mbc::test::compile_text(model, mbc::test::have_native() ? Engine::native : Engine::interpreter);
  std::vector<Run> runs;
  const std::vector<std::pair<std::string, int>> blocks{{"one", 16}, {"two", 22}, {"three", 17}, {"one", 16}};
  for (const auto& block : blocks) {
    const std::string& name = block.first;
    const int rank = block.second;
    CAPTURE(name);
    mbc::RunOptions options;
    options.simulation = name;
    runs.push_back(mbc::test::run(program, options));
    CHECK(runs.back().result.status == mbc::Status::complete);
    CHECK(runs.back().result.rank == rank);
    CHECK(runs.back().names == runs.front().names);
    for (const char* column : {"c.x", "c.z", "a.omegay", "b.p2", "c.alphay"})
      CHECK(near(runs.back().last(column), runs.front().last(column), 1e-9));
  }
  CHECK(runs.back().values == runs.front().values);
  mbc::RunOptions options;  // A state of one block is not a state of another one with other coordinates.
  options.simulation = "two";
  options.state = runs.back().result.state;
  CHECK(program.run(options, nullptr).status == mbc::Status::model_error);
}
