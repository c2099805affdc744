// SPDX-License-Identifier: Apache-2.0
// Compares reaction-dependent forces with closed forms and with models in which the constraint forces are written by
// hand, under all formulations.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

// The model is a vehicle on two rails that brakes. The brake forces of the axles and their normal forces depend on each
// other.
const std::string kBrake = R"(mbd 1
space 2
gravity (0, -10)
param mu = 0.6, m = 2, b = 0.5, h = 0.4
body car(mass = m, inertia = 0.3) at (0, h) moving (6, 0)
point front on car at (b, -h)
point rear on car at (-b, -h)
constraint axle_f: front.y == 0
constraint axle_r: rear.y == 0
force brake_f on front: (-mu*abs(axle_f.lambda), 0)
force brake_r on rear: (-0.5*mu*abs(axle_r.lambda), 0)
output Nf = axle_f.lambda, Nr = axle_r.lambda, v = car.vx, E = energy.total
simulate { time = 0 .. 0.5 step 0.05 }
)";

// The model is a bar on a pin. The bearing friction is a moment that depends on the force of the pin and changes it.
const std::string kBearing = R"(mbd 1
space 2
gravity (0, -10)
param m = 2, l = 0.6, c = 0.05
body bar(mass = m, inertia = m*l^2/3) at (l*cos(0.3), l*sin(0.3)) rotated rot(0.3)
constraint pin: bar.at(-l, 0).pos == (0, 0)
let way = tanh(bar.omega/0.2)
torque bearing on bar: -c*norm(pin.lambda)*way
output N = norm(pin.lambda), a = bar.alpha, phi = bar.angle, w = bar.omega
simulate { time = 0 .. 2 step 0.01; integrator = auto(tol = 1e-12) }
)";

const char* kFormulations[] = {"augmented", "lagrange", "maggi", "projection", "kane", "udwadia_kalaba"};

}  // namespace

TEST_CASE("a block on an incline is slowed down by its normal force, also by a drag that lifts it") {
  const std::string text = R"(mbd 1
space 2
param mu = 0.3, tilt = 0.35, lift = 0
gravity (-10*sin(tilt), -10*cos(tilt))
particle block(2) at (0, 0) moving (3, 0)
constraint deck: block.y == 0
force drag on block: mu*abs(deck.lambda)*(-1, lift)
output N = deck.lambda
simulate { time = 0 .. 0.4 step 0.01 }
)";
  for (const double lift : {0.0, 0.4, -0.8}) {
    const Run r = run_both(text, {"lift=" + std::to_string(lift)});
    REQUIRE(r.result.status == Status::complete);
    const double N = 2 * 10 * std::cos(0.35) / (1 + 0.3 * lift), a = -10 * std::sin(0.35) - 0.3 * N / 2;
    CHECK(r.last("N") == doctest::Approx(N).epsilon(1e-13));
    CHECK(std::fabs(r.last("block.x") - (3 * 0.4 + 0.5 * a * 0.16)) < 1e-12);
    CHECK(std::fabs(r.last("block.vx") - (3 + 0.4 * a)) < 1e-12);
  }
}

TEST_CASE("two axles that brake: what they press with is shared by how they brake") {
  const Run r = run_both(kBrake);
  REQUIRE(r.result.status == Status::complete);
  // The moments about the centre give b (Nf - Nr) = h (mu Nf + mu/2 Nr) with Nf + Nr = m g.
  const double mu = 0.6, b = 0.5, h = 0.4, weight = 20;
  const double Nf = weight * (b + 0.5 * mu * h) / (2 * b - 0.5 * mu * h), Nr = weight - Nf;
  CHECK(r.last("Nf") == doctest::Approx(Nf).epsilon(1e-12));
  CHECK(r.last("Nr") == doctest::Approx(Nr).epsilon(1e-12));
  CHECK(std::fabs(r.last("v") - (6 - 0.5 * (mu * Nf + 0.5 * mu * Nr) / 2)) < 1e-11);
  CHECK(std::fabs(r.result.balance_error) < 1e-9);
}

TEST_CASE("the friction of a bearing in every row, by hand") {
  const Run r = run_both(kBearing);
  REQUIRE(r.result.status == Status::complete);
  double worst = 0, worst_turn = 0;
  for (std::size_t k = 0; k < r.rows(); ++k) {
    const double m = 2, l = 0.6, phi = r.at(k, "phi"), w = r.at(k, "w"), a = r.at(k, "a"), way = std::tanh(w / 0.2);
    const double across = m * (l * a + 10 * std::cos(phi)), along = m * (-l * w * w + 10 * std::sin(phi));
    const double N = std::hypot(across, along);
    worst = std::max(worst, std::fabs(r.at(k, "N") - N) / N);
    worst_turn = std::max(worst_turn, std::fabs(4 * m * l * l / 3 * a + m * 10 * l * std::cos(phi) + 0.05 * N * way));
  }
  CHECK(worst < 1e-11);
  CHECK(worst_turn < 1e-10);
}

