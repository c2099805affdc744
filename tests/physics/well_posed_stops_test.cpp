// SPDX-License-Identifier: Apache-2.0
// Tests motions that are well-posed and once stopped: where the size of something was zero or below 1e-8 in SI units,
// where a mass matrix is singular at the start only, where both modes of an edge are right, and where a run is long
// against its steps. It also tests what is written and told where a run stops rightly.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

Run complete(const std::string& text, const std::vector<std::string>& set = {}) {
  Run r = run(text, Engine::interpreter, set);
  CAPTURE(text);
  CAPTURE(r.result.rendered);
  REQUIRE(r.result.status == Status::complete);
  return r;
}

std::string formatted(const char* text, double value) { return replaced(text, "$", number(value)); }

}  // namespace

TEST_CASE("a load that jumps acts on what was at rest before, whatever its size, although its kink is not located") {
  // x = a (t - 1)^2/2 and the integral of v, from exact zeros on. Nothing has a size before the jump.
  for (const double a : {1e-12, 1.0, 1e9})
    for (const char* integrator : {"auto", "dop853(rtol = 1e-9, atol = 1e-30)", "dopri5(rtol = 1e-9, atol = 1e-30)"}) {
      CAPTURE(a);
      CAPTURE(integrator);
      const Run r = complete(formatted(R"(mbd 1
coord x = 0
state i = 0 where i' = x'
kinetic T: x'^2/2
load f on x: if t > 1 then $ else 0
simulate { time = 0 .. 3 step 0.1; kinks = ignore }
)",
                                       a),
                             {"integrator=" + std::string(integrator)});
      CHECK(r.last("x") == doctest::Approx(2 * a).epsilon(1e-7));
      CHECK(r.last("x'") == doctest::Approx(2 * a).epsilon(1e-7));
      CHECK(r.last("i") == doctest::Approx(2 * a).epsilon(1e-7));
    }
  // It has moved before, but far less than it will.
  const Run slow = complete(R"(mbd 1
coord x = 0 rate 1e-15
kinetic T: x'^2/2
load f on x: if t > 1 then 1 else 0
simulate { time = 0 .. 3 step 0.1; kinks = ignore }
)");
  CHECK(slow.last("x") == doctest::Approx(2).epsilon(1e-7));
  // A step force at the very start.
  for (const char* kinks : {"locate", "ignore"}) {
    const Run at_start = complete(std::string(R"(mbd 1
space 1
particle p(1) at 0
force f on p: if t > 0 then 1 else 0
simulate { time = 0 .. 3 step 0.1; kinks = )") +
                                  kinks + " }\n");
    CHECK(at_start.last("p.vx") == doctest::Approx(3).epsilon(1e-9));
  }
}

TEST_CASE("a pole is no jump: it stops the run, and the message has the rate that grows and its term") {
  for (const char* force : {"1/(2 - t)", "(2 - t)^(-2)", "tan(t*pi/4)", "3/(2 - t)^3"}) {
    CAPTURE(force);
    const Run r = run("mbd 1\nspace 1\nparticle p(1) at 0\nforce push on p: " + std::string(force) +
                      "\nsimulate { time = 0 .. 3 step 0.01 }\n");
    CHECK(r.result.status == Status::stopped);
    CHECK(r.code() == "E0610");
    REQUIRE(r.result.diagnostic);
    CHECK(r.result.diagnostic->message.find("`p.vx`") == 0);
    CHECK(r.result.rendered.find("this grows without bound here") != std::string::npos);
    CHECK(r.time.back() < 2 + 1e-9);
  }
}

