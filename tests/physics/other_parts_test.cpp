// SPDX-License-Identifier: Apache-2.0
// Tests that the motion of one part of a model does not depend on the mass or distance of another part that no
// constraint connects with it. Also tested are angles across the cut of atan2, and motions that diverge after a
// vanishing row.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

// The ships are at rest or slow: `auto` keeps errors at 1e-8 of the largest displacement in the model.
const char* const kShips[] = {"particle ship(5e7) at 200 moving 0.1\n", "particle ship(1e24) at 1.5e11\n",
                              "particle ship(1) at 7e6\n", "particle ship(1000) at 6.4e6\n"};

std::string in_space_1(const std::string& ship, const std::string& text) { return "mbd 1\nspace 1\n" + ship + text; }

}  // namespace

TEST_CASE("a ball bounces as high and as often beside a ship as alone") {
  const std::string text =
      "param g = 9.81\nparticle ball(0.01) at 0.001\nforce w on ball: -0.01*g\n"
      "constraint top: ball.x >= 0 restitution 0.5\noutput hits = top.count\n"
      "simulate { time = 0 .. 0.06 step 0.0005 }\n";
  const Run alone = run(in_space_1("", text));
  REQUIRE_MESSAGE(alone.result.status == Status::complete, alone.result.rendered);
  CHECK(alone.last("hits") >= 15);
  // The flights last 2 v/g, and the first impact has sqrt(2 g h).
  const double first = std::sqrt(2 * 0.001 / 9.81), end = first * (1 + 2 * 0.5 / (1 - 0.5));
  for (const char* ship : kShips) {
    const Run beside = run_both(in_space_1(ship, text), {});
    INFO(ship << beside.result.rendered);
    REQUIRE(beside.result.status == Status::complete);
    CHECK(beside.last("hits") == alone.last("hits"));
    for (std::size_t row = 0; row < beside.rows(); ++row) {
      if (std::fabs(beside.time[row] - first) < 1e-9) continue;
      CHECK(beside.at(row, "ball.x") == doctest::Approx(alone.at(row, "ball.x")).epsilon(1e-9).scale(1e-3));
      if (beside.time[row] > end + 1e-4) CHECK(std::fabs(beside.at(row, "ball.vx")) < 1e-30);
    }
  }
}

TEST_CASE("a block slides as far beside a ship as alone") {
  // x'' = -x - 1e-4 sign(x') gives half turns about -1e-4 and 1e-4 alternately, from 1e-3 m/s.
  const std::string text =
      "particle b(1) at 0 moving 1e-3\nforce s on b: -b.x\nfriction f on b.vx: 1e-4\n"
      "simulate { time = 0 .. 20 step 0.1 }\n";
  const Run alone = run(in_space_1("", text));
  REQUIRE_MESSAGE(alone.result.status == Status::complete, alone.result.rendered);
  // time and place of the first reversal
  const double turn = std::atan2(1e-3, 1e-4), top = std::hypot(1e-3, 1e-4) - 1e-4;
  for (const char* ship : kShips) {
    const Run beside = run(in_space_1(ship, text));
    INFO(ship << beside.result.rendered);
    REQUIRE(beside.result.status == Status::complete);
    for (std::size_t row = 0; row < beside.rows(); ++row) {
      const double t = beside.time[row];
      if (t < turn)
        CHECK(beside.at(row, "b.x") == doctest::Approx(1e-3 * std::sin(t) + 1e-4 * (std::cos(t) - 1)).epsilon(1e-6));
      else if (t < turn + 3)
        CHECK(beside.at(row, "b.x") ==
              doctest::Approx(1e-4 + (top - 1e-4) * std::cos(t - turn)).epsilon(1e-6).scale(1e-3));
    }
    CHECK(beside.last("b.x") == doctest::Approx(alone.last("b.x")).epsilon(1e-9));
  }
}

