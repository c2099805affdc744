// SPDX-License-Identifier: Apache-2.0
// Tests initial values that sweeps vary and `--set` sets.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "tests/api/small_sweep.h"
#include "tests/physics/run.h"

namespace mbc::test {
namespace {

SweepResult swept(const std::string& model, const std::string& block, unsigned jobs = 1) {
  SweepOptions o = of("");
  o.jobs = jobs;
  return look(o, model + "sweep s over demo { " + block + " }\n");
}

const char* kThrow = R"(mbd 1
param m = 2 [kg], x0 = 0.1 [m]
gravity (0, 0, -9.81) [m/s^2]
particle p(m) at (x0, 0, 0)
coord phi = 30 [deg] rate 1 [rad/s]
particle b(m) follows (cos(phi), 0, sin(phi))*1 [m]
state w = 1 where w' = -2*w*1 [1/s]
output E = energy.total, h = p.z, turn = phi, left = w
simulate demo { time = 0 [s] .. 0.5 [s] step 10 [ms]; integrator = rk4 }
)";

}  // namespace

TEST_CASE("members with other initial values are runs of models with these values in `init`") {
  const SweepResult r = swept(kThrow,
                              "p.x = (0.2, 0.3) [m]; p.vz = 1 [m/s] .. 3 [m/s] count 2; phi' = (0, 2) [rad/s]; "
                              "w = (1, 3); record final(E), final(h), final(turn), final(left), initial(p.x)",
                              2);
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  REQUIRE(r.rows.size() == 16);
  for (const SweepMember& m : r.rows) {
    const std::string init = "init { p.x = " + number(m.varied[0]) + " [m]; p.vz = " + number(m.varied[1]) +
                             " [m/s]; phi' = " + number(m.varied[2]) + " [rad/s]; w = " + number(m.varied[3]) + " }\n";
    const Run single = run(kThrow + init, Engine::interpreter);
    CHECK(m.recorded[0] == single.last("E"));
    CHECK(m.recorded[1] == single.last("h"));
    CHECK(m.recorded[2] == single.last("turn"));
    CHECK(m.recorded[3] == single.last("left"));
    CHECK(m.recorded[4] == m.varied[0]);
    CHECK(m.recorded[1] == doctest::Approx(0.5 * m.varied[1] - 0.5 * 9.81 * 0.25).epsilon(1e-12));
    const std::vector<std::string> set{"p.x = " + number(m.varied[0]), "p.vz = " + number(m.varied[1]),
                                       "phi' = " + number(m.varied[2]), "w = " + number(m.varied[3])};
    CHECK(run(kThrow, Engine::interpreter, set).last("E") == m.recorded[0]);
  }
}

TEST_CASE("a column of a quantity that is varied is its last value by name") {
  const std::string particle =
      "mbd 1\nparam k = 3\nparticle p(1) at (1, 0, 0)\nforce s on p: -k*p.pos\n"
      "simulate demo { time = 0 .. 1 step 0.1; integrator = rk4 }\n";
  const auto names = [&](const std::string& block) {
    const SweepResult r = swept(particle, block);
    REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
    std::vector<std::string> out;
    for (const Quantity& q : r.sweep.records) out.push_back(q.name);
    return out;
  };
  CHECK(names("p.x = (1, 2)").front() == "final(p.x)");
  CHECK(names("p.x = (1, 2); record p.x, p.y") == std::vector<std::string>{"final(p.x)", "p.y"});
  CHECK(names("k = (1, 2); record p.x, k") == std::vector<std::string>{"p.x", "final(k)"});
}

TEST_CASE("a block that is not run changes no run of its file") {
  const std::string soft = R"(mbd 1
param a = 1 [m], b = 2.5 [m], c = 2 [m], d = 3 [m]
coord phi = 30 [deg] rate 2 [rad/s], psi = 0 [deg], chi = 0 [deg]
particle P(1 [kg]) follows (a*cos(phi), a*sin(phi), 0 [m])
particle Q(1 [kg]) follows P.pos + (b*cos(psi), b*sin(psi), 0 [m])
particle R(1 [kg]) follows (d + c*cos(chi), c*sin(chi), 0 [m])
constraint loop_x: Q.x == R.x
constraint loop_y: Q.y == R.y
init { psi ~ 20 [deg]; chi ~ 80 [deg] }
output psi_now = psi
simulate demo { time = 0 [s] .. 0.1 [s] step 1 [ms]; integrator = rk4 }
)";
  const std::string block =
      "sweep s over demo { phi = (20, 40) in [deg]; record initial(psi), initial(chi), initial(phi) }\n";
  CHECK(run(soft + block, Engine::interpreter).last("psi_now") == run(soft, Engine::interpreter).last("psi_now"));
  const std::string of_soft = "sweep s over demo { psi = (20, 40) in [deg]; record initial(psi) }\n";
  CHECK(run(soft + of_soft, Engine::interpreter).last("psi_now") == run(soft, Engine::interpreter).last("psi_now"));

  // A varied crank is as given, and the soft angles follow it.
  const SweepResult r = look(of(""), soft + block);
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  REQUIRE(r.failed == 0);
  for (const SweepMember& m : r.rows) {
    CHECK(m.recorded[2] == m.varied[0] * (std::numbers::pi / 180));
    const double phi = m.recorded[2], psi = m.recorded[0], chi = m.recorded[1];
    CHECK(std::cos(phi) + 2.5 * std::cos(psi) == doctest::Approx(3 + 2 * std::cos(chi)).epsilon(1e-9));
    CHECK(std::sin(phi) + 2.5 * std::sin(psi) == doctest::Approx(2 * std::sin(chi)).epsilon(1e-9));
  }
  // A soft value that is varied is hard: with the crank also given, these members cannot be put together.
  const SweepResult hard = look(of(""), soft + of_soft);
  CHECK(hard.failed == 2);
  CHECK(hard.rows[0].status == Status::inconsistent);
}

