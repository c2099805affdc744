// SPDX-License-Identifier: Apache-2.0
// Tests classes of models that were reported: stopped although they are correct, or answered wrongly. Each case says
// what is right and how that is known.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tests/physics/findings.h"
#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

// With impact speed v0 = sqrt(v^2 + 2 g H) the flights take (v + v0)/g and 2 e^k v0/g, k = 1, 2, ...
TEST_CASE("a ball that is thrown up comes to rest when the sum of its flights says") {
  const double g = 9.81;
  struct Throw {
    double v, height;
  };
  for (const auto [v, height] :
       {Throw{0.7, 0}, Throw{3, 0}, Throw{14, 0}, Throw{22, 0}, Throw{0.7, 0.1}, Throw{3, 0.1}})
    for (const double e : {0.3, 0.8, 0.9})
      for (const char* method : {"auto", "rk4", "dopri5", "dop853"}) {
        const double met = std::sqrt(v * v + 2 * g * height), rest = (v + met) / g + 2 * e * met / (g * (1 - e));
        const std::string text = "mbd 1\nspace 1\ngravity -9.81\nparticle p(1) at " + number(height) + " moving " +
                                 number(v) + "\nconstraint deck: p.x >= 0 restitution " + number(e) +
                                 "\nsimulate { time = 0 .. " + number(1.2 * rest) + " step " + number(rest / 200) +
                                 "; integrator = " + method + " }\n";
        CAPTURE(text);
        const Run r = run(text);
        CHECK(r.result.status == Status::complete);
        REQUIRE(r.result.accumulations.size() == 1);
        CHECK(r.result.accumulations[0].time == doctest::Approx(rest).epsilon(1e-6));
        CHECK(r.last("p.x") == 0);
        CHECK(r.last("p.vx") == 0);
      }
}

// The number of collisions is the first k with (k + 1) atan(sqrt(m/M)) >= pi (Galperin); 10^(2 n) counts digits of pi.
TEST_CASE("a large block against a small one before a wall: as many collisions however long the run is") {
  for (const int masses : {1, 100, 10000})
    for (const double end : {20.0, 2000.0}) {
      const int expected = masses == 1 ? 3 : masses == 100 ? 31 : 314;
      const Run r = run("mbd 1\nspace 1\nparticle small(1) at 1\nparticle large(" + std::to_string(masses) +
                        ") at 2 moving -1\nconstraint wall: small.x >= 0 restitution 1\n"
                        "constraint pair: large.x >= small.x restitution 1\noutput n = wall.count + pair.count\n"
                        "simulate { time = 0 .. " +
                        number(end) + " count 10 }\n");
      CAPTURE(masses);
      CHECK(r.result.status == Status::complete);
      CHECK(r.last("n") == expected);
    }
}

// Contacts that press already do not touch again, and corners in the air touch nothing.
TEST_CASE("a box that lies on the floor or is put on it counts the contacts that it makes") {
  const std::string head =
      "mbd 1\nuse bodies\nparam h = 0\ngravity (0, 0, -9.81)\n"
      "body low(mass = 2, inertia = cuboid_inertia(2, 0.4, 0.3, 0.2)) at (0, 0, 0.1 + h)\n"
      "shape brick on low: box(0.4, 0.3, 0.2)\nshape soil on ground: plane(ez)\n"
      "Contact stand(brick, soil, mu = 0.5, restitution = 0)\noutput ";
  std::string counts;
  for (int k = 1; k <= 8; ++k)
    counts += (k > 1 ? ", n" : "n") + std::to_string(k) + " = stand.spot[" + std::to_string(k) + "].side.count";
  const std::string text = head + counts + "\nsimulate { time = 0 .. 2 step 0.05 }\n";
  for (const bool falls : {false, true}) {
    const Run r = run(text, Engine::interpreter, {falls ? "h = 0.05" : "h = 0"});
    CAPTURE(falls);
    CHECK(r.result.status == Status::complete);
    int touched = 0;
    for (int k = 1; k <= 8; ++k) {
      const double n = r.last("n" + std::to_string(k));
      CHECK(n <= (falls ? 1 : 0));
      touched += static_cast<int>(n);
    }
    CHECK(touched == (falls ? 4 : 0));
    CHECK(r.result.steps < 100);
  }
}

namespace {

std::string cam(double speed, double step, const std::string& method) {
  return "mbd 1\ncoord phi = 0 rate " + number(speed) +
         "\ncoord y = 0\nkinetic cam: 0.5*0.05*phi'^2\nkinetic follower: 0.5*0.3*y'^2\n"
         "def cyc(s) = s - sin(2*pi*s)/(2*pi)\n"
         "constraint profile: y == 0.02*cyc(min(max((phi - 1)/1.5, 0), 1))\noutput e = energy.total\n"
         "simulate { time = 0 .. 0.5 step " +
         number(step) + "; integrator = " + method + " }\n";
}

}  // namespace

