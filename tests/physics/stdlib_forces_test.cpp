// SPDX-License-Identifier: Apache-2.0
// Compares the forces of the standard library with their formulas by the accelerations that they cause. Internal forces
// keep momentum and angular momentum, and springs keep energy.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "tests/physics/stdlib_support.h"

using namespace mbc;
using namespace mbc::test;

namespace {

// The columns zero... must vanish at all times. e is the direction from a to b, d is their distance, and v its rate.
std::string particles(const std::string& text) {
  return R"(mbd 1
use forces, math
particle a(2) at (0.1, -0.2, 0.3) moving (0.3, 0.1, -0.2)
particle b(3) at (0.9, 0.4, 0.8) moving (-0.5, 0.2, 0.6)
let e = unit(b.pos - a.pos), d = dist(a, b), v = (dist(a, b))'
output E = energy.total, P = momentum.linear, H = momentum.angular
simulate { time = 0 .. 0.5 step 0.001; integrator = rk4 }
)" + text;
}

Run checked(const std::string& text, double balance = 1e-9) {
  INFO(text);
  const Run r = run_both(text);
  CHECK_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  for (const std::string& column : columns_with(r, "zero")) {
    INFO(column);
    CHECK(largest(r, column) < 1e-11);
  }
  CHECK(r.result.balance_error < balance);
  return r;
}

void keeps_momentum(const Run& r) {
  for (const char* column : {"P.x", "P.y", "P.z", "H.x", "H.y", "H.z"}) CHECK(spread(r, column) < 1e-11);
}

const char* kBodies = R"(mbd 1
use forces, math
let Ra = rot((1, -2, 0.5), 0.8), Rb = Ra*rot((1, 0.2, -0.3), 0.3)
body a(mass = 2, inertia = diag(0.3, 0.4, 0.5)) at (0.3, -0.2, 0.5) rotated Ra moving (0.2, -0.1, 0.3) spinning (0.5, -0.9, 0.7)
body b(mass = 3, inertia = diag(0.6, 0.3, 0.4)) at (0.5, 0.1, 0.4) rotated Rb moving (-0.1, 0.3, 0.2) spinning (-0.6, 0.4, 1.1)
frame fa on a at (0.1, 0.2, -0.1)
frame fb on b at (-0.1, 0.2, 0.1)
output E = energy.total, P = momentum.linear, H = momentum.angular
simulate { time = 0 .. 0.5 step 0.001; integrator = rk4 }
)";

}  // namespace

TEST_CASE("springs between points") {
  Run r =
      checked(particles("Spring s(a, b, stiffness = 40, length = 0.6)\n"
                        "output zero = norm(3*b.acc + 40*(d - 0.6)*e), zero2 = s.tension - 40*(d - 0.6)\n"));
  keeps_momentum(r);
  CHECK(spread(r, "E") < 1e-10);
  r = checked(particles("PullSpring s(a, b, stiffness = 40)\noutput zero = norm(3*b.acc + 40*(b.pos - a.pos))\n"));
  keeps_momentum(r);
  CHECK(spread(r, "E") < 1e-9);
  r =
      checked(particles("Rope s(a, b, stiffness = 40, length = 1.2)\n"
                        "output zero = norm(3*b.acc + 40*max(d - 1.2, 0)*e), slack = d < 1.2\n"));
  keeps_momentum(r);
  CHECK(spread(r, "slack") == 0);
  r = checked(
      particles("Rope s(a, b, stiffness = 40, length = 1.0)\noutput zero = norm(3*b.acc + 40*max(d - 1, 0)*e)\n"),
      1e-7);
  CHECK(spread(r, "E") < 1e-7);
}

TEST_CASE("a zero-length spring may pass through rest") {
  const Run r = run_both(R"(mbd 1
use forces
particle p(2) at (1, 0, 0)
PullSpring s(ground, p, stiffness = 2*pi^2)
simulate { time = 0 .. 2.25 step 0.0005; integrator = rk4 }
)");
  CHECK(r.result.status == Status::complete);
  CHECK(std::fabs(r.at(2000, "p.x") + 1) < 1e-9);  // The period is 2 pi sqrt(m/k) = 2.
  CHECK(std::fabs(r.last("p.x") - std::sqrt(0.5)) < 1e-9);
}