TEST_CASE("angles and rates of joints that `init` gives are varied, with bodies of all representations") {
  const std::string arm = R"(mbd 1
use joints
param L = 0.4 [m]
gravity (0, 0, -9.81) [m/s^2]
body upper(mass = 1 [kg], inertia = diag(0.013, 0.013, 0.001) [kg*m^2]) at (0 [m], 0 [m], L/2)
body fore(mass = 1 [kg], inertia = diag(0.013, 0.013, 0.001) [kg*m^2]) at (0 [m], 0 [m], 3*L/2)
Revolute shoulder(ground, upper.at(0 [m], 0 [m], -L/2), axis = ey)
Revolute elbow(upper.at(0 [m], 0 [m], L/2), fore.at(0 [m], 0 [m], -L/2), axis = ey)
output angle = elbow.angle
)";
  const std::string block =
      "sweep s over demo { elbow.angle = (10, 70) in [deg]; elbow.rate = (1, 2) [rad/s]; record initial(elbow.angle), "
      "initial(elbow.rate), final(angle) }\n";
  for (const std::string bodies : {"quaternion", "tree", "euler_parameters", "natural"}) {
    CAPTURE(bodies);
    const auto with = [&](const std::string& angle, const std::string& rate) {
      return arm + "init { shoulder.angle = 30 [deg]; elbow.angle = " + angle + " [deg]; elbow.rate = " + rate +
             " [rad/s] }\nsimulate demo { time = 0 [s] .. 0.05 [s] step 1 [ms]; integrator = rk4; bodies = " + bodies +
             " }\n";
    };
    const SweepResult r = look(of(""), with("50", "0") + block);
    REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
    REQUIRE(r.rows.size() == 4);
    for (const SweepMember& m : r.rows) {
      REQUIRE_MESSAGE(m.reason.empty(), m.reason);
      CHECK(m.recorded[0] == doctest::Approx(m.varied[0] * (std::numbers::pi / 180)).epsilon(1e-9));
      CHECK(m.recorded[1] == doctest::Approx(m.varied[1]).epsilon(1e-9));
      const double single = run(with(number(m.varied[0]), number(m.varied[1])), Engine::interpreter).last("angle");
      CHECK(m.recorded[2] == doctest::Approx(single).epsilon(1e-9));
    }
  }
}

TEST_CASE("what a body in space spins with is varied") {
  const std::string top = R"(mbd 1
body top(mass = 1 [kg], inertia = diag(1, 2, 3) [kg*m^2]) at (0, 0, 0)
output spin = top.omega.z
)";
  for (const std::string bodies : {"quaternion", "euler_parameters", "natural"}) {
    CAPTURE(bodies);
    const SweepResult r =
        look(of(""), top + "simulate demo { time = 0 [s] .. 1 [s] step 10 [ms]; bodies = " + bodies +
                         " }\nsweep s over demo { top.omega.z = (1, 2) [rad/s]; top.x = 3 [m] .. 4 [m] "
                         "count 2; record initial(spin), final(top.x) }\n");
    REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
    for (const SweepMember& m : r.rows) {
      CHECK(m.recorded[0] == doctest::Approx(m.varied[0]).epsilon(1e-12));
      CHECK(m.recorded[1] == doctest::Approx(m.varied[1]).epsilon(1e-12));
    }
  }
}

TEST_CASE("initial values are drawn, and rows tell of those that do not fit") {
  const std::string pendulum = R"(mbd 1
gravity (0, 0, -9.81) [m/s^2]
particle bob(1 [kg]) at (0.6, 0, -0.8) [m]
constraint rod: dist(ground, bob) == 1 [m]
simulate demo { time = 0 [s] .. 0.1 [s] step 1 [ms] }
)";
  const SweepResult drawn = swept(kThrow, "p.x ~ normal(1, 0.1) [m]; members = 5; record initial(p.x)", 2);
  REQUIRE_MESSAGE(drawn.status == Status::complete, drawn.rendered);
  for (const SweepMember& m : drawn.rows) CHECK(m.recorded[0] == m.varied[0]);
  const SweepResult off = swept(pendulum, "bob.x = (0.6, 0.7) [m]; record initial(bob.x)");
  REQUIRE(off.rows.size() == 2);
  CHECK(off.rows[0].reason.empty());
  CHECK(off.rows[1].status == Status::inconsistent);
  CHECK(off.rows[1].reason.find("rod") != std::string::npos);
}

}  // namespace mbc::test
