// SPDX-License-Identifier: Apache-2.0
// Tests models in generalised coordinates: prescribed bodies, kinetic terms, loads, potentials and dissipation. They
// are compared with published accelerations, with the same mechanism in Cartesian coordinates, and with their own
// energy balance.
#include <cmath>

#include "doctest/doctest.h"
#include "mbc/mbc.h"
#include "tests/physics/run.h"

using mbc::test::Run;
using mbc::test::run_both;

namespace {

std::string cart(const char* span) {
  return std::string(R"(mbd 1
param l = 1, g = 9.81
coord th1 = 1 rate 0.5
coord th2 = 0.4 rate -0.5*cos(0.6)
coord x = 0 rate 0.3
gravity (0, 0, -g)
particle cart(10) follows (x, 0, 0)
particle ab(2) follows (x + l/2*sin(th1), 0, -l/2*cos(th1))
particle motor(0.5) follows (x + l*sin(th1), 0, -l*cos(th1))
particle bc(1) follows (x + l*sin(th1) + l/2*sin(th2), 0, -l*cos(th1) - l/2*cos(th2))
particle wheel(0.3) follows (x + l*sin(th1) + l*sin(th2), 0, -l*cos(th1) - l*cos(th2))
kinetic bars: 0.5*(2*l^2/12)*th1'^2 + 0.5*(1*l^2/12)*th2'^2
constraint roll: l*cos(th1 - th2)*th1' + l*th2' == 0
output E = energy.total, G = momentum.linear.x, reaction = roll.lambda
simulate { time = )") +
         span + "; integrator = rk4 }\n";
}

}  // namespace

// An independent Lagrange formulation in 80-bit arithmetic gives the reference values with 12 digits and more.
TEST_CASE("cart with a two-link pendulum and a wheel: accelerations, multiplier and motion") {
  {
    const Run r = run_both(cart("0 .. 1 step 0.0005"));
    const auto near = [](double value, double wanted, double tolerance) {
      return std::fabs(value - wanted) <= tolerance;
    };
    CHECK(near(r.at(0, "th1''"), -11.908391086291, 2e-12));
    CHECK(near(r.at(0, "th2''"), 10.0860847838836, 2e-12));
    CHECK(near(r.at(0, "x''"), 0.813458712650571, 2e-13));
    CHECK(near(r.at(0, "reaction"), 2.06774100075114, 2e-12));
    CHECK(near(r.at(0, "E"), -21.086781364078, 1e-12));
    CHECK(near(r.at(0, "G"), 4.592349451473519, 1e-14));
    CHECK(near(r.last("th1"), -0.816093398878827, 1e-11));
    CHECK(near(r.last("th2"), 1.153639359446648, 1e-11));
    CHECK(near(r.last("x"), 0.620894023057143, 1e-11));
    CHECK(near(r.last("th1'"), 0.380888335382541, 1e-10));
    CHECK(near(r.last("x'"), 0.276360355172189, 1e-11));
    CHECK(r.result.balance_error < 1e-10);
  }
}

TEST_CASE("a pendulum is the same in an angle and in Cartesian coordinates") {
  const Run angle = run_both(R"(mbd 1
coord phi = 0.7 rate 0.4
gravity (0, 0, -9.81)
particle p(2) follows (1.5*sin(phi), 0, -1.5*cos(phi))
simulate { time = 0 .. 2 step 0.0005; integrator = rk4 }
)");
  const Run cartesian = run_both(R"(mbd 1
gravity (0, 0, -9.81)
particle p(2) at (1.5*sin(0.7), 0, -1.5*cos(0.7)) moving (1.5*0.4*cos(0.7), 0, 1.5*0.4*sin(0.7))
constraint rod: dist(ground, p) == 1.5
simulate { time = 0 .. 2 step 0.0005; integrator = rk4 }
)");
  for (const char* name : {"p.x", "p.z", "p.vx", "p.vz", "p.ax", "p.az"}) {
    CAPTURE(name);
    CHECK(angle.last(name) == doctest::Approx(cartesian.last(name)).epsilon(1e-9));
  }
  CHECK(std::fabs(angle.last("p.vx")) > 0.1);
}

TEST_CASE("a damped oscillator by potential and dissipation follows the closed form, and the balance closes") {
  const Run r = run_both(R"(mbd 1
param k = 7, c = 0.8
coord x = 0.3
kinetic T: 0.5*2*x'^2
potential V: 0.5*k*x^2
dissipation R: 0.5*c*x'^2
output E = energy.total
simulate { time = 0 .. 3 step 0.001; integrator = rk4 }
)");
  const double delta = 0.8 / 4, omega = std::sqrt(7.0 / 2 - delta * delta);
  const double closed = 0.3 * std::exp(-delta * 3) * (std::cos(3 * omega) + delta / omega * std::sin(3 * omega));
  CHECK(r.last("x") == doctest::Approx(closed).epsilon(1e-11));
  CHECK(r.result.work_of_loads < -0.1);
  CHECK(r.result.energy_end - r.result.energy_begin == doctest::Approx(r.result.work_of_loads).epsilon(1e-10));
}

TEST_CASE("a kinetic term and the particle it describes give the same motion") {
  const std::string by_particle = R"(mbd 1
coord r = 1 rate 0.2
coord phi = 0 rate 1
particle p(3) follows (r*cos(phi), r*sin(phi), 0.1*r^2)
load spring on r: -4*(r - 1)
simulate { time = 0 .. 2 step 0.001; integrator = rk4 }
)";
  const std::string by_hand = R"(mbd 1
coord r = 1 rate 0.2
coord phi = 0 rate 1
kinetic T: 0.5*3*(r'^2 + r^2*phi'^2 + (0.2*r*r')^2)
load spring on r: -4*(r - 1)
simulate { time = 0 .. 2 step 0.001; integrator = rk4 }
)";
  const Run a = run_both(by_particle), b = run_both(by_hand);
  for (const char* name : {"r", "phi", "r'", "phi'", "r''", "phi''"}) {
    CAPTURE(name);
    CHECK(a.last(name) == doctest::Approx(b.last(name)).epsilon(1e-11));
  }
  CHECK(a.result.balance_error < 1e-10);
  CHECK(b.result.balance_error < 1e-10);
}

TEST_CASE("what moves a support from outside does work, and the balance still closes") {
  const Run r = run_both(R"(mbd 1
coord phi = 0.2
gravity (0, 0, -9.81)
particle p(1) follows (0.3*sin(4*t) + sin(phi), 0, -cos(phi))
force wind on p: (0.2, 0, 0.1*t)
potential V: 0.5*(2 + sin(t))*phi^2
simulate { time = 0 .. 2 step 0.0005; integrator = rk4 }
)");
  CHECK(r.result.balance_error < 1e-9);
  CHECK(std::fabs(r.result.energy_end - r.result.energy_begin) > 0.1);
}

TEST_CASE("a coordinate without inertia is named") {
  mbc::Simulation program = mbc::Simulation::create(mbc::Model::from_string(R"(mbd 1
coord x = 0
coord y = 0
particle p(1) follows (x, 0, 0)
simulate { time = 0 .. 1 step 0.1; integrator = rk4 }
)",
                                                                            "inertia.mbd", {}))
                                .value();
  REQUIRE(program.model().ok());
  const mbc::RunResult result = program.run({}, nullptr);
  CHECK(result.status == mbc::Status::stopped);
  REQUIRE(result.diagnostic);
  CHECK(result.diagnostic->code == "E0608");
  CHECK(result.diagnostic->message == "`y` has no positive inertia, and no constraint determines it");
  CHECK(result.diagnostic->place.line == 3);
}