TEST_CASE("dampers between points") {
  Run r = checked(particles("Damper s(a, b, damping = 5)\noutput zero = norm(3*b.acc + 5*v*e)\n"));
  keeps_momentum(r);
  CHECK(r.last("E") < r.at(0, "E"));
  r =
      checked(particles("SpringDamper s(a, b, stiffness = 40, damping = 5, length = 0.6)\n"
                        "output zero = norm(3*b.acc + (40*(d - 0.6) + 5*v)*e), zero2 = s.tension + 3*dot(b.acc, e)\n"));
  keeps_momentum(r);
  r = checked(particles("Damper s(a, b, damping = 5*abs(v))\noutput zero = norm(3*b.acc + 5*abs(v)*v*e)\n"));
  keeps_momentum(r);
}

TEST_CASE("drag, attraction") {
  checked(particles("LinearDrag s(b, drag = 0.7)\noutput zero = norm(3*b.acc + 0.7*b.vel), zero2 = norm(a.acc)\n"));
  checked(
      particles("QuadraticDrag s(b, drag = 0.7, wind = (1, 0, t))\n"
                "let w = b.vel - (1, 0, t)\noutput zero = norm(3*b.acc + 0.7*norm(w)*w)\n"));
  Run r = checked(particles("Gravitation s(a, b, strength = 0.2)\noutput zero = norm(3*b.acc + 0.2*6/d^2*e)\n"));
  keeps_momentum(r);
  CHECK(spread(r, "E") < 1e-10);
  checked(particles("Gravitation s(a, b)\noutput zero = norm(3*b.acc + 6.67430e-11*6/d^2*e)*1e9\n"));
  checked(particles("Attraction s(ground, b, strength = 2)\noutput zero = norm(b.acc + 2*b.pos/norm(b.pos)^3)\n"));
}

TEST_CASE("friction") {
  Run r =
      checked(particles("CoulombFriction s(b, direction = (1, 2, 0), friction = 2, slip = 0.05)\n"
                        "let u = (1, 2, 0)/sqrt(5)\noutput zero = norm(3*b.acc + 2*tanh(dot(b.vel, u)/0.05)*u)\n"));
  CHECK(r.last("E") < r.at(0, "E"));
  r = checked(std::string(kBodies) + "SlidingFriction s(fb, friction = 2, slip = 0.05, a = fa, normal = (1, 1, 2))\n");
  keeps_momentum(r);
  CHECK(r.last("E") < r.at(0, "E"));
  r = checked(std::string(kBodies) + "TorsionalFriction s(fa, fb, friction = 0.2, slip = 0.05, axis = (1, 1, 2))\n");
  keeps_momentum(r);
  CHECK(r.last("E") < r.at(0, "E"));
  // A block on a floor stops after v^2/(2 mu g), up to the rounding of the corner by `slip`.
  r = run_both(R"(mbd 1
use forces, joints
param mu = 0.3, g = 9.81
gravity (0, 0, -g)
body block(mass = 2, inertia = diag(1, 1, 1)) at (0, 0, 0) moving (2, 0, 0)
Planar desk(ground, block)
SlidingFriction s(block, friction = mu*2*g, slip = 1e-3)
simulate { time = 0 .. 1 step 0.0005; integrator = rk4 }
)");
  CHECK(r.last("block.x") == doctest::Approx(4 / (2 * 0.3 * 9.81)).epsilon(1e-3));
  CHECK(std::fabs(r.last("block.vx")) < 1e-6);
}