// The profile has two derivatives. Behind the rise the cam turns as before it, because the energy is constant.
// `ab4` begins anew where the rates of one side of a corner do not lead along the other; up to four of its steps use
// rates of both sides, and so its error is larger.
TEST_CASE("methods of fixed size pass corners of curvature of a cam, whether they are located or not") {
  const std::vector<std::pair<const char*, double>> methods = {
      {"rk4", 1e-4}, {"ab4", 5e-4}, {"dopri5(fixed)", 1e-4}, {"rk4; kinks = locate", 1e-4}};
  for (const double speed : {5.0, 10.0, 20.0})
    for (const auto& [method, error] : methods) {
      const Run r = run(cam(speed, 0.005, method));
      CAPTURE(speed);
      CAPTURE(method);
      CHECK(r.result.status == Status::complete);
      CHECK(r.last("e") == doctest::Approx(0.025 * speed * speed).epsilon(error));
      if (speed * 0.5 > 2.5) CHECK(r.last("phi'") == doctest::Approx(speed).epsilon(error));
    }
}

// By symmetry two equal bars on a rail strike the floor as one bar does.
TEST_CASE("two bars on a rail that strike the floor side by side move as one") {
  const auto bar = [](const std::string& name, const std::string& x) {
    return "body " + name + "(mass = 1, inertia = cuboid_inertia(1, 0.1, 0.1, 1)) at (" + x +
           ", 0, 0.085) rotated rotx(4.6432) moving (0, -0.1, 0.96) spinning (-4.78, 0, 0)\nshape of_" + name + " on " +
           name + ": box(0.1, 0.1, 1)\nContact c_" + name + "(of_" + name + ", soil, restitution = 0.8, mu = 0.2)\n";
  };
  const std::string head = "mbd 1\nuse joints, bodies\ngravity (0, 0, -9.81)\nshape soil on ground: plane(ez)\n";
  const std::string end = "simulate { time = 0 .. 0.01 step 0.001 }\n";
  const Run one = run(head + bar("a", "0") + end);
  const Run two =
      run(head + bar("a", "-0.055") + bar("b", "0.055") + "Prismatic guide(a, b.at(-0.11, 0, 0), axis = ez)\n" + end);
  CHECK(one.result.status == Status::complete);
  REQUIRE(two.result.status == Status::complete);
  for (const char* column : {"a.y", "a.z", "a.vy", "a.vz", "a.omegax"}) {
    CAPTURE(column);
    CHECK(two.last(column) == doctest::Approx(one.last(column)).epsilon(1e-7));
  }
  CHECK(std::fabs(two.last("b.vz") - two.last("a.vz")) < 1e-9);
}

// The references are the motions by coordinates and by rows, which have no step in common.
TEST_CASE("an arm by joints, by joints as coordinates, and written in coordinates moves alike") {
  const std::string head = "mbd 1\nuse joints\ngravity (0, 0, -9.81)\n";
  const std::string end = "output tip = l2.at(0, 0, 0.2).pos\nsimulate { time = 0 .. 1 step 0.1 }\n";
  const std::string joints =
      "body l1(mass = 3, inertia = diag(0.015, 0.015, 0.01)) at (0, 0, 0.2)\n"
      "body l2(mass = 2, inertia = diag(0.03, 0.03, 0.004)) at (0, 0.1, 0.6)\n"
      "Revolute j1(ground.at(0, 0, 0), l1.at(0, 0, -0.2), axis = ez)\n"
      "Revolute j2(l1.at(0, 0.1, 0.2), l2.at(0, 0, -0.2), axis = ey)\ninit { j1.angle = 0.3; j2.angle = 1; "
      "j1.rate = 2; j2.rate = 0 }\n";
  const std::string written =
      "coord q1 = 0.3 rate 2\ncoord q2 = 1\n"
      "body l1(mass = 3, inertia = diag(0.015, 0.015, 0.01)) follows frame(origin = (0, 0, 0.2), rotation = rotz(q1))\n"
      "frame k follows frame(origin = l1.at(0, 0.1, 0.2).pos, rotation = l1.rot*roty(q2))\n"
      "body l2(mass = 2, inertia = diag(0.03, 0.03, 0.004)) follows frame(origin = k.at(0, 0, 0.2).pos, "
      "rotation = k.rot)\n";
  const Run rows = run(head + joints + end), tree = run(head + joints + end, Engine::interpreter, {"bodies=tree"}),
            own = run(head + written + end);
  for (const Run* r : {&rows, &tree, &own}) CHECK(r->result.status == Status::complete);
  for (const char* column : {"tip.x", "tip.y", "tip.z"}) {
    CHECK(rows.last(column) == doctest::Approx(own.last(column)).epsilon(1e-6));
    CHECK(tree.last(column) == doctest::Approx(own.last(column)).epsilon(1e-6));
  }
}