TEST_CASE("a mass matrix that is singular at the start by its values only") {
  // Euler parameters as coordinates: at (1, 0, 0, 0) the first one has no inertia, and then hardly any.
  const std::string text = R"(mbd 1
coord e0 = 1
coord e1 = 0 rate 0.4
coord e2 = 0 rate 0.1
coord e3 = 0 rate 0.6
let w = 2*(-e1*e0' + e0*e1' + e3*e2' - e2*e3', -e2*e0' - e3*e1' + e0*e2' + e1*e3', -e3*e0' + e2*e1' - e1*e2' + e0*e3')
kinetic turning: 0.5*(3*w.x^2 + 2*w.y^2 + 4*w.z^2)
constraint length: e0^2 + e1^2 + e2^2 + e3^2 == 1
output w
simulate { time = 0 .. 5 step 0.5 }
)";
  const Run body = complete(R"(mbd 1
body b(mass = 1, inertia = diag(3, 2, 4)) at (0, 0, 0) spinning (0.8, 0.2, 1.2)
output w = b.omega
simulate { time = 0 .. 5 step 0.5 }
)");
  for (const char* integrator : {"auto", "bdf(rtol = 1e-9, atol = 1e-11)"}) {
    const Run r = complete(text, {"integrator=" + std::string(integrator)});
    for (const char* axis : {"w.x", "w.y", "w.z"})
      CHECK(r.last(axis) == doctest::Approx(body.last(axis)).epsilon(1e-6));
  }
  // The inertia of z, 4 z^2, is zero at the start, where the row gives z its acceleration. The momentum is constant, so
  // that x + z^2 = t.
  const Run tied = complete(R"(mbd 1
coord x = 0 rate 1
coord z = 0 rate 1
kinetic K: (x' + 2*z*z')^2/2
constraint c: z == x + x^2
simulate { time = 0 .. 1 step 0.1 }
)");
  for (std::size_t k = 0; k < tied.rows(); ++k) {
    const double x = tied.at(k, "x"), z = tied.at(k, "z");
    CHECK(x + z * z == doctest::Approx(tied.time[k]).epsilon(1e-8));
    CHECK(z == doctest::Approx(x + x * x).epsilon(1e-10));
  }
}

TEST_CASE("an orbit is as accurate in any unit of length") {
  for (const double size : {1e-60, 1e-15, 1e-12, 1.0, 1e9}) {
    CAPTURE(size);
    const Run r = complete(formatted(R"(mbd 1
space 2
param L = $
particle p(1) at (0.1*L, 0) moving (0, L*sqrt(1.9/0.1))
force f on p: -L^3*p.pos/norm(p.pos)^3
output x = p.x/L, y = p.y/L
simulate { time = 0 .. 20*pi count 40 }
)",
                                     size));
    CHECK(r.last("x") == doctest::Approx(0.1).epsilon(1e-5));
    CHECK(std::fabs(r.last("y")) < 1e-5);
  }
  // The same of coordinates whose kind is not known, and of states.
  for (const double size : {1e-30, 1e-12, 1e9}) {
    CAPTURE(size);
    const Run r = complete(formatted(R"(mbd 1
coord a = $
state b = 0 where b' = a'
kinetic K: a'^2/2
potential V: a^2/2
simulate { time = 0 .. 20 step 1 }
)",
                                     size));
    CHECK(r.last("a") / size == doctest::Approx(std::cos(20)).epsilon(1e-7));
    CHECK(r.last("b") / size == doctest::Approx(std::cos(20) - 1).epsilon(1e-7));
  }
}

TEST_CASE("what rests where loads cancel is not resolved below their rounding") {
  const Run r = complete(R"(mbd 1
coord x = 0
coord y = 0
kinetic K: x'^2/2 + y'^2/2
load a on x: 0.1*(3 + x) - 0.3
load b on y: -100*(0.7 + y) + 70 - 3*y'
simulate { time = 0 .. 5 step 0.5 }
)");
  CHECK(std::fabs(r.last("x")) < 1e-14);
  CHECK(std::fabs(r.last("y")) < 1e-14);
  CHECK(r.result.evaluations < 20000);
}

TEST_CASE("an edge whose number is zero but for the errors of steps needs no mode") {
  // y' grows from nothing as t^3, beside angles that turn with 80 rad/s.
  const Run drag = complete(R"(mbd 1
use contact
coord a = 0 rate 80 [rad/s], z = 0, y = 0
kinetic E: (0.1 [kg*m^2])*a'^2
kinetic C: (0.7 [kg*m^2])*z'^2
kinetic B: (54 [kg*m^2])*y'^2
dissipation dd: (40 [N*m*s])*(y' - z')^2
load road on y: -(0.01 [N*m*s^2])*y'*abs(y')
friction c on z' - a': t*(600 [N*m/s])
simulate { time = 0 [s] .. 3 [s] step 20 [ms] }
)");
  // Behind the slip the momentum of all three is what the drag leaves: next to all of it.
  const double momentum = 0.2 * drag.last("a'") + 1.4 * drag.last("z'") + 108 * drag.last("y'");
  CHECK(momentum == doctest::Approx(16).epsilon(1e-3));
  CHECK(drag.last("a'") == doctest::Approx(drag.last("z'")).epsilon(1e-6));
  struct Edge {
    const char* text;
    double times;  // y'^2 for y' > 0
  };
  for (const Edge& edge :
       {Edge{"y'*max(y', -y')", 1}, Edge{"abs(y')*y'*2", 2}, Edge{"y'*y' - 2*min(y', 0*y')*y'", 1}}) {
    const std::string drag_of = edge.text;
    CAPTURE(drag_of);
    const Run r = complete(replaced(R"(mbd 1
coord a = 0 rate 80 [rad/s], z = 0, y = 0
kinetic E: (0.1 [kg*m^2])*a'^2
kinetic C: (0.7 [kg*m^2])*z'^2
kinetic B: (54 [kg*m^2])*y'^2
dissipation dd: (40 [N*m*s])*(y' - z')^2
load motor on z: t*(600 [N*m/s])
load road on y: -(0.01 [N*m*s^2])*($)
simulate { time = 0 [s] .. 3 [s] step 20 [ms] }
)",
                                    "$", drag_of));
    // The impulse of the motor is 300 t^2. The speeds follow it as v (t/3)^2, v = 2700/109.4, but for a shift that the
    // damper makes, and the impulse of the drag is 0.01 v^2 3/5.
    const double v = 2700 / 109.4, lost = 2700 - 1.4 * r.last("z'") - 108 * r.last("y'");
    CHECK(lost == doctest::Approx(edge.times * 0.01 * v * v * 3 / 5).epsilon(0.05));
  }
}