TEST_CASE("springs and dampers about an axis") {
  const std::string hinge =
      "use joints\nbody w(mass = 1, inertia = diag(0.2, 0.3, 0.4)) at (0, 0, 0) spinning (0, 0, 2)\n"
      "Revolute h(ground, w)\nsimulate { time = 0 .. 1 step 0.001; integrator = rk4 }\noutput E = energy.total\n";
  Run r = checked("mbd 1\nuse forces\n" + hinge +
                  "TorsionalSpring s(ground, w, stiffness = 5, angle = 0.2)\n"
                  "output zero = 0.4*w.alpha.z + 5*(h.angle - 0.2), zero2 = s.torque - 0.4*w.alpha.z\n");
  CHECK(spread(r, "E") < 1e-9);
  checked("mbd 1\nuse forces\n" + hinge +
          "TorsionalDamper s(ground, w, damping = 0.3)\noutput zero = 0.4*w.alpha.z + 0.3*h.rate\n");
  checked("mbd 1\nuse forces\n" + hinge +
          "TorsionalFriction s(ground, w, friction = 0.3, slip = 0.1)\noutput zero = 0.4*w.alpha.z + "
          "0.3*tanh(h.rate/0.1)\n");
  const std::string both = std::string(kBodies);
  r = checked(both + "TorsionalSpring s(fa, fb, stiffness = 5, axis = (1, 2, 3))\n");
  keeps_momentum(r);
  CHECK(spread(r, "E") < 1e-9);
  r = checked(both + "TorsionalDamper s(fa, fb, damping = 0.4, axis = (1, 2, 3))\n");
  keeps_momentum(r);
  CHECK(r.last("E") < r.at(0, "E"));
  const std::string plane =
      "mbd 1\nspace 2\nuse forces, planar_joints\nbody w(mass = 1, inertia = 0.4) at (0, 0) spinning 2\n"
      "Pin h(ground, w)\nsimulate { time = 0 .. 1 step 0.001; integrator = rk4 }\noutput E = energy.total\n";
  r = checked(plane +
              "PlanarTorsionalSpring s(ground, w, stiffness = 5, angle = 0.2)\noutput zero = 0.4*w.alpha + 5*(h.angle "
              "- 0.2)\n");
  CHECK(spread(r, "E") < 1e-9);
  checked(plane + "PlanarTorsionalDamper s(ground, w, damping = 0.3)\noutput zero = 0.4*w.alpha + 0.3*w.omega\n");
}

// The torque once jumped by a turn where the angle passed half a turn, and the motion silently changed.
TEST_CASE("springs about an axis wind up") {
  const std::string plane = R"(mbd 1
space 2
use planar_joints, forces
body b(mass = 1, inertia = 0.2) at (0, 0) spinning 10
Pin r(ground, b)
PlanarTorsionalSpring s(ground, b, stiffness = 1)
output w = b.omega, E = energy.total, off = w - 10*cos(sqrt(5)*t)
simulate { time = 0 .. 10 step 0.01; integrator = auto }
)";
  const std::string space = R"(mbd 1
use joints, forces
body b(mass = 1, inertia = diag(0.1, 0.1, 0.2)) at (0, 0, 0) spinning (0, 0, 10)
Revolute r(ground, b)
TorsionalSpring s(ground, b, stiffness = 1)
output w = b.omega.z, E = energy.total, off = w - 10*cos(sqrt(5)*t)
simulate { time = 0 .. 10 step 0.01; integrator = auto }
)";
  for (const bool in_space : {false, true})
    for (const char* formulation : {"udwadia_kalaba", "augmented", "lagrange", "maggi", "kane"})
      for (const char* integrator :
           {"rk4", "auto", "dopri5(rtol = 1e-9, atol = 1e-9)", "bdf(rtol = 1e-9, atol = 1e-9)", "taylor", "ab4"})
        for (const char* bodies : {"quaternion", "natural"}) {
          const std::string f = formulation, i = integrator, b = bodies;
          if (i == "taylor" && f != "udwadia_kalaba" && f != "lagrange") continue;
          if (i.starts_with("bdf") && f == "kane") continue;
          if (b == "natural" && (!in_space || f != "udwadia_kalaba" || i == "ab4")) continue;
          const std::string& text = in_space ? space : plane;
          std::vector<std::string> set = {"formulation=" + f, "integrator=" + i};
          if (in_space) set.push_back("bodies=" + b);
          const Run r = f == "udwadia_kalaba" ? run_both(text, set) : run(text, Engine::interpreter, set);
          INFO(f << " " << i << " " << b << "\n" << r.result.rendered);
          REQUIRE(r.result.status == Status::complete);
          CHECK(largest(r, "off") < (i == "ab4" ? 2e-3 : 2e-4));
          CHECK(spread(r, "E") < (i == "ab4" ? 1e-2 : 1e-3));
        }
  // The angle starts at that of the body, also after an assembly. Half a turn is +pi for any rounding.
  const auto torque = [&](const std::string& angle, const std::string& more) {
    const Run r = run(replaced(plane, "(0, 0) spinning 10", "(0, 0) rotated rot(" + angle + ")") + more);
    REQUIRE(r.result.status == Status::complete);
    CHECK(spread(r, "E") < 1e-6);
    return r.at(0, "s.torque");
  };
  CHECK(torque("2", "") == doctest::Approx(-2).epsilon(1e-12));
  CHECK(torque("-3", "") == doctest::Approx(3).epsilon(1e-12));
  CHECK(torque("7", "") == doctest::Approx(2 * std::numbers::pi - 7).epsilon(1e-12));
  CHECK(torque("pi", "") == doctest::Approx(-std::numbers::pi).epsilon(1e-12));
  CHECK(torque("-pi", "") == doctest::Approx(-std::numbers::pi).epsilon(1e-12));
  CHECK(torque("0.5", "init { s.wound = 4*pi }\n") == doctest::Approx(-0.5 - 4 * std::numbers::pi).epsilon(1e-12));
  const Run assembled = run(R"(mbd 1
use joints, forces
body b(mass = 1, inertia = diag(0.1, 0.1, 0.2)) at (0, 0, 0.3) rotated rotz(1)
Fixed f(ground.at((0, 0, 0), rotz(2.5)), b)
TorsionalSpring s(ground, b, stiffness = 1)
simulate { time = 0 .. 1 step 0.1; assemble }
)");
  CHECK(assembled.at(0, "s.torque") == doctest::Approx(-2.5).epsilon(1e-12));
  CHECK(assembled.last("s.torque") == doctest::Approx(-2.5).epsilon(1e-12));
  // Without winding up there is no state, as methods for conservative models require.
  const std::string slow =
      replaced(replaced(plane, "spinning 10", "spinning 1"), "stiffness = 1)", "stiffness = 1, winds = 0)");
  const Run gauss = run(replaced(slow, "10*cos", "cos"), Engine::interpreter, {"integrator=gauss6"});
  REQUIRE(gauss.result.status == Status::complete);
  CHECK(largest(gauss, "off") < 1e-9);
}

