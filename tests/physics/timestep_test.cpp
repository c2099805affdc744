// SPDX-License-Identifier: Apache-2.0
// `contact = timestep` against closed forms and against located impacts; by both engines.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

std::string steps(double end, int count) {
  return "simulate { time = 0 .. " + number(end) + " count " + std::to_string(count) + "; contact = timestep }\n";
}

// Of a ball that bounces, at a time before it comes to rest.
double bounced(double z, double g, double e, double t) {
  double speed = std::sqrt(2 * g * z), fall = speed / g;
  if (t < fall) return z - 0.5 * g * t * t;
  t -= fall;
  for (speed *= e; t > 2 * speed / g; speed *= e) t -= 2 * speed / g;
  return speed * t - 0.5 * g * t * t;
}

double bouncing_error(int count) {
  const Run r = run(R"(mbd 1
space 1
gravity -10
particle p(1) at 1
constraint deck: p.x >= 0 restitution 0.8
)" + steps(2, count));
  REQUIRE(r.result.status == Status::complete);
  double sum = 0;
  for (std::size_t k = 0; k < r.rows(); ++k) sum += std::fabs(r.at(k, "p.x") - bounced(1, 10, 0.8, r.time[k]));
  return sum / static_cast<double>(r.rows());
}

}  // namespace

TEST_CASE("a ball that bounces: order 1") {
  const double coarse = bouncing_error(2000), fine = bouncing_error(32000);
  CHECK(coarse < 0.02);
  CHECK(coarse / fine > 8);  // 16 by order 1; where in their steps impacts fall is chance
  CHECK(coarse / fine < 32);
}

TEST_CASE("a ball comes to rest, its force is its weight, the summary says what ran") {
  const Run r = run_both(R"(mbd 1
space 1
gravity -10
particle p(2) at 1
constraint deck: p.x >= 0 restitution 0.5
output push = deck.lambda, hits = deck.count
)" + steps(3, 3000));
  REQUIRE(r.result.status == Status::complete);
  CHECK(std::fabs(r.last("p.x")) < 1e-12);
  CHECK(std::fabs(r.last("p.vx")) < 1e-12);
  CHECK(std::fabs(r.last("push") - 20) < 1e-9);
  CHECK(r.last("hits") > 5);
  CHECK(r.result.time_stepping);
  CHECK(r.result.penetration < 1e-12);
  CHECK(std::fabs(r.result.balance_error) < 1e-9);
}

TEST_CASE("a block on an incline slides, stops and stays: order 1 in when it stops") {
  const auto at_end = [](int count) {
    return run_both(R"(mbd 1
param mu = 0.5, tilt = 0.3, g = 10
space 2
gravity (-g*sin(tilt), -g*cos(tilt))
particle block(2) at (0, 0) moving (1, 0)
constraint deck: block.y >= 0
friction rub on block.vx: mu*deck.lambda
output pull = rub.lambda, push = deck.lambda
)" + steps(1, count));
  };
  const double a = 10 * (std::sin(0.3) + 0.5 * std::cos(0.3)), where = 0.5 / a;
  const Run coarse = at_end(100), fine = at_end(1600);
  REQUIRE(fine.result.status == Status::complete);
  CHECK(std::fabs(coarse.last("block.x") - where) < 1e-3);
  CHECK(std::fabs(fine.last("block.x") - where) < 1e-5);
  CHECK(std::fabs(fine.last("block.vx")) < 1e-14);
  CHECK(std::fabs(fine.last("pull") - 20 * std::sin(0.3)) < 1e-9);
  CHECK(std::fabs(fine.last("push") - 20 * std::cos(0.3)) < 1e-9);
  CHECK(std::fabs(fine.at(80, "block.vx") - (1 - a * fine.time[80])) < 1e-10);  // while it slides
}

TEST_CASE("dry friction of a given force, a clutch, a pendulum against a stop") {
  const Run r = run_both(R"(mbd 1
space 2
gravity (0, -10)
coord a = 0 rate 5
coord b = 0 rate 0
kinetic K: 0.5*a'^2 + 0.5*2*b'^2
friction plates on a' - b': 1
particle bob(1) at (1, 0)
constraint rod: bob.x^2 + bob.y^2 == 1
constraint stop: bob.x >= 0 restitution 0.5
output wa = a', wb = b'
)" + steps(5, 20000));
  REQUIRE(r.result.status == Status::complete);
  CHECK(std::fabs(r.last("wa") - 5.0 / 3) < 1e-9);
  CHECK(std::fabs(r.last("wb") - 5.0 / 3) < 1e-9);
  CHECK(r.constraint("rod").position < 1e-12);
  CHECK(r.constraint("rod").velocity < 1e-10);
  for (std::size_t k = 0; k < r.rows(); ++k) CHECK(r.at(k, "bob.x") > -1e-11);
}

