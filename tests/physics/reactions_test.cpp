// SPDX-License-Identifier: Apache-2.0
// Tests reactions of constraints: closed forms, Newton's and Euler's laws at asymmetric states, power, and the recorded
// values if rows are dependent.
#include <cmath>
#include <random>

#include "doctest/doctest.h"
#include "mbc/mbc.h"
#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

using Vec = std::array<double, 3>;

Vec value3(Simulation& p, const std::string& text, double t, const std::vector<double>& y) {
  const auto v = p.value(text, t, y);
  REQUIRE_MESSAGE(v.ok(), v.error().message);
  REQUIRE(v->size() == 3);
  return {v->at(0), v->at(1), v->at(2)};
}

double value1(Simulation& p, const std::string& text, double t, const std::vector<double>& y) {
  const auto v = p.value(text, t, y);
  REQUIRE_MESSAGE(v.ok(), v.error().message);
  return v->at(0);
}

// Returns a state with every entry shifted. The rows are then violated, which does not matter for A, b, lambda and Q.
std::vector<double> shifted(Simulation& p, unsigned seed, double size) {
  std::vector<double> y = p.initial_state();
  std::mt19937 bits(seed);
  std::uniform_real_distribution<double> draw(-size, size);
  for (double& v : y) v += draw(bits);
  return y;
}

void near(const Vec& a, const Vec& b, double tolerance) {
  for (std::size_t k = 0; k < 3; ++k) CHECK(std::fabs(a[k] - b[k]) <= tolerance * (1 + std::fabs(b[k])));
}

}  // namespace

TEST_CASE("the rod of a pendulum pulls with m (g cos(phi) + L phi'^2)") {
  const Run r = run_both(R"(mbd 1
param m = 2 [kg], L = 0.5 [m], g = 9.81 [m/s^2]
gravity (0, 0, -9.81) [m/s^2]
particle bob(m) at (1, 0, 0)*L
constraint rod: dist(ground, bob) == L
output pull = rod.reaction, also = rod.reaction(bob), part = rod.reaction(bob.z), rod.lambda
simulate { time = 0 [s] .. 1 [s] step 1 [ms]; integrator = rk4 }
)");
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.result.reactions_not_unique.empty());
  for (std::size_t k = 0; k < r.rows(); k += 50) {
    const double x = r.at(k, "bob.x") / 0.5, z = r.at(k, "bob.z") / 0.5;
    const double v2 = std::pow(r.at(k, "bob.vx"), 2) + std::pow(r.at(k, "bob.vz"), 2);
    const double tension = 2 * (-9.81 * z + v2 / 0.5);  // g cos(phi) = -g z/L
    CHECK(r.at(k, "pull.x") == doctest::Approx(-tension * x).epsilon(1e-10));
    CHECK(std::fabs(r.at(k, "pull.y")) < 1e-12);
    CHECK(std::fabs(r.at(k, "pull.z") + tension * z) < 1e-9);
    CHECK(r.at(k, "also.z") == r.at(k, "pull.z"));
    CHECK(r.at(k, "part") == r.at(k, "pull.z"));
    CHECK(r.at(k, "rod.lambda") == doctest::Approx(-tension).epsilon(1e-10));
  }
}

TEST_CASE("a bead on a wire is pressed along the normal, by the curvature and gravity") {
  const Run r = run_both(R"(mbd 1
space 2
gravity (0, -9.81)
particle bead(0.3) at (1, 1) moving (1, 2)
constraint wire: bead.y == bead.x^2
output N = wire.reaction
simulate { time = 0 .. 1 step 0.0005; integrator = rk4 }
)");
  REQUIRE(r.result.status == Status::complete);
  for (std::size_t k = 0; k < r.rows(); k += 100) {
    const double x = r.at(k, "bead.x"), vx = r.at(k, "bead.vx");
    // Along (-2x, 1), y'' = 2 vx^2 + 2 x x'', hence N_y (1 + 4x^2) = m (2 vx^2 + g).
    const double Ny = 0.3 * (2 * vx * vx + 9.81) / (1 + 4 * x * x);
    CHECK(r.at(k, "N.y") == doctest::Approx(Ny).epsilon(1e-9));
    CHECK(r.at(k, "N.x") == doctest::Approx(-2 * x * Ny).epsilon(1e-9));
  }
}