TEST_CASE("short steps of a long run are no reason to stop") {
  const Run r = complete(R"(mbd 1
param w = 6283, T = 2e4, d = 2000
coord x = 0
kinetic K: x'^2/2
potential V: w^2*x^2/2
dissipation R: d*x'^2/2
load motor on x: if t < 1.1 then w^2*sin(w*t) else 0
output xx = x
simulate { time = 0 .. T count 10; integrator = bdf(rtol = 1e-6, atol = 1e-8) }
)");
  CHECK(std::fabs(r.last("x")) < 1e-6);
}

TEST_CASE("no row is written behind the time at which constraints begin to contradict each other") {
  for (const char* later : {"max(0, t - 1.5)^3", "(if t > 1.5 then (t - 1.5)^4 else 0)", "max(0, t - 1.5)^2*t"})
    for (const char* integrator : {"auto", "dop853(rtol = 1e-9, atol = 1e-12)", "dopri5", "rk4"})
      for (const char* kinks : {"locate", "ignore"}) {
        const std::string text = std::string(R"(mbd 1
space 1
particle p(1) at 0
constraint a: p.x == 0
constraint b: p.x == )") + later +
                                 "\nsimulate { time = 0 .. 3 step 0.05; kinks = " + kinks + " }\n";
        CAPTURE(text);
        CAPTURE(integrator);
        const Run r = run(text, Engine::interpreter, {"integrator=" + std::string(integrator)});
        CAPTURE(r.result.rendered);
        CHECK(r.result.status == Status::stopped);
        CHECK(r.code() == "E0602");
        CHECK(r.time.back() <= 1.5 + 1e-9);
        for (std::size_t k = 0; k < r.rows(); ++k) CHECK(std::fabs(r.at(k, "p.x")) < 1e-9);
      }
}

// Torricelli's law and others with a root: the state is zero from a finite time on, and the formula by the side at hand
// is undefined behind it. h' = -k h^(1/2) gives h = (1 - k t/2)^2, and h' = -k h^(2/3) gives (1 - k t/3)^3.
TEST_CASE("what comes to rest in finite time under a root stays there") {
  struct Emptied {
    const char* rate;
    int power;
  };
  for (const Emptied& m : {Emptied{"-k*sqrt(max(h, 0))", 2}, Emptied{"if h > 0 then -k*sqrt(h) else 0", 2},
                           Emptied{"-k*max(h, 0)^(2/3)", 3}, Emptied{"-(if h > 0 then k*h^(2/3) else 0)", 3}})
    for (const double k : {0.5, 3.0})
      for (const char* integrator : {"auto", "auto(tol = 1e-10)", "dop853", "dopri5"}) {
        const std::string text = "mbd 1\nparam k = " + number(k) + "\nstate h = 1 where h' = " + m.rate +
                                 "\nsimulate { time = 0 .. " + number(10 / k) + " step " + number(0.25 / k) + " }\n";
        CAPTURE(text);
        CAPTURE(integrator);
        const Run r = run(text, Engine::interpreter, {"integrator=" + std::string(integrator)});
        REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
        for (std::size_t row = 0; row < r.rows(); ++row) {
          const double left = std::max(0.0, 1 - k * r.time[row] / m.power);
          CHECK(std::fabs(r.at(row, "h") - std::pow(left, m.power)) <= 1e-5);
        }
        CHECK(std::fabs(r.last("h")) <= 1e-8);
        CHECK(r.result.steps < 1000);
      }
}
