// SPDX-License-Identifier: Apache-2.0
// Tests rigid bodies: free ones (Euler parameters with body angular velocity as speeds), planar ones, and bodies that
// follow a frame. They are compared with published and independent reference values, with each other, and with their
// invariants.
#include <cmath>

#include "doctest/doctest.h"
#include "mbc/mbc.h"
#include "tests/physics/run.h"

using mbc::test::Run;
using mbc::test::run_both;

namespace {

bool near(double value, double wanted, double tolerance) { return std::fabs(value - wanted) <= tolerance; }

std::string triple(const char* span) {
  return std::string(R"(mbd 1
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
simulate { time = )") +
         span + "; integrator = rk4 }\n";
}

constexpr const char* kRotary = R"(mbd 1
param Lr = .2159, Lp = .3365, mr = .257, mp = .127, B = 0
let Jp = mp*Lp^2/12
coord th = 0 rate 0.5
coord al = .1
gravity (0, 0, -9.81)
body arm(mass = mr, inertia = diag(1e-5, mr*Lr^2/12, mr*Lr^2/12)) follows frame(origin = (Lr/2*cos(th), Lr/2*sin(th), 0), rotation = rotz(th))
body pend(mass = mp, inertia = diag(Jp, Jp, 2e-5)) follows frame(origin = rotz(th)*((Lr, 0, 0) + rotx(al)*(0, 0, Lp/2)), rotation = rotz(th)*rotx(al))
load br on th: -B*th'
load bp on al: -B*al'
simulate { time = 0 .. 1 step 0.0002; integrator = rk4 }
)";

}  // namespace

// The result is the tip of the spatial triple pendulum of the RPCF-EP/NACF paper. The reference uses three formulations
// in 80-bit arithmetic.
TEST_CASE("spatial triple pendulum of free bodies and spherical joints") {
  {
    const Run r = run_both(triple("0 .. 0.5 step 0.0005"));
    CHECK(near(r.last("tip.pos.x"), 8.026341705175743, 1e-11));
    CHECK(near(r.last("tip.pos.y"), 4.004789501054786, 1e-11));
    CHECK(near(r.last("tip.pos.z"), -1.253717579357208, 1e-11));
    CHECK(r.result.rank == 9);
  }
  const Run r = run_both(triple("0 .. 2 step 0.0005"));
  CHECK(near(r.last("tip.pos.x"), -5.151936363921507, 1e-9));
  CHECK(near(r.last("tip.pos.y"), -1.205329624714145, 1e-9));
  CHECK(near(r.last("tip.pos.z"), -8.237451144073527, 1e-9));
  for (const mbc::ConstraintReport& c : r.result.constraints) CHECK(*c.position < 1e-13);
}

// The model is Furuta's pendulum in reduced coordinates, damped and undamped. The reference is an independent minimal
// formulation.
TEST_CASE("rotary pendulum of bodies that follow frames") {
  Run r = run_both(std::string(kRotary));
  CHECK(r.result.balance_error < 1e-11);
  std::string damped = kRotary;
  damped.replace(damped.find("B = 0"), 5, "B = .0024");
  r = run_both(damped);
  CHECK(near(r.last("th"), -0.06821507448802, 1e-9));
  CHECK(near(r.last("al"), 4.78289312136969, 1e-9));
  CHECK(near(r.last("th'"), 0.23358685019559, 1e-8));
  CHECK(near(r.last("al'"), -5.30571903344616, 1e-8));
}

TEST_CASE("a torque-free body keeps energy and angular momentum, and its rotation matrix stays one") {
  const Run r = run_both(R"(mbd 1
body b(mass = 2, inertia = diag(1, 2, 3)) at (1, 2, 3) moving (1, -0.5, 0.2) rotated rotx(0.3)*roty(0.2) spinning (0.01, 3, 0.02)
output E = energy.total, L = momentum.angular
output o = dot(b.rot*ex, b.rot*ey), n = norm(b.rot*ez), q = dot(b.quat, b.quat)
simulate { time = 0 .. 10 step 0.002; integrator = rk4 }
)");
  for (const char* name : {"E", "L.x", "L.y", "L.z"}) {
    CAPTURE(name);
    CHECK(r.last(name) == doctest::Approx(r.at(0, name)).epsilon(1e-10));
  }
  CHECK(near(r.last("o"), 0, 1e-14));
  CHECK(near(r.last("n"), 1, 1e-14));
  CHECK(near(r.last("q"), 1, 1e-14));
  CHECK(std::fabs(r.last("b.omegax")) > 0.05);  // The intermediate axis is unstable, so the body turns over.
}

TEST_CASE("every initial rotation gives the matrix it was made from, half turns included") {
  for (const char* rotation : {"rotz(0)", "rotx(pi)", "roty(pi)", "rotz(pi)", "rot((1, 2, 3), 3.1)",
                               "rotx(2)*roty(-1)*rotz(3)", "rot((1, 1, 0), pi)"}) {
    CAPTURE(rotation);
    const Run r = run_both(std::string("mbd 1\nlet R = ") + rotation + R"(
body b(mass = 1, inertia = diag(1, 1, 1)) at (0, 0, 0) rotated R
output x = norm(b.rot*ex - R*ex), y = norm(b.rot*ey - R*ey), z = norm(b.rot*ez - R*ez)
simulate { time = 0 .. 0.1 step 0.1; integrator = rk4 }
)");
    for (const char* name : {"x", "y", "z"}) CHECK(near(r.at(0, name), 0, 1e-14));
  }
}