TEST_CASE("a bead on a hoop with friction by its normal force, against the equation of its angle") {
  const std::string hoop = R"(mbd 1
space 2
gravity (0, -10)
param mu = 0.25, R = 0.8
particle bead(0.5) at (R, 0) moving (0, 9)
constraint ring: dist(bead, ground) == R
force rub on bead: -mu*abs(ring.lambda)*bead.vel/norm(bead.vel)
output N = ring.lambda, phi = atan2(bead.y, bead.x)
simulate { time = 0 .. 0.9 step 0.01; integrator = auto(tol = 1e-12) }
)";
  // m R phi'' = -m g cos phi - mu |N|, and the ring pulls with m R phi'^2 - m g sin phi.
  const std::string angle = R"(mbd 1
space 1
param mu = 0.25, R = 0.8
coord phi = 0 rate 9/R
kinetic T: 0.5*0.5*(R*phi')^2
potential V: 0.5*10*R*sin(phi)
let pull = 0.5*(R*phi'^2 - 10*sin(phi))
load rub on phi: -mu*R*abs(pull)*sign(phi')
output N = -pull
simulate { time = 0 .. 0.9 step 0.01; integrator = auto(tol = 1e-13) }
)";
  const Run r = run_both(hoop), by_angle = run(angle);
  REQUIRE(r.result.status == Status::complete);
  REQUIRE(by_angle.rows() == r.rows());
  double worst = 0, force = 0, least = 0, most = 0;
  for (std::size_t k = 0; k < r.rows(); ++k) {
    const double phi = by_angle.at(k, "phi");
    worst =
        std::max(worst, std::hypot(r.at(k, "bead.x") - 0.8 * std::cos(phi), r.at(k, "bead.y") - 0.8 * std::sin(phi)));
    force = std::max(force, std::fabs(r.at(k, "N") - by_angle.at(k, "N")));
    least = std::min(least, r.at(k, "N"));
    most = std::max(most, r.at(k, "N"));
  }
  CHECK(worst < 1e-9);
  CHECK(force < 1e-7);
  CHECK(least < -10);
  MESSAGE("bead on a hoop: off by ", worst, ", N from ", least, " to ", most);
}

TEST_CASE("a driven wheel creeps on its rail by a force that its load decides") {
  // By Hertz the creep stiffness grows with N^(2/3). The rail rises and falls under the wheel.
  const std::string wheel = R"(mbd 1
space 2
gravity (0, -10)
param R = 0.4, C = 60, drive = 3, rise = 0.01
body wheel(mass = 3, inertia = 0.5*3*R^2) at (0, R) moving (2, rise*5) spinning -2/R
constraint rail: wheel.y == R + rise*sin(5*t)
let creep = (wheel.vx + R*wheel.omega)/abs(wheel.vx), N = rail.lambda
force grip on wheel: (-C*max(N, 0)^(2/3)*creep, 0)
torque from_rail on wheel: -R*C*max(N, 0)^(2/3)*creep
torque motor on wheel: -drive
output push = N, creeps = creep
simulate { time = 0 .. 1 step 0.01; integrator = auto(tol = 1e-12) }
)";
  const std::string by_hand = R"(mbd 1
space 1
param R = 0.4, C = 60, drive = 3, rise = 0.01
coord x = 0 rate 2
coord turn = 0 rate -2/R
kinetic T: 0.5*3*x'^2 + 0.5*0.5*3*R^2*turn'^2
let N = 3*(10 - rise*25*sin(5*t)), creep = (x' + R*turn')/abs(x')
load grip on x: -C*N^(2/3)*creep
load from_rail on turn: -R*C*N^(2/3)*creep - drive
output push = N, creeps = creep
simulate { time = 0 .. 1 step 0.01; integrator = auto(tol = 1e-12) }
)";
  const Run r = run_both(wheel), other = run(by_hand);
  REQUIRE(r.result.status == Status::complete);
  CHECK(std::fabs(r.last("wheel.x") - other.last("x")) < 1e-9);
  CHECK(std::fabs(r.last("wheel.omega") - other.last("turn'")) < 1e-9);
  CHECK(std::fabs(r.last("push") - other.last("push")) < 1e-9);
}

TEST_CASE("all formulations find the same loads, and stabilisations and integrators bear them") {
  for (const std::string& text : {kBrake, kBearing}) {
    const Run r = run(text);
    const std::string at = text == kBrake ? "car.x" : "bar.angle", force = text == kBrake ? "Nf" : "N";
    for (const std::string other : kFormulations) {
      CAPTURE(other);
      const Run o = run_both(replaced(text, "simulate {", "simulate { formulation = " + other + ";"));
      REQUIRE(o.rows() == r.rows());
      CHECK(std::fabs(o.last(at) - r.last(at)) < 1e-9);
      CHECK(std::fabs(o.last(force) - r.last(force)) < 1e-9 * std::fabs(r.last(force)));
    }
  }
  const Run bdf = run(replaced(kBearing, "auto(tol = 1e-12)", "bdf(rtol = 1e-10, atol = 1e-12)")), r = run(kBearing);
  REQUIRE(bdf.rows() == r.rows());
  CHECK(std::fabs(bdf.last("phi") - r.last("phi")) < 1e-7);
}