TEST_CASE("a start off the constraints is refused beside whatever else the model has") {
  for (const char* other : {"", "particle ship(5e7) at (200, 0, 0)\n", "particle planet(6e24) at (1e7, 0, 0)\n",
                            "particle big(1) at (5, 0, 0)\nconstraint hold: big.pos == (5, 0, 0)\n"})
    for (const char* mass : {"1", "1e-15", "1e10"}) {
      const std::string text = std::string("mbd 1\n") + other + "particle p(" + mass +
                               ") at (0.9, 0, 0)\nconstraint rod: dist(ground, p) == 1\n"
                               "simulate { time = 0 .. 1 step 0.1 }\n";
      const Run r = run(text);
      INFO(text << r.result.rendered);
      CHECK(r.code() == "E0601");
      const Run held = run(replaced(text, "step 0.1 }", "step 0.1; assemble }"));
      INFO(held.result.rendered);
      CHECK(held.result.status == Status::complete);
      CHECK(held.at(0, "p.x") == doctest::Approx(1).epsilon(1e-9));
    }
}

TEST_CASE("a rod far from the origin is refused where it is off by more than rounding") {
  // The model has two satellites with the sun as the origin. At 1.5e11 m the rounding is 3e-5 m.
  const auto at = [](double off) {
    return run(
        "mbd 1\nparam L = 20, au = 1.5e11\nparticle a(100) at (au + 7000e3, 0, 0) moving (0, 7546, 0)\n"
        "particle b(100) at (au + 7000020 + " +
        number(off) +
        ", 0, 0) moving (0, 7546, 0)\nconstraint rod: dist(a, b) == L\n"
        "simulate { time = 0 .. 100 step 10 }\n");
  };
  CHECK(at(0).result.status == Status::complete);
  CHECK(at(-2).code() == "E0601");
  CHECK(at(-0.05).code() == "E0601");
}

TEST_CASE("laws of forces that are affine in multipliers have one solution whatever their sign") {
  // A motor at the first joint drives the second one. A load cancels the force of the servo constraint at the second
  // joint.
  const auto arm = [](const char* sign) {
    return std::string(
               "mbd 1\nparam m1 = 1, m2 = 1, l1 = 1, l2 = 0.7, g = 9.81\ncoord q1 = -1.2 rate 0\n"
               "coord q2 = 0.3 rate 0\nparticle a(m1) follows (l1*cos(q1), l1*sin(q1), 0)\n"
               "particle b(m2) follows a.pos + (l2*cos(q1 + q2), l2*sin(q1 + q2), 0)\ngravity (0, -g, 0)\n"
               "constraint servo: ") +
           sign + "q2 == " + sign + "(0.3 + 0.4*(1 - cos(2*t)))\nload cancel on q2: -" + sign +
           "servo.lambda\nload motor on q1: servo.lambda\nsimulate { time = 0 .. 1 step 0.01 }\n";
  };
  const Run one = run_both(arm("")), other = run_both(arm("-"));
  REQUIRE_MESSAGE(one.result.status == Status::complete, one.result.rendered);
  REQUIRE_MESSAGE(other.result.status == Status::complete, other.result.rendered);
  for (const char* q : {"q1", "q2"}) CHECK(one.last(q) == doctest::Approx(other.last(q)).epsilon(1e-7));
  // m x'' = lambda + c lambda along x = sin t.
  for (const double c : {-3.0, -0.5, 2.0}) {
    const Run r =
        run("mbd 1\nspace 1\nparticle p(2) at 0 moving 1\nconstraint c: p.x == sin(t)\nforce k on p: " + number(c) +
            "*c.lambda\noutput l = c.lambda\nsimulate { time = 0 .. 1 step 0.5 }\n");
    INFO(r.result.rendered);
    REQUIRE(r.result.status == Status::complete);
    CHECK(r.last("l") == doctest::Approx(-2 * std::sin(1.0) / (1 + c)).epsilon(1e-9));
  }
}