// For each part the known forces and the reactions together give m a, and the moments give J alpha + omega x J omega.
TEST_CASE("Newton's and Euler's laws for every part of a hinged door with a ball, at random states") {
  Simulation p = compile_text(R"(mbd 1
param m = 20, w = 0.8, h = 2
gravity (0.3, -0.2, -9.81)
body door(mass = m, inertia = ((6, 0.3, -0.2), (0.3, 7, 0.1), (-0.2, 0.1, 1.5))) at (w/2, 0, 0)
body box(mass = 3, inertia = diag(0.2, 0.3, 0.4)) at (1, 1, 1) rotated rotx(0.3)
point hinge on door at (-w/2, 0, 0.1)
point handle on door at (w/2, 0.1, 0)
point corner on box at (0.1, 0.2, 0.3)
particle ball(0.5) at (w, 0, -0.3)
constraint place: hinge.pos == (0, 0, 0.1)
constraint axis: dot(door.rot*ez, ex) == 0.1*sin(t)
constraint cord: dist(handle, ball) == 0.3
constraint link: dist(corner, handle) == 1.5
constraint wheel: dot(door.rot*(0, 1, 0), ball.vel) == 0.2*door.omega.x*box.vx
constraint push: box.acc.y + 2*door.alpha.z == 0.1
force drag on corner: (1, -2, 0.5)
torque turn on door from box: (0.3, 0.1, -0.4)
simulate { time = 0 .. 1 step 0.001; integrator = rk4 }
)",
                              Engine::interpreter);
  const std::vector<std::string> rows = {"place", "axis", "cord", "link", "wheel", "push"};
  const auto total = [&](const std::string& what, const std::string& on, double t, const std::vector<double>& y) {
    std::string sum;
    for (const std::string& row : rows) sum += (sum.empty() ? "" : " + ") + row + "." + what + "(" + on + ")";
    return value3(p, sum, t, y);
  };
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const std::vector<double> y = shifted(p, seed, 0.3);
    const double t = 0.1 * seed;
    near(total("reaction", "ball", t, y), value3(p, "0.5*(ball.acc - (0.3, -0.2, -9.81))", t, y), 1e-9);
    near(total("reaction", "door", t, y), value3(p, "20*(door.acc - (0.3, -0.2, -9.81))", t, y), 1e-9);
    near(total("reaction", "handle", t, y), total("reaction", "door", t, y), 0);
    near(total("reaction", "box", t, y), value3(p, "3*(box.acc - (0.3, -0.2, -9.81)) - (1, -2, 0.5)", t, y), 1e-9);
    const std::string J = "((6, 0.3, -0.2), (0.3, 7, 0.1), (-0.2, 0.1, 1.5))";
    near(
        total("moment", "door", t, y),
        value3(p, "door.rot*(" + J + "*door.alpha + cross(door.omega, " + J + "*door.omega)) - (0.3, 0.1, -0.4)", t, y),
        1e-9);
    const std::string I = "diag(0.2, 0.3, 0.4)";
    near(total("moment", "box", t, y),
         value3(p,
                "box.rot*(" + I + "*box.alpha + cross(box.omega, " + I +
                    "*box.omega)) + (0.3, 0.1, -0.4) - cross(corner.pos - box.pos, (1, -2, 0.5))",
                t, y),
         1e-9);
  }
}

TEST_CASE("reactions in the plane, and on coordinates with prescribed bodies") {
  const Run r = run_both(R"(mbd 1
space 2
gravity (0, -9.81)
body bar(mass = 2, inertia = 0.3) at (0.5, 0)
point pin on bar at (-0.5, 0)
constraint hold: pin.pos == (0, 0)
coord x = 0
coord y = 0.2 rate 0.1
particle cart(1) follows (x + y, 0.3*y)
constraint rail: x*y + x == 0.5*t*y
output F = hold.reaction, M = hold.moment, Qx = rail.reaction(x), Qy = rail.reaction(y), bar.alpha, rail.lambda
simulate { time = 0 .. 1 step 0.001; assemble; integrator = rk4 }
)");
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  for (std::size_t k = 0; k < r.rows(); k += 100) {
    CHECK(r.at(k, "F.x") == doctest::Approx(2 * r.at(k, "bar.ax")).epsilon(1e-9));
    CHECK(r.at(k, "F.y") == doctest::Approx(2 * (r.at(k, "bar.ay") + 9.81)).epsilon(1e-9));
    CHECK(r.at(k, "M") == doctest::Approx(0.3 * r.at(k, "bar.alpha")).epsilon(1e-9));
    // For the cart (x'' + y'') = Qx and (x'' + y'') + 0.3 (0.3 y'' + g) = Qy.
    const double s = r.at(k, "x''") + r.at(k, "y''");
    CHECK(std::fabs(r.at(k, "Qx") - s) < 1e-10);
    CHECK(std::fabs(r.at(k, "Qy") - s - 0.3 * (0.3 * r.at(k, "y''") + 9.81)) < 1e-9);
  }
}

