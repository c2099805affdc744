// SPDX-License-Identifier: Apache-2.0
// Tests slips that begin at an acceleration of zero: what sticks at the instant itself cannot stick a moment later,
// because other rows move (x = t^3), or because the motion turns rows that depend on each other at that state alone.
// The forces and motions have closed forms.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "tests/physics/findings.h"
#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

// Returns the complete run of a model in one dimension.
Run moved(const std::string& text, const std::string& settings = "") {
  const Run r = run_both("mbd 1\nspace 1\n" + text + "simulate { time = 0 .. 1 step 0.1; " + settings + " }\n");
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  return r;
}

}  // namespace

TEST_CASE("a slide is led from rest by any power of the time, with dry friction on its way") {
  for (const int power : {2, 3, 4, 5, 7})
    for (const double sign : {1.0, -1.0})
      for (const std::string still : {"", " static 8"})
        for (const std::string integrator : {"auto", "rk4", "bdf", "taylor"}) {
          CAPTURE(power);
          CAPTURE(sign);
          CAPTURE(still);
          CAPTURE(integrator);
          const Run r = moved("particle s(2) at 0\nconstraint drive: s.x == " + number(sign) + "*t^" +
                                  std::to_string(power) + "\nfriction rub on s.vx: 5" + still +
                                  "\noutput push = drive.lambda, f = rub.lambda, st = rub.sticks\n",
                              "integrator = " + integrator);
          for (std::size_t row = 0; row < r.rows(); ++row) {
            const double a = sign * power * (power - 1) * std::pow(r.time[row], power - 2);
            CHECK(r.at(row, "st") == 0);
            CHECK(std::fabs(r.at(row, "f") + 5 * sign) < 1e-9);
            CHECK(std::fabs(r.at(row, "push") - 2 * a - 5 * sign) < 1e-7);
          }
        }
}

TEST_CASE("of two frictions against a belt that starts the weaker one slips") {
  for (const double other : {4.0, 8.0}) {
    CAPTURE(other);
    const Run r = moved("particle b(1) at 0\nfriction left on b.vx: 5\nfriction right on b.vx - t^2: " + number(other) +
                        "\noutput f1 = left.lambda, f2 = right.lambda\n");
    for (std::size_t row = 0; row < r.rows(); ++row) {
      CHECK(std::fabs(r.at(row, "f2") - (other < 5 ? 4 : 5 + 2 * r.time[row])) < 1e-9);
      CHECK(std::fabs(r.at(row, "f1") + (other < 5 ? 4 : 5)) < 1e-9);
    }
  }
}

TEST_CASE("a rest ends where a drive of speeds begins smoothly, and is held before") {
  const Run r = moved(
      "particle s(2) at 0\nconstraint drive: s.vx == max(t - 0.5, 0)^2\nfriction rub on s.vx: 5\n"
      "output f = rub.lambda, st = rub.sticks\n");
  for (std::size_t row = 0; row < r.rows(); ++row) {
    CHECK(r.at(row, "st") == (r.time[row] < 0.45 ? 1 : 0));
    if (r.time[row] > 0.55) CHECK(std::fabs(r.at(row, "f") + 5) < 1e-9);
  }
}

TEST_CASE("a drive that begins between two rows lets go when it begins, and not at the row before") {
  for (const double begin : {0.0005, 0.03, 0.57}) {
    CAPTURE(begin);
    const Run r = moved("particle s(2) at 0\nconstraint drive: s.vx == max(t - " + number(begin) +
                        ", 0)^2\nfriction rub on s.vx: 5\noutput f = rub.lambda, st = rub.sticks\n");
    for (std::size_t row = 0; row < r.rows(); ++row) {
      CHECK(r.at(row, "st") == (r.time[row] < begin ? 1 : 0));
      CHECK(std::fabs(r.at(row, "f") + (r.time[row] < begin ? 0 : 5)) < 1e-9);
    }
  }
}

TEST_CASE("a block that presses on the ground is pulled from rest, as contacts decide") {
  for (const std::string formulation : {"udwadia_kalaba", "augmented", "maggi"}) {
    CAPTURE(formulation);
    const Run r = run_both(R"(mbd 1
gravity (0, 0, -10)
particle s(2) at (0, 0, 0)
constraint deck: s.z >= 0
constraint drive: s.x == t^3*(1 - t/2)
friction rub on (s.vx, s.vy): 0.3*deck.lambda
output fx = rub.lambda.x, push = drive.lambda
simulate { time = 0 .. 1 step 0.1; formulation = )" +
                           formulation + " }\n");
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    for (std::size_t row = 1; row < r.rows(); ++row) {
      const double t = r.time[row];
      CHECK(std::fabs(r.at(row, "fx") + 6) < 1e-8);
      CHECK(std::fabs(r.at(row, "push") - 2 * (6 * t - 6 * t * t) - 6) < 1e-8);
    }
  }
}

// The row 2x x' is zero at the start, where the friction holds nothing: x'' = F - 2 L x.
TEST_CASE("a friction whose row vanishes where it rests lets go there") {
  for (const std::string integrator : {"auto", "rk4", "bdf", "taylor"}) {
    CAPTURE(integrator);
    const Run r =
        moved("particle p(1) at 0\nforce f on p: 1\nfriction rub on 2*p.x*p.vx: 0.5\noutput st = rub.sticks\n",
              "integrator = " + integrator);
    for (std::size_t row = 0; row < r.rows(); ++row) {
      CHECK(r.at(row, "st") == 0);
      CHECK(std::fabs(r.at(row, "p.x") - (1 - std::cos(r.time[row]))) < (integrator == "rk4"   ? 1e-5
                                                                         : integrator == "bdf" ? 1e-6
                                                                                               : 1e-8));
    }
  }
}