// A joint that `init` does not name keeps no angle when rows carry the bodies: the nearest state on the joints is
// taken.
TEST_CASE("a chain in which one joint angle is given begins on all its joints, and says what was moved") {
  const std::string text =
      "mbd 1\nuse joints\ngravity (0, 0, -9.81)\nbody a(mass = 1, inertia = diag(0.01, 0.01, 0.01)) at (0, 0, 0.2)\n"
      "body b(mass = 1, inertia = diag(0.01, 0.01, 0.01)) at (0, 0, 0.6)\n"
      "Revolute j1(ground, a.at(0, 0, -0.2), axis = ey)\nRevolute j2(a.at(0, 0, 0.2), b.at(0, 0, -0.2), axis = ey)\n"
      "init { j1.angle = 1 }\noutput first = j1.angle, ends = norm(a.at(0, 0, 0.2).pos - b.at(0, 0, -0.2).pos)\n"
      "simulate { time = 0 .. 0.1 step 0.01 }\n";
  for (const char* bodies : {"quaternion", "euler_parameters", "natural", "tree"}) {
    const Run r = run(text, Engine::interpreter, {std::string("bodies=") + bodies});
    CAPTURE(bodies);
    CHECK(r.result.status == Status::complete);
    CHECK(r.at(0, "first") == doctest::Approx(1).epsilon(1e-12));
    for (std::size_t row = 0; row < r.rows(); ++row) CHECK(std::fabs(r.at(row, "ends")) < 1e-12);
    if (std::string(bodies) != "tree") CHECK_FALSE(r.result.assembled.empty());
  }
}

// An output may stand behind the blocks that record it, in every formulation.
TEST_CASE("outputs behind the blocks of a model are those of all its blocks") {
  const std::string text =
      "mbd 1\nparticle p(1) at (0, 0, 0) moving (1, 0, 0)\nconstraint wire: p.y == 0\n"
      "simulate a { time = 0 .. 1 step 0.5 }\nsimulate b { time = 0 .. 1 step 0.5; formulation = kane }\n"
      "output row = wire.residual, x = p.x\n";
  for (const char* block : {"a", "b"}) {
    const Run r = run(text, Engine::interpreter, {}, block);
    CHECK(r.result.status == Status::complete);
    CHECK(r.last("row") == 0);
    CHECK(r.last("x") == doctest::Approx(1).epsilon(1e-12));
  }
}

// Behind the first step the wheel lies still, and the damper acts against the motion of the car alone.
TEST_CASE("by time steps a damper between a car and a wheel on the road moves the car as by events") {
  for (const double c : {40.0, 400.0, 4000.0, 4e4}) {
    const std::string text =
        "mbd 1\nspace 1\ngravity -9.81\nparticle car(300) at 1.02\nparticle wheel(40) at 0.3\n"
        "constraint road: wheel.x >= 0.3\npotential spring: 0.5*4e4*(car.x - wheel.x - 0.7 - 300*9.81/4e4)^2\n"
        "force damper on car from wheel: -" +
        number(c) + "*(car.vx - wheel.vx)\nsimulate steps { time = 0 .. 1 step 0.001; contact = timestep }\n" +
        "simulate events { time = 0 .. 1 step 0.001 }\n";
    CAPTURE(c);
    const Run steps = run(text, Engine::interpreter, {}, "steps"),
              events = run(text, Engine::interpreter, {}, "events");
    REQUIRE(steps.result.status == Status::complete);
    CHECK(steps.result.warnings.empty());
    double apart = 0;
    for (std::size_t k = 0; k < steps.rows(); ++k)
      apart = std::max(apart, std::fabs(steps.at(k, "car.x") - events.at(k, "car.x")));
    CHECK(apart < 2e-5);
  }
}

// The drive and the friction hold the weight together, and any share of the friction within its limit is a motion's.
TEST_CASE("a share of a friction at rest that nothing determines is said to be one, at its limit as below") {
  for (const double limit : {5.0, 9.0, 9.81, 12.0, 40.0}) {
    const Run r =
        run("mbd 1\nspace 1\nparticle s(2) at 0\ngravity -9.81\nconstraint drive: s.x == 0\n"
            "friction rub on s.vx: " +
            number(limit) + "\noutput push = drive.lambda\nsimulate { time = 0 .. 1 step 0.5 }\n");
    CAPTURE(limit);
    CHECK(r.result.status == Status::complete);
    CHECK(r.last("push") == doctest::Approx(19.62 - std::min(limit, 9.81)).epsilon(1e-9));
    CHECK(r.result.reactions_not_unique == std::vector<std::string>{"push"});
  }
}

// Two bars of side 0.1 m on a rail come to rest on their sides: the energy is 2 m g 0.05 m. The landing was an instant
// that did not end.
TEST_CASE("two bars on a rail land on their sides and rest") {
  for (const char* block : {"plain", "small"}) {
    const Run r = run(finding("slow_landing"), Engine::interpreter, {}, block);
    CAPTURE(block);
    CHECK(r.result.status == Status::complete);
    CHECK(r.result.steps < 1000);
    CHECK(r.last("E") == doctest::Approx(2 * 9.81 * 0.05).epsilon(1e-12));
    for (const char* column : {"bar1.vx", "bar1.vz", "bar1.omegaz", "bar2.vy", "bar2.vz", "bar2.omegax"})
      CHECK(r.last(column) == 0);
  }
}