TEST_CASE("bushing") {
  Run r = checked(std::string(kBodies) + "Bushing s(fa, fb, stiffness = (30, 40, 50), torsion = (3, 4, 5))\n");
  keeps_momentum(r);
  CHECK(spread(r, "E") < 1e-9);
  r = checked(
      std::string(kBodies) +
      "Bushing s(fa, fb, stiffness = (30, 40, 50), torsion = (3, 4, 5), damping = (1, 2, 3), twist_damping = (0.1, "
      "0.2, 0.3))\n");
  keeps_momentum(r);
  CHECK(r.last("E") < r.at(0, "E"));
  // Against the ground and for small motions there are three oscillators along and three about the axes.
  r = run_both(R"(mbd 1
use forces
body b(mass = 2, inertia = diag(0.3, 0.4, 0.5)) at (1, 2, 3)*1e-5 rotated rotx(1e-5) moving (0, 0, 0) spinning (0, 2e-5, 1e-5)
Bushing s(ground, b, stiffness = (30, 40, 50), torsion = (3, 4, 5), damping = (1, 0, 0), twist_damping = (0, 0, 0.1))
simulate { time = 0 .. 1 step 0.001; integrator = rk4 }
)");
  const double k = 0.25, w = std::sqrt(15 - k * k);  // x'' + x'/2 + 15 x = 0
  CHECK(r.last("b.x") * 1e5 == doctest::Approx(std::exp(-k) * (std::cos(w) + k / w * std::sin(w))).epsilon(1e-6));
  CHECK(r.last("b.y") * 1e5 == doctest::Approx(2 * std::cos(std::sqrt(20.0))).epsilon(1e-6));
  CHECK(r.last("b.z") * 1e5 == doctest::Approx(3 * std::cos(5.0)).epsilon(1e-6));
  CHECK(r.last("b.p1") * 2e5 == doctest::Approx(std::cos(std::sqrt(10.0))).epsilon(1e-4));
  CHECK(r.last("b.p2") * 2e5 == doctest::Approx(2 / std::sqrt(10.0) * std::sin(std::sqrt(10.0))).epsilon(1e-3));
  const double kz = 0.1, wz = std::sqrt(10 - kz * kz);
  CHECK(r.last("b.p3") * 2e5 == doctest::Approx(std::exp(-kz) / wz * std::sin(wz)).epsilon(1e-3));
}