TEST_CASE("a body that turns about its own origin takes the steps that it takes anywhere") {
  const auto steps = [](double x) {
    const std::string at = "(" + number(x) + ", 0)";
    const Run r = run("mbd 1\nspace 2\ngravity (0, -9.81)\nbody b(mass = 1, inertia = 0.1, com = (0.5, 0)) at " + at +
                      "\nconstraint pin: b.pos == " + at + "\nsimulate { time = 0 .. 10 step 0.1 }\n");
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    return static_cast<double>(r.result.steps);
  };
  const double there = steps(1);
  CHECK(steps(0) < 1.5 * there);
  CHECK(steps(1e-3) < 1.5 * there);
  const Run disc =
      run("mbd 1\nspace 2\nbody b(mass = 1, inertia = 0.1) at (0, 0) spinning 5\n"
          "simulate { time = 0 .. 60 step 1 }\n");
  CHECK(disc.result.status == Status::complete);
  CHECK(disc.result.steps < 2000);
}

TEST_CASE("a row with an angle of atan2 stops the run where the angle jumps, and no row is behind it") {
  // The body b turns half as fast as a, whose angle jumps from pi to -pi.
  const std::string text =
      "mbd 1\nspace 2\nbody a(mass = 1, inertia = 1) at (0, 0) spinning 4\n"
      "body b(mass = 1, inertia = 1) at (1, 0) spinning 2\n"
      "constraint gear: atan2(sin(a.angle), cos(a.angle)) == 2*atan2(sin(b.angle), cos(b.angle))\n"
      "simulate { time = 0 .. 5 step 0.02 }\n";
  const double jump = std::acos(-1.0) / 4;
  for (const char* integrator :
       {"auto", "auto(tol = 1e-10)", "dopri5", "dop853", "taylor", "bdf", "rk4", "ab4", "gauss4", "gauss6"}) {
    const Run r = run_both(text, {std::string("integrator=") + integrator});
    INFO(integrator << " " << r.result.rendered);
    CHECK(r.code() == "E0617");
    REQUIRE(r.result.diagnostic);
    REQUIRE(r.result.diagnostic->time);
    CHECK(*r.result.diagnostic->time == doctest::Approx(jump).epsilon(0.03));
    for (std::size_t row = 0; row < r.rows(); ++row) {
      CHECK(r.time[row] <= jump);
      CHECK(r.at(row, "a.angle") == doctest::Approx(4 * r.time[row]).epsilon(1e-6));
    }
  }
}

TEST_CASE("a pursuer stops where it reaches what it follows, since more than one motion goes on from there") {
  // The speeds are 1 and 0.6 at a right angle. Bouguer's curve ends after 1/(1 - 0.6^2) s.
  const std::string text =
      "mbd 1\nspace 2\nparam u = 0.6, v = 1\nframe tgt follows frame(origin = (0, u*t), rotation = rot(0))\n"
      "particle p(1) at (1, 0) moving (-v, 0)\nconstraint aim: cross(p.vel, tgt.pos - p.pos) == 0\n"
      "constraint speed: norm(p.vel) == v\noutput gap = norm(tgt.pos - p.pos)\n"
      "simulate { time = 0 .. 2 step 0.01 }\n";
  const double end = 1 / (1 - 0.36);
  for (const char* integrator : {"auto", "auto(tol = 1e-12)", "dopri5", "dop853", "taylor", "bdf", "rk4"}) {
    const Run r = run(text, Engine::interpreter, {std::string("integrator=") + integrator});
    INFO(integrator << " " << r.result.rendered);
    CHECK(r.code() == "E0613");
    REQUIRE(r.result.diagnostic);
    REQUIRE(r.result.diagnostic->time);
    CHECK(*r.result.diagnostic->time == doctest::Approx(end).epsilon(0.01));
    CHECK(r.result.diagnostic->place.line == 6);
  }
}