TEST_CASE("reactions of constraints without time do no work, all together") {
  Simulation p = compile_text(R"(mbd 1
gravity (0, 0, -9.81)
body top(mass = 1, inertia = diag(0.1, 0.2, 0.25)) at (0, 0, 1) spinning (1, 2, 3)
particle a(1) at (0.5, 0, 1)
particle b(2) at (0, 2, 1)
point tip on top at (0.1, -0.2, 0.3)
constraint rod: dist(tip, a) == 0.6
constraint bar: dist(a.pos, b.pos) == 2
constraint skate: b.vx*cos(0.3) == b.vy*sin(0.3)
constraint plane: dot(top.rot*ez, b.pos) == 1
simulate { time = 0 .. 1 step 0.001; integrator = rk4 }
)",
                              Engine::interpreter);
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const std::vector<double> y = shifted(p, seed, 0.2);
    for (const std::string row : {"rod", "bar", "skate", "plane"}) {
      std::string power, rate;
      for (const std::string part : {"a", "b", "top"})
        power += (power.empty() ? "" : " + ") + ("dot(" + row + ".reaction(" + part + "), " + part + ".vel)");
      power += " + dot(" + row + ".moment(top), top.rot*top.omega)";
      const std::string e = row == "skate" ? row + ".residual" : "(" + row + ".residual)'";
      // Q.u = lambda A u = lambda e', which is zero at states that satisfy the rate of the row.
      CHECK(value1(p, power, 0, y) ==
            doctest::Approx(value1(p, row + ".lambda", 0, y) * value1(p, e, 0, y)).epsilon(1e-10));
    }
  }
  const Run r = run_both(R"(mbd 1
gravity (0, 0, -9.81)
particle a(1) at (0.6, 0, 0.8) moving (0, 1, 0)
particle b(2) at (0.6, 0, 0)
constraint ball: norm(a.pos) == 1
constraint cord: dist(a, b) == 0.8
output power = dot(ball.reaction, a.vel), both = dot(cord.reaction(a), a.vel) + dot(cord.reaction(b), b.vel)
simulate { time = 0 .. 1 step 0.001; assemble; integrator = rk4 }
)");
  REQUIRE(r.result.status == Status::complete);
  for (std::size_t k = 0; k < r.rows(); ++k) {
    CHECK(std::fabs(r.at(k, "power")) < 1e-10);
    CHECK(std::fabs(r.at(k, "both")) < 1e-9);
  }
}

TEST_CASE("a doubled row shares the force equally, whatever factor it is written with, in both forms of code") {
  for (const int more : {0, 32}) {
    std::string text = R"(mbd 1
gravity (0, 0, -9.81)
particle p(2) at (0.6, 0, -0.8) moving (0, 1, 0)
particle q(1) at (3, 0, 0)
constraint rod: dist(ground, p) == 1
constraint other: q.x == 3
constraint again: dot(p.pos, p.pos) == 1
constraint thrice: 1000*dist(p, ground) == 1000
output one = rod.reaction, two = again.reaction, three = thrice.reaction, sum = rod.reaction + again.reaction + thrice.reaction
output rod.lambda, again.lambda, other.reaction
)";
    text += star(more);
    const Run r = run_both(text + "simulate { time = 0 .. 0.1 step 0.005; integrator = rk4 }\n");
    REQUIRE(r.result.status == Status::complete);
    CHECK(r.result.dependent_rows == std::vector<std::string>{"again", "thrice"});
    for (std::size_t k = 0; k < r.rows(); k += 4) {
      for (const std::string axis : {".x", ".y", ".z"}) {
        const double g = axis == ".z" ? -9.81 : 0;
        const double needed = 2 * (r.at(k, "p.a" + axis.substr(1)) - g);
        CHECK(std::fabs(r.at(k, "sum" + axis) - needed) < 1e-8);
        for (const std::string which : {"one", "two", "three"})
          CHECK(std::fabs(r.at(k, which + axis) - needed / 3) < 1e-8);
      }
      CHECK(r.at(k, "rod.lambda") == doctest::Approx(2 * r.at(k, "again.lambda")).epsilon(1e-8));
    }
    const std::vector<std::string>& open = r.result.reactions_not_unique;
    CHECK(std::find(open.begin(), open.end(), "one.x") != open.end());
    CHECK(std::find(open.begin(), open.end(), "rod.lambda") != open.end());
    for (const std::string& name : open)
      CHECK((name.starts_with("one") || name.starts_with("two") || name.starts_with("three") ||
             name.ends_with("lambda")));
    CHECK(std::find(open.begin(), open.end(), "other.reaction.x") == open.end());
    CHECK(summary_text(r.result).find("reactions not unique") != std::string::npos);
  }
}