// The points a and b rest on frictions at both ends of two rods in a line, whose middle is pushed across: the frictions
// do the work L s, s = 1 - sqrt(1 - y^2) the way of each, and y is a function of the energy.
TEST_CASE("frictions that rods in a line cannot hold both slip") {
  const Run r = run_both(R"(mbd 1
space 2
use planar_joints
particle p(1) at (0, 0)
particle a(1) at (-1, 0)
particle b(1) at (1, 0)
constraint ay: a.y == 0
constraint by: b.y == 0
constraint px: p.x == 0
Rod ra(a, p, 1)
Rod rb(b, p, 1)
force f on p: (0, 1)
friction fa on a.vx: 2
friction fb on b.vx: 3
output la = fa.lambda, lb = fb.lambda
simulate { time = 0 .. 0.5 step 0.01 }
)");
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  CHECK(r.last("p.y") > 0.1);
  for (std::size_t row = 0; row < r.rows(); ++row) {
    const double y = r.at(row, "p.y"), v = r.at(row, "p.vy"), x = std::sqrt(1 - y * y);
    CHECK(std::fabs(0.5 * v * v + std::pow(y * v / x, 2) - (y - 5 * (1 - x))) < 1e-10);
    CHECK(r.at(row, "la") == -2);
    CHECK(r.at(row, "lb") == 3);
  }
}

namespace {

// A bar between two carts on a line, which a torque turns: the carts are 2/cos(angle) apart.
std::string bar_on_carts(const std::string& torque, const std::string& inertia, const std::string& limits) {
  return R"(mbd 1
space 2
use planar_joints
param M = )" +
         torque + ", J = " + inertia + ", " + limits + R"(
body bar(mass = 1, inertia = J) at (0, 0)
body front(mass = 0.5, inertia = 1) at (1, 0)
body rear(mass = 0.5, inertia = 1) at (-1, 0)
constraint cy: bar.y == 0
constraint fy: front.y == 0
constraint ry: rear.y == 0
constraint fa: front.angle == 0
constraint ra: rear.angle == 0
PointOnLine gf(front, bar.at(1, 0), axis = ey)
PointOnLine gr(rear, bar.at(-1, 0), axis = ey)
torque drive on bar: M
friction ff on front.vx: Lf
friction fr on rear.vx: Lr
output sf = ff.sticks, sr = fr.sticks, lf = ff.lambda, lr = fr.lambda
simulate { time = 0 .. 0.5 step 0.01 }
)";
}

}  // namespace

// With d = 1/cos(angle) - 1 the cart that slips moves 2 d and the bar d, while the other cart stands.
TEST_CASE("a bar that turns pushes the cart with the weaker friction away") {
  for (const bool front : {true, false}) {
    CAPTURE(front);
    const Run r = run_both(bar_on_carts("1", "0.5", front ? "Lf = 2, Lr = 3" : "Lf = 3, Lr = 2"));
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    CHECK(r.last("bar.angle") > 0.2);
    for (std::size_t row = 0; row < r.rows(); ++row) {
      const double angle = r.at(row, "bar.angle"), rate = r.at(row, "bar.omega"), d = 1 / std::cos(angle) - 1,
                   v = std::sin(angle) / std::pow(std::cos(angle), 2) * rate;
      CHECK(r.at(row, "sf") == (front ? 0 : 1));
      CHECK(r.at(row, "sr") == (front ? 1 : 0));
      CHECK(std::fabs(0.25 * rate * rate + 1.5 * v * v - (angle - 4 * d)) < 1e-10);
      CHECK(std::fabs(r.at(row, front ? "rear.x" : "front.x") - (front ? -1 : 1)) < 1e-12);
    }
  }
}

// No torque: nothing moves, and both hold without a force.
TEST_CASE("a bar that nothing turns stays between its carts") {
  const Run r = run_both(bar_on_carts("0", "0.5", "Lf = 2, Lr = 3"));
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  CHECK(r.last("bar.angle") == 0);
  CHECK(r.last("lf") == 0);
  CHECK(r.last("sf") == 1);
}

// The pull balances the slope in the end. Braked wheels hold the pitch that was reached when the last of them stopped.
TEST_CASE("a car with its brakes on comes to rest on a slope") {
  const double weight = (1200 + 2 * 40) * 9.81 * std::sin(10 * std::acos(-1) / 180);
  Run at_rest;
  for (const std::string integrator : {"auto", "rk4"}) {
    CAPTURE(integrator);
    const Run r = run_both(replaced(finding("parked_car"), "step 10 [ms]", "step 10 [ms]; integrator = " + integrator));
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    CHECK(std::fabs(r.last("pull") + weight) < 1e-3 * weight);
    CHECK(std::fabs(r.last("front.omega")) < 1e-9);
    if (integrator == "auto")
      at_rest = r;
    else
      CHECK(std::fabs(r.last("car.angle") - at_rest.last("car.angle")) < 1e-4 * std::fabs(r.last("car.angle")));
  }
}