TEST_CASE("a floor carries and bounces") {
  Run r = run_both(R"(mbd 1
use forces
gravity (0, 0, -10)
particle p(2) at (0.3, 0, 0.05)
Floor s(p, stiffness = 1e5, damping = 0.2)
LinearDrag d(p, drag = 20)
output E = energy.total
simulate { time = 0 .. 5 step 0.0005; integrator = rk4 }
)");
  CHECK(r.last("p.z") == doctest::Approx(-2 * 10 / 1e5).epsilon(1e-6));
  CHECK(r.last("s.pressure") == doctest::Approx(20).epsilon(1e-6));
  r = run_both(R"(mbd 1
use forces
gravity (0, 0, -10)
particle p(2) at (0.3, 0, 0.05)
Floor s(p, stiffness = 1e5)
output E = energy.total + (if p.z < 0 then 0.5e5*p.z^2 else 0)
simulate { time = 0 .. 1 step 0.0001; integrator = rk4 }
)");
  CHECK(spread(r, "E") < 1e-4);
}

TEST_CASE("control: a hinge driven to an angle") {
  const std::string text = R"(mbd 1
use joints, control
body w(mass = 1, inertia = diag(0.2, 0.3, 0.5)) at (0, 0, 0)
Revolute h(ground, w)
simulate { time = 0 .. 2 step 0.001; integrator = rk4 }
)";
  const double w = std::sqrt(20 - 1.0);  // 0.5 a'' + a' + 10 (a - 1) = 0
  const double wanted = 1 - std::exp(-2.0) * (std::cos(2 * w) + std::sin(2 * w) / w);
  Run r = run_both(text + "ServoHinge c(ground, w, setpoint = 1, kp = 10, kd = 1)\n");
  CHECK(r.last("h.angle") == doctest::Approx(wanted).epsilon(1e-9));
  r = run_both(text + "PD c(setpoint = 1, measured = h.angle, kp = 10, kd = 1)\ntorque motor on w: (0, 0, c.u)\n");
  CHECK(r.last("h.angle") == doctest::Approx(wanted).epsilon(1e-9));
  // The hinge follows the setpoint.
  r = run_both(text + "ServoHinge c(ground, w, setpoint = 0.5*sin(t), kp = 1e4, kd = 200)\n");
  CHECK(r.last("h.angle") == doctest::Approx(0.5 * std::sin(2.0)).epsilon(1e-3));
}

TEST_CASE("control: states of first order") {
  const std::string mass = R"(mbd 1
use control
particle p(1) at (0, 0, 0)
simulate { time = 0 .. 1 step 0.001; integrator = rk4 }
)";
  // For (s + 1) (s + 2) (s + 3) the deviation is -2.5 exp(-t) + 8 exp(-2 t) - 4.5 exp(-3 t).
  const auto deviation = [](double t) { return -2.5 * std::exp(-t) + 8 * std::exp(-2 * t) - 4.5 * std::exp(-3 * t); };
  Run r = run_both(mass + "PID c(setpoint = 1, measured = p.x, kp = 11, ki = 6, kd = 6)\nforce f on p: (c.u, 0, 0)\n");
  CHECK(r.last("p.x") == doctest::Approx(1 - deviation(1)).epsilon(1e-10));
  r = run_both(replaced(mass, "1 step", "12 step") +
               "PID c(setpoint = 1, measured = p.x, kp = 11, ki = 6, kd = 6)\nforce f on p: (c.u - 3, 0, 0)\n");
  CHECK(r.last("p.x") == doctest::Approx(1).epsilon(1e-4));
  CHECK(r.last("c.integral") == doctest::Approx(3).epsilon(1e-3));
  const std::string limited =
      "LimitedPID c(setpoint = 1, measured = p.x, kp = 11, ki = 6, kd = 6, limit = 2)\nforce f on p: (c.u, 0, 0)\n";
  r = run_both(replaced(mass, "1 step", "12 step") + limited);
  CHECK(r.at(100, "p.x") == doctest::Approx(0.5 * 2 * 0.01).epsilon(1e-10));  // The force is at its limit.
  CHECK(r.at(100, "c.integral") == 0);
  CHECK(largest(r, "c.u") == 2);
  CHECK(r.last("p.x") == doctest::Approx(1).epsilon(1e-3));
  r = run_both(mass +
               "Lag l(signal = 2, time_constant = 0.3)\nIntegrator i(signal = 3*cos(t))\nforce f on p: (l.y, 0, 0)\n");
  CHECK(r.last("l.y") == doctest::Approx(2 * (1 - std::exp(-1 / 0.3))).epsilon(1e-10));
  CHECK(r.last("i.y") == doctest::Approx(3 * std::sin(1.0)).epsilon(1e-10));
  r = run_both(R"(mbd 1
use control
particle p(1 [kg]) at (0, 0, 0)
PID c(setpoint = 1 [m], measured = p.x, kp = 11 [N/m], ki = 6 [N/(m*s)], kd = 6 [N*s/m])
Lag l(c.u, time_constant = 1 [ms])
Integrator i(c.u*p.vx)
force f on p: (c.u, 0, 0)
output won = p.energy
simulate { time = 0 [s] .. 1 [s] step 1 [ms]; integrator = rk4 }
)");
  CHECK(r.last("p.x") == doctest::Approx(1 - deviation(1)).epsilon(1e-10));
  CHECK(r.last("i.y") == doctest::Approx(r.last("won")).epsilon(1e-9));
}