TEST_CASE("a load beside an inequality: a block that falls, and is dragged from then on") {
  const std::string text = R"(mbd 1
space 2
gravity (0, -10)
param mu = 0.3, lift = 0.2
particle block(2) at (0, 0.2) moving (3, 0)
constraint deck: block.y >= 0
force drag on block: mu*deck.lambda*(-1, lift)
output N = deck.lambda, held = if deck.active then 1 else 0
simulate { time = 0 .. 0.6 step 0.01 }
)";
  const Run r = run_both(text);
  REQUIRE(r.result.status == Status::complete);
  const double N = 20 / (1 + 0.3 * 0.2), since = 0.6 - std::sqrt(0.04);
  CHECK(r.last("N") == doctest::Approx(N).epsilon(1e-12));
  CHECK(std::fabs(r.last("block.vx") - (3 - 0.3 * N / 2 * since)) < 1e-10);
  // With this lift the block would leave the deck, return, and leave it again.
  CHECK(run(text, Engine::interpreter, {"lift=-4"}).code() == "E0698");
}

TEST_CASE("a friction and a load that change each other's forces") {
  // The model is a rod on its end with friction at the tip. The same force drags a brush at its other end.
  const std::string text = R"(mbd 1
space 2
gravity (0, -10)
param mu = 0.5, l = 0.5, a0 = 0.8, c = 0
body rod(mass = 2, inertia = 2*l^2/3) at (0, l*sin(a0)) rotated rot(a0) moving (1, 0)
point tip on rod at (-l, 0)
constraint deck: tip.y >= 0
friction rub on tip.vx: mu*deck.lambda
force brush on rod: (0, -c*deck.lambda)
output N = deck.lambda, F = rub.lambda
simulate { time = 0 .. 0.01 step 0.001 }
)";
  const auto normal = [](double mu, double a, double c) {
    return 2 * 10 / (1 - c + 3 * std::cos(a) * (std::cos(a) + mu * std::sin(a)));
  };
  for (const double c : {0.0, 0.3, -1.0}) {
    const Run r = run_both(text, {"c=" + std::to_string(c)});
    REQUIRE(r.result.status == Status::complete);
    CHECK(r.at(0, "N") == doctest::Approx(normal(0.5, 0.8, c)).epsilon(1e-12));
    CHECK(r.at(0, "F") == doctest::Approx(-0.5 * normal(0.5, 0.8, c)).epsilon(1e-12));
  }
}

TEST_CASE("loops with no solution, with two, and with forces that are not unique, end the run") {
  const std::string rod = R"(mbd 1
space 2
gravity (0, -10)
param mu = 0.5, l = 0.5, a0 = 1
body rod(mass = 2, inertia = 2*l^2/3) at (0, l*sin(a0)) rotated rot(a0)
point tip on rod at (-l, 0)
constraint deck: tip.y == 0
force drag on tip: (mu*abs(deck.lambda), 0)
output N = deck.lambda
simulate { time = 0 .. 0.01 step 0.001 }
)";
  const Run good = run_both(rod);
  const double s = 3 * std::cos(1.0) * std::sin(1.0), d = 1 + 3 * std::cos(1.0) * std::cos(1.0);
  CHECK(good.at(0, "N") == doctest::Approx(20 / (d - 0.5 * s)).epsilon(1e-12));
  for (const double mu : {1.2 * d / s, -1.2 * d / s}) {  // One value has no solution, and the other has two.
    const Run bad = run_both(rod, {"mu=" + std::to_string(mu)});
    CHECK(bad.code() == "E0698");
    REQUIRE(bad.result.diagnostic);
    CHECK(bad.result.diagnostic->notes.front().find("deck") != std::string::npos);
  }
  const std::string twice = R"(mbd 1
space 2
gravity (0, -10)
particle p(1) at (1, 0)
constraint ring: dist(p, ground) == 1
constraint again: 2*dist(p, ground) == 2
force rub on p: -0.1*LOAD*p.vel
simulate { time = 0 .. 1 step 0.1 }
)";
  CHECK(run_both(replaced(replaced(twice, "LOAD", "abs(ring.lambda)"), "step 0.1", "step 0.1; reactions = unique"))
            .code() == "E0699");
  // Only their sum is unique.
  CHECK(run_both(replaced(twice, "LOAD", "abs(ring.lambda + 2*again.lambda)")).code().empty());
}

TEST_CASE("tests know loads that hold multipliers") {
  const std::string tested = replaced(kBrake, "simulate {", "simulate demo {") +
                             "test \"brakes\" over demo { check Nf + Nr == 20 within 1e-9 }\n";
  Simulation program = compile_text(tested, Engine::interpreter);
  CHECK(run(program).code().empty());
}