// Three rows have rank two. Their multipliers are not unique, but the force and the moment of all three are.
TEST_CASE("a cross product set to zero: multipliers not unique, moment unique") {
  const Run r = run_both(R"(mbd 1
gravity (0, 0, -9.81)
body top(mass = 1, inertia = diag(0.1, 0.2, 0.25)) at (0, 0, 0) spinning (0, 0, 3)
constraint axis: cross(top.rot*ez, ez) == (0, 0, 0)
torque m on top: (0.3, -0.2, 0.1)
output M = axis.moment, axis.lambda
simulate { time = 0 .. 0.1 step 0.001; integrator = rk4 }
)");
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  CHECK(r.result.rank == 2);
  for (std::size_t k = 0; k < r.rows(); k += 20) {  // The bearing carries the component of the torque across the axis.
    CHECK(std::fabs(r.at(k, "axis.lambda.z")) < 1e-9);
    const double w = r.at(k, "top.omegaz"), p3 = 2 * std::atan2(r.at(k, "top.p3"), r.at(k, "top.p0"));
    // For omega along z, R (J alpha + omega x J omega) has no component across the axis.
    CHECK(std::fabs(w) > 2);
    CHECK(std::isfinite(p3));
    CHECK(r.at(k, "M.x") == doctest::Approx(-0.3).epsilon(1e-8));
    CHECK(r.at(k, "M.y") == doctest::Approx(0.2).epsilon(1e-8));
    CHECK(std::fabs(r.at(k, "M.z")) < 1e-9);
  }
  for (const std::string& name : r.result.reactions_not_unique) CHECK(name == "axis.lambda.z");
}

TEST_CASE("the multipliers are the smallest of those with the same forces, against a solution by hand") {
  // The rows (1,0), (1,1), (0,1) of a unit mass in the plane under F give the unit rows e1, (e1 + e2)/sqrt 2, e2.
  const Run r = run_both(R"(mbd 1
space 2
particle p(1) at (0, 0)
force f on p: (3, -7)
constraint a: p.x == 0
constraint b: p.x + p.y == 0
constraint c: 5*p.y == 0
output a.lambda, b.lambda, c.lambda
simulate { time = 0 .. 0.1 step 0.1; integrator = rk4 }
)");
  REQUIRE(r.result.status == Status::complete);
  // G^T mu = -F gives mu = G (G^T G)^-1 (-F) with G^T G = [3/2 1/2; 1/2 3/2] and its inverse [3/4 -1/4; -1/4 3/4].
  const double v0 = 0.75 * -3 - 0.25 * 7, v1 = -0.25 * -3 + 0.75 * 7;
  CHECK(r.last("a.lambda") == doctest::Approx(v0).epsilon(1e-13));
  CHECK(r.last("b.lambda") == doctest::Approx((v0 + v1) / 2).epsilon(1e-13));
  CHECK(r.last("c.lambda") == doctest::Approx(v1 / 5).epsilon(1e-13));
  CHECK(r.result.reactions_not_unique.size() == 3);
}

TEST_CASE("the push of a deck that is not touched, or carries a part by itself, is unique beside a hinge") {
  const std::string text = R"(mbd 1
use joints
gravity (0, 0, -9.81)
particle p(1) at (0, 0, 0.3)
constraint deck: p.z >= 0 restitution 0.5
body b(mass = 1, inertia = diag(0.01, 0.02, 0.02)) at (0.5, 3, 0)
Revolute j(ground.at(0, 3, 0), b.at(-0.5, 0, 0), axis = ey)
output push = deck.lambda
simulate { time = 0 .. 2 step 0.01 }
)";
  const Run r = run_both(text);
  CHECK(r.last("push") == doctest::Approx(9.81).epsilon(1e-9));
  CHECK(r.result.reactions_not_unique.empty());
}