TEST_CASE("the library fits every unit, and models without units") {
  const std::string with = R"(mbd 1
use joints, forces, bodies, constants
param m = 2 [kg], L = 0.5 [m]
gravity (0, 0, -g0)
body link(mass = m, inertia = cylinder_inertia(m, 2 [cm], L, axis = ex)) at (L/2, 0, 0) rotated rotx(0)
Revolute hinge(ground, link.at(-L/2, 0, 0), axis = ey)
TorsionalSpring ts(ground, link, stiffness = 5 [N*m], axis = ey, angle = 10 [deg])
TorsionalDamper td(ground, link, damping = 0.02 [N*m*s], axis = ey)
SpringDamper sd(ground.at(L, 0, L), link.at(L/2, 0, 0), stiffness = 30 [N/m], damping = 0.2 [N*s/m], length = 0.3 [m])
particle ball(0.2 [kg]) at (1, 0, 0) [m] moving (0.1, 0, 0) [m/s]
Gravitation pull(link, ball)
QuadraticDrag air(ball, drag = 0.01 [kg/m])
output w = hinge.rate
simulate { time = 0 [s] .. 0.5 [s] step 1 [ms]; integrator = rk4 }
)";
  std::string without;  // The text is the same with the numbers in SI units and without brackets.
  for (std::size_t i = 0; i < with.size(); ++i) {
    if (with.compare(i, 7, "2 [cm],") == 0) {
      without += "2*0.01,";
      i += 6;
    } else if (with.compare(i, 8, "10 [deg]") == 0) {
      without += "10*(pi/180)";
      i += 7;
    } else if (with.compare(i, 6, "1 [ms]") == 0) {
      without += "1*0.001";
      i += 5;
    } else if (with[i] == '[') {
      i = with.find(']', i);
    } else {
      without += with[i];
    }
  }
  REQUIRE(without.find('[') == std::string::npos);
  const Run a = run_both(with), b = run_both(without);
  REQUIRE_MESSAGE(a.result.status == Status::complete, a.result.rendered);
  REQUIRE(a.names == b.names);
  for (const std::string& name : a.names) {
    INFO(name);
    CHECK(a.last(name) == doctest::Approx(b.last(name)).epsilon(1e-9));
  }
}

TEST_CASE("control: a PID at its limit moves alike by every method") {
  const std::string text = R"(mbd 1
use control
coord x = 0
kinetic T: 0.5*x'^2
LimitedPID pid(setpoint = 1, measured = x, kp = 2, ki = 3, kd = 0.1, limit = 1.2)
load L on x: pid.u - 0.2*x'
simulate { time = 0 .. 20 step 0.1; integrator = )";
  const Run reference = run(text + "taylor(tol=1e-12) }");
  REQUIRE(reference.result.status == Status::complete);
  for (const char* method : {"auto", "auto(tol=1e-10)", "bdf", "dopri5(rtol=1e-10)"}) {
    CAPTURE(method);
    const Run r = run(text + method + " }");
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    CHECK(r.last("x") == doctest::Approx(reference.last("x")).epsilon(1e-5));
    CHECK(largest(r, "pid.u") == 1.2);
  }
}