TEST_CASE("a ball slides and rolls, and an impact gives it spin: as by located impacts") {
  const auto text = [](const std::string& block) {
    return R"(mbd 1
gravity (0, 0, -10)
param J = 0.004
body b(mass = 1, inertia = diag(J, J, J)) at (0, 0, 0.3) moving (2, 1, 0) spinning (3, 0, 1)
shape ball on b: sphere(0.1)
shape soil on ground: plane(ez)
Contact c(ball, soil, restitution = 0.3, mu = 0.2)
)" + block;
  };
  const Run exact = run(text("simulate { time = 0 .. 1 step 0.1; integrator = dop853(rtol = 1e-12, atol = 1e-12) }\n"));
  const Run made = run_both(text(steps(1, 8000)));
  REQUIRE(exact.result.status == Status::complete);
  REQUIRE(made.result.status == Status::complete);
  for (const char* name : {"b.x", "b.y", "b.z", "b.vx", "b.vy", "b.omegax", "b.omegay", "b.omegaz"})
    CHECK(std::fabs(made.last(name) - exact.last(name)) < 2e-3);
}

TEST_CASE("Moreau's law adds no energy: drawn balls, smooth and rough, without other forces") {
  std::mt19937 draw(7);
  std::uniform_real_distribution<double> speed(-1, 1), part(0, 1);
  for (int k = 0; k < 40; ++k) {
    const int n = 3 + k % 5;
    std::string text = "mbd 1\n";
    for (int i = 1; i <= n; ++i) {
      const std::string at = std::to_string(0.25 * (i % 2)) + ", " + std::to_string(0.25 * (i / 2 % 2)) + ", " +
                             std::to_string(0.25 * (i / 4));
      text += "body b" + std::to_string(i) + "(mass = " + std::to_string(0.5 + part(draw)) +
              ", inertia = diag(0.004, 0.004, 0.004)) at (" + at + ") moving (" + std::to_string(speed(draw)) + ", " +
              std::to_string(speed(draw)) + ", " + std::to_string(speed(draw)) + ")\n";
      text += "shape s" + std::to_string(i) + " on b" + std::to_string(i) + ": sphere(0.1)\n";
    }
    const std::string e = number(part(draw)), mu = k % 2 ? ", mu = " + number(part(draw)) : "";
    for (int i = 1; i <= n; ++i)
      for (int j = 1; j < i; ++j)
        text += "Contact c" + std::to_string(i) + "_" + std::to_string(j) + "(s" + std::to_string(i) + ", s" +
                std::to_string(j) + ", restitution = " + e + mu + ")\n";
    text += "output E = energy.total\nsimulate { time = 0 .. 1 step 0.01; contact = timestep; impact = moreau }\n";
    CAPTURE(text);
    const Run r = run_both(text);
    REQUIRE(r.result.status == Status::complete);
    for (std::size_t row = 1; row < r.rows(); ++row) CHECK(r.at(row, "E") <= r.at(row - 1, "E") + 1e-12 * r.at(0, "E"));
  }
}

TEST_CASE("balls in a box of planes settle: forces carry the weight, gaps are kept") {
  const Run r = run_both(R"(mbd 1
gravity (0, 0, -10)
let n = 12
particle p[i in 1..n](1) at (0.11*(i - 3*floor((i - 1)/3)) - 0.2, 0.06*i - 0.4, 0.3 + 0.21*i) moving (0.3, 0.1*i, 0)
shape ball[i in 1..n] on p[i]: sphere(0.1)
shape floor1 on ground: plane(ez)
shape west on ground at (-0.5, 0, 0): plane(ex)
shape east on ground at (0.5, 0, 0): plane(-ex)
shape south on ground at (0, -0.5, 0): plane(ey)
shape north on ground at (0, 0.5, 0): plane(-ey)
Contact f[i in 1..n](ball[i], floor1, restitution = 0.3)
Contact w[i in 1..n](ball[i], west, restitution = 0.3)
Contact e[i in 1..n](ball[i], east, restitution = 0.3)
Contact s[i in 1..n](ball[i], south, restitution = 0.3)
Contact h[i in 1..n](ball[i], north, restitution = 0.3)
for i in 2..n { for j in 1..i-1 { Contact c[i, j](ball[i], ball[j], restitution = 0.3) } }
output weight = sum(f[i].lambda for i in 1..n)
simulate { time = 0 .. 3 step 0.002; contact = timestep }
)");
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.result.penetration < 1e-10);
  double mean = 0;
  for (std::size_t k = r.rows() - 200; k < r.rows(); ++k) mean += r.at(k, "weight") / 200;
  CHECK(mean == doctest::Approx(120).epsilon(0.05));
}

TEST_CASE("what does not go with time steps is refused by name") {
  const auto code = [](const std::string& more, const std::string& setting) {
    return run("mbd 1\nspace 1\ngravity -10\nparticle p(1) at 1\nconstraint deck: p.x >= 0\n" + more +
               "\nsimulate { time = 0 .. 1 step 0.1; contact = timestep" + setting + " }\n")
        .code();
  };
  CHECK(code("", "").empty());
  CHECK(code("state n = 0\nwhen high: p.x falling { n = 1 }", "") == "E0698");
  CHECK(code("state n = 0\nevery 0.1 { n = n + 1 }", "") == "E0698");
  CHECK(code("", "; impact = poisson") == "E0698");
  CHECK(code("", "; kinks = locate") == "E0698");
  CHECK(code("", "; rows = events") == "E0698");
  CHECK(code("", "; formulation = kane") == "E0698");
  CHECK(code("constraint lid: p.x <= 0.5", "") == "E0690");
}