TEST_CASE("a pendulum: planar body, spatial body on a hinge, and a coordinate give the same motion") {
  const Run planar = run_both(R"(mbd 1
space 2
gravity (0, -9.81)
body link(mass = 2, inertia = 0.3) at (0.5, 0) spinning 0.4 moving (0, 0.2)
point pin on link at (-0.5, 0)
constraint hinge: pin.pos == (0, 0)
simulate { time = 0 .. 1.5 step 0.0005; integrator = rk4 }
)");
  const Run spatial = run_both(R"(mbd 1
gravity (0, -9.81, 0)
body link(mass = 2, inertia = diag(0.1, 0.25, 0.3)) at (0.5, 0, 0) spinning (0, 0, 0.4) moving (0, 0.2, 0)
point pin on link at (-0.5, 0, 0)
constraint hinge: pin.pos == (0, 0, 0)
constraint axis1: dot(link.rot*ex, ez) == 0
constraint axis2: dot(link.rot*ey, ez) == 0
simulate { time = 0 .. 1.5 step 0.0005; integrator = rk4 }
)");
  const Run angle = run_both(R"(mbd 1
coord phi = 0 rate 0.4
gravity (0, -9.81, 0)
body link(mass = 2, inertia = diag(0.1, 0.25, 0.3)) follows frame(origin = rotz(phi)*(0.5, 0, 0), rotation = rotz(phi))
simulate { time = 0 .. 1.5 step 0.0005; integrator = rk4 }
)");
  for (const char* name : {"link.x", "link.y", "link.vx", "link.vy", "link.ax", "link.ay"}) {
    CAPTURE(name);
    CHECK(near(planar.last(name), angle.last(name), 1e-9));
    CHECK(near(spatial.last(name), angle.last(name), 1e-9));
  }
  CHECK(near(planar.last("link.omega"), angle.last("phi'"), 1e-9));
  CHECK(near(spatial.last("link.omegaz"), angle.last("phi'"), 1e-9));
  CHECK(std::fabs(angle.last("link.x")) > 0.01);
}

TEST_CASE("torques act in space axes, with their reaction, and their work is booked") {
  const Run r = run_both(R"(mbd 1
body a(mass = 1, inertia = diag(1, 2, 2.5)) at (0, 0, 0) rotated rotx(0.7) spinning (0.1, 0.2, 0.3)
body b(mass = 2, inertia = diag(0.5, 0.6, 0.7)) at (1, 0, 0) rotated roty(-0.4)
torque m on a from b: (0.3, -0.2, 0.5*cos(t))
force f on a from b: -2*(a.pos - b.pos)
output L = momentum.angular, P = momentum.linear
simulate { time = 0 .. 2 step 0.001; integrator = rk4 }
)");
  for (const char* name : {"L.x", "L.y", "L.z", "P.x", "P.y", "P.z"}) {
    CAPTURE(name);
    CHECK(near(r.last(name), r.at(0, name), 1e-10));
  }
  CHECK(r.result.balance_error < 1e-10);
  CHECK(std::fabs(r.result.work_of_loads) > 0.01);
}

TEST_CASE("a body carried on a path prescribed in time: the work of the support closes the balance") {
  const Run r = run_both(R"(mbd 1
coord phi = 0.3
gravity (0, 0, -9.81)
body b(mass = 1.5, inertia = diag(0.2, 0.3, 0.25)) follows frame(origin = (0.5*sin(2*t), 0, 0) + rotz(3*t)*roty(phi)*(0, 0, -0.4), rotation = rotz(3*t)*roty(phi))
torque m on b: (0.1, 0.2, 0.3)
simulate { time = 0 .. 2 step 0.0005; integrator = rk4 }
)");
  CHECK(r.result.balance_error < 1e-9);
  CHECK(std::fabs(r.result.work_of_constraints) > 0.1);
}

TEST_CASE("what no body can be is refused") {
  const auto code = [](const std::string& body) {
    const mbc::Model program = mbc::Model::from_string("mbd 1\n" + body + "\n", "bad.mbd", {});
    return program.ok() ? std::string("ok") : program.diagnostics().at(0).code;
  };
  CHECK(code("body b(mass = 1, inertia = diag(1, 1, 2)) at (0, 0, 0)") == "ok");  // This body is a disc.
  CHECK(code("body b(mass = 1, inertia = diag(1, 1, 2.1)) at (0, 0, 0)") == "E0436");
  CHECK(code("body b(mass = 1, inertia = diag(1, -1, 1)) at (0, 0, 0)") == "E0436");
  CHECK(code("body b(mass = 1, inertia = ((1, 0.1, 0), (0.2, 1, 0), (0, 0, 1))) at (0, 0, 0)") == "E0436");
  CHECK(code("body b(mass = 0, inertia = diag(1, 1, 1)) at (0, 0, 0)") == "E0406");
  CHECK(code("body b(inertia = diag(1, 1, 1)) at (0, 0, 0)") == "E0435");
  CHECK(code("body b(mass = 1, inertia = 3) at (0, 0, 0)") == "E0305");
  CHECK(code("body b(mass = 1, inertia = diag(1, 1, 1)) at (0, 0, 0) rotated ((1, 0, 0), (0, 1, 0), (0, 0, -1))") ==
        "E0437");
  CHECK(code("body b(mass = 1, inertia = diag(1, 1, 1)) at (0, 0, 0) rotated diag(1, 1, 1.001)") == "E0437");
  CHECK(code("body b(mass = 1, inertia = diag(1, 1, 1)) follows (0, 0, 0)") == "E0438");
  CHECK(code("body b(mass = 1, inertia = diag(1, 1, 1)) at (0, 0, 0)\npoint p on b") == "E0439");
  CHECK(code("particle q(1) at (0, 0, 0)\npoint p on q at (0, 0, 0)") == "E0305");
}
