// SPDX-License-Identifier: Apache-2.0
// Compares friction statements with closed forms: sticking and slipping with exact times and the true normal force,
// along a line and in a plane.
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <numbers>

#include "tests/physics/rocking_block.h"
#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

constexpr double kPi = std::numbers::pi;

const std::string kIncline = R"(mbd 1
space 2
param mu = 0.3, mus = 0.4, tilt = 0.35, v = 1
gravity (-10*sin(tilt), -10*cos(tilt))
particle block(2) at (0, 0) moving (v, 0)
constraint deck: block.y >= 0
friction rub on block.vx: mu*deck.lambda static mus*deck.lambda
output F = rub.lambda, N = deck.lambda, most = rub.limit, E = energy.total, s = rub.slip
output sticks = if rub.sticks then 1 else 0, rested = rub.count
simulate { time = 0 .. 1 step 0.01 }
)";

const std::string kBelt = R"(mbd 1
space 1
param k = 25, mu = 0.2, mus = 0.35, belt = 0.3
particle block(1) at 0 moving belt
force spring on block: -k*block.x
friction rub on block.vx - belt: 10*mu static 10*mus
output F = rub.lambda, sticks = if rub.sticks then 1 else 0
simulate { time = 0 .. 12 step 0.01; integrator = auto(tol = 1e-12) }
)";

const std::string kBilliards = R"(mbd 1
param mu = 0.2, R = 0.03
gravity (0, 0, -9.81)
body ball(mass = 0.2, inertia = diag(1, 1, 1)*0.4*0.2*R^2) at (0, 0, R) moving (1, 0.5, 0) spinning (20, -6, 5)
constraint cloth: ball.z >= R
let w = ball.rot*ball.omega
friction rub on (ball.vx - R*w.y, ball.vy + R*w.x): mu*cloth.lambda
output sx = rub.slip.x, sy = rub.slip.y, F = norm(rub.lambda), sticks = if rub.sticks then 1 else 0, E = energy.total
simulate { time = 0 .. 1 step 0.01; integrator = auto(tol = 1e-12) }
)";

}  // namespace

TEST_CASE("a block on an incline stops and stays, or slides back") {
  const double stop = 1 / (10 * std::sin(0.35) + 3 * std::cos(0.35));
  const auto times = times_of(kIncline);
  REQUIRE(times.at("rub.rests").size() == 1);
  CHECK(std::fabs(times.at("rub.rests")[0] - stop) < 1e-12);
  CHECK(!times.contains("rub.slips"));
  const Run stays = run_both(kIncline);
  CHECK(std::fabs(stays.last("block.x") - 0.5 * stop) < 1e-13);
  CHECK(stays.last("block.vx") == 0);
  CHECK(stays.last("sticks") == 1);
  CHECK(stays.last("rested") == 1);
  CHECK(stays.last("F") == doctest::Approx(20 * std::sin(0.35)).epsilon(1e-14));
  CHECK(stays.last("most") == doctest::Approx(8 * std::cos(0.35)).epsilon(1e-14));
  CHECK(stays.at(5, "F") == doctest::Approx(-6 * std::cos(0.35)).epsilon(1e-14));
  CHECK(stays.at(5, "N") == doctest::Approx(20 * std::cos(0.35)).epsilon(1e-14));
  for (std::size_t k = 1; k < stays.rows(); ++k) CHECK(stays.at(k, "E") <= stays.at(k - 1, "E") + 1e-13);

  const double tilt = 0.5, up = 10 * std::sin(tilt) + 3 * std::cos(tilt),
               down = 10 * std::sin(tilt) - 3 * std::cos(tilt);
  const Run back = run_both(kIncline, {"tilt=0.5"});  // tan 0.5 > 0.4
  CHECK(std::fabs(back.last("block.vx") + down * (1 - 1 / up)) < 1e-12);
  CHECK(std::fabs(back.last("block.x") - (0.5 / up - 0.5 * down * (1 - 1 / up) * (1 - 1 / up))) < 1e-12);
  CHECK(back.last("sticks") == 0);
}

TEST_CASE("a block at rest is held up to the static limit") {
  const std::vector<std::string> still = {"v=0", "tilt=0.38"};  // The angle is between atan 0.3 and atan 0.4.
  const Run held = run_both(kIncline, still);
  CHECK(held.last("block.x") == 0);
  CHECK(held.at(0, "sticks") == 1);
  const Run gone = run_both(kIncline, {"v=0", "tilt=0.39"});
  CHECK(gone.at(0, "sticks") == 0);
  CHECK(std::fabs(gone.last("block.vx") + (10 * std::sin(0.39) - 3 * std::cos(0.39))) < 1e-12);
}

TEST_CASE("stick and slip on a belt: all times of change") {
  const auto times = times_of(kBelt);
  const double w = 5, v = 0.3, first = 3.5 / 25,
               off = 1.5 / 25;  // the force of the spring at the static limit minus the sliding limit
  const double slips = (2 * kPi - 2 * std::atan(off * w / v)) / w, sticks = 2 * off / v;
  const std::vector<double>&broke = times.at("rub.slips"), &held = times.at("rub.rests");
  REQUIRE(broke.size() >= 7);
  double t = first / v;
  for (std::size_t k = 0; k < held.size(); ++k) {
    CHECK(std::fabs(broke[k] - t) < 1e-9);
    CHECK(std::fabs(held[k] - (t + slips)) < 1e-9);
    t += slips + sticks;
  }
  const Run r = run_both(kBelt);
  CHECK(r.at(20, "sticks") == 1);
  CHECK(r.at(20, "F") == doctest::Approx(25 * 0.3 * 0.2).epsilon(1e-12));
  CHECK(std::fabs(r.result.balance_error) < 1e-9);
}

TEST_CASE("a block that is pushed to and fro: it breaks loose, stops, and breaks loose the other way") {
  const std::string text = R"(mbd 1
space 2
gravity (0, -10)
particle block(1) at (0, 0)
constraint deck: block.y >= 0
force push on block: (4*sin(2*t), 0)
friction rub on block.vx: 0.25*deck.lambda
simulate { time = 0 .. 3.5 step 0.01; integrator = auto(tol = 1e-12) }
)";
  const auto times = times_of(text);
  const double first = 0.5 * std::asin(2.5 / 4);
  const auto speed = [&](double from, double t) {
    return 2 * (std::cos(2 * from) - std::cos(2 * t)) - 2.5 * (t - from);
  };
  const double stop = zero_between(first + 0.5, 2.5, [&](double t) { return speed(first, t); });
  const double again = first + kPi / 2;
  REQUIRE(times.at("rub.slips").size() >= 1);
  CHECK(std::fabs(times.at("rub.slips")[0] - first) < 1e-9);
  CHECK(std::fabs(times.at("rub.rests")[0] - stop) < 1e-9);
  if (stop < again) {
    REQUIRE(times.at("rub.slips").size() >= 2);
    CHECK(std::fabs(times.at("rub.slips")[1] - again) < 1e-9);
  }
  const Run r = run_both(text);
  CHECK(std::fabs(r.at(100, "block.vx") - speed(first, 1)) < 1e-9);
}

TEST_CASE("slip goes through zero where the push is more than friction can hold") {
  const Run r = run_both(R"(mbd 1
space 2
gravity (0, -10)
particle block(1) at (0, 0) moving (2, 0)
constraint deck: block.y >= 0
force push on block: (-6, 0)
friction rub on block.vx: 0.2*deck.lambda
output rested = rub.count, sticks = if rub.sticks then 1 else 0
simulate { time = 0 .. 1 step 0.01 }
)");
  CHECK(r.last("rested") == 1);
  CHECK(r.last("sticks") == 0);
  CHECK(std::fabs(r.last("block.vx") + 4 * 0.75) < 1e-12);  // The speed is 2 - 8 t until 1/4, then -4 (t - 1/4).
}

TEST_CASE("a billiard ball slides, then rolls, in the plane") {
  const std::string text = R"(mbd 1
space 2
gravity (0, -10)
param mu = 0.1, R = 0.5
body ball(mass = 3, inertia = 0.4*3*R^2) at (0, R) moving (2, 0)
constraint cloth: ball.y >= R
friction rub on ball.vx + R*ball.omega: mu*cloth.lambda
simulate { time = 0 .. 1 step 0.01 }
)";
  const auto times = times_of(text);
  REQUIRE(times.at("rub.rests").size() == 1);
  CHECK(std::fabs(times.at("rub.rests")[0] - 2 * 2 / (7 * 0.1 * 10)) < 1e-12);
  const Run r = run_both(text);
  CHECK(std::fabs(r.last("ball.vx") - 2 * 5.0 / 7) < 1e-13);
  CHECK(std::fabs(r.last("ball.omega") + 2 * 5.0 / 7 / 0.5) < 1e-13);
}

TEST_CASE("a billiard ball with spin: the slip keeps its direction and vanishes at 2 |s|/(7 mu g)") {
  const double R = 0.03, sx = 1 + R * 6, sy = 0.5 + R * 20, s = std::hypot(sx, sy), g = 9.81, mu = 0.2;
  const auto times = times_of(kBilliards);
  REQUIRE(times.at("rub.rests").size() == 1);
  CHECK(std::fabs(times.at("rub.rests")[0] - 2 * s / (7 * mu * g)) < 1e-9);
  const Run r = run_both(kBilliards);
  CHECK(std::fabs(r.last("ball.vx") - (1 - 2 * sx / 7)) < 1e-10);
  CHECK(std::fabs(r.last("ball.vy") - (0.5 - 2 * sy / 7)) < 1e-10);
  // The limit is a cone, so that the size does not depend on the direction.
  CHECK(r.at(10, "F") == doctest::Approx(mu * 0.2 * g).epsilon(1e-12));
  CHECK(r.at(10, "sy") / r.at(10, "sx") == doctest::Approx(sy / sx).epsilon(1e-9));
  CHECK(r.last("sticks") == 1);
  for (std::size_t k = 1; k < r.rows(); ++k) CHECK(r.at(k, "E") <= r.at(k - 1, "E") + 1e-12);
}

TEST_CASE("on a plane in space a block that is pushed across turns its slip, and stops where it rests") {
  const std::string text = R"(mbd 1
gravity (0, 0, -10)
particle block(1) at (0, 0, 0) moving (0, 1, 0)
constraint deck: block.z >= 0
force push on block: (1, 0, 0)
friction rub on (block.vx, block.vy): 0.3*deck.lambda
output F = norm(rub.lambda), v = norm(rub.slip), px = rub.lambda.x, sticks = if rub.sticks then 1 else 0
simulate { time = 0 .. 1 step 0.01; integrator = auto(tol = 1e-12) }
)";
  // v' = cos a - 3 and v a' = -sin a, with a the angle to the push, give v = tan(a/2)^3/sin(a) from pi/2 on. The time
  // is the integral of v/sin a over the angle.
  const Run r = run_both(text);
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.at(10, "F") == doctest::Approx(3).epsilon(1e-12));
  const double a = std::atan2(r.at(20, "block.vy"), r.at(20, "block.vx"));
  CHECK(r.at(20, "v") == doctest::Approx(std::pow(std::tan(a / 2), 3) / std::sin(a)).epsilon(1e-9));
  const auto times = times_of(text);
  REQUIRE(times.at("rub.rests").size() >= 1);
  // With dt = -v/sin a da, da = 2 dz/(1 + z^2) and sin a = 2 z/(1 + z^2), t is the integral of z^3 (1 + z^2)^2/(4 z^2)
  // 2/(1 + z^2) dz.
  CHECK(std::fabs(times.at("rub.rests").back() - (0.25 + 0.125)) < 1e-9);
  CHECK(r.last("sticks") == 1);
  CHECK(r.last("px") == doctest::Approx(-1).epsilon(1e-12));
}

TEST_CASE("a clutch locks, and breaks loose where more is to be carried than it can") {
  const std::string text = R"(mbd 1
space 1
param J1 = 2, J2 = 1, M = 4
coord a = 0 rate 10, b = 0
kinetic first: 0.5*J1*a'^2
kinetic second: 0.5*J2*b'^2
load motor on a: if t < 4 then 3 else 3*(t - 3)
friction lining on a' - b': M
output carried = lining.lambda, locked = if lining.sticks then 1 else 0
simulate { time = 0 .. 10 step 0.01; integrator = auto(tol = 1e-12) }
)";
  const auto times = times_of(text);
  CHECK(std::fabs(times.at("lining.rests")[0] - 10 / 4.5) < 1e-10);
  CHECK(std::fabs(times.at("lining.slips")[0] - 7) < 1e-9);  // J2/(J1 + J2) times 3 (t - 3) is 4.
  const Run r = run_both(text);
  CHECK(r.at(300, "carried") == doctest::Approx(-1).epsilon(1e-12));
  // This is the speed at 7 s, by the impulse of the motor alone.
  const double common = (10.0 * 2 + 3 * 4 + 1.5 * (16 - 1)) / 3;
  CHECK(std::fabs(r.last("b'") - (common + 4 * 3)) < 1e-9);
}

TEST_CASE("the normal force that friction itself changes: a rod that slides on its end") {
  // The gap is y - l sin a, and the slip is vx - l sin a w with friction against it. The angle a is measured from the
  // ground, and l is half the length.
  const std::string text = R"(mbd 1
space 2
gravity (0, -10)
param mu = 0.5, l = 0.5, a0 = 0.8, v = 1
body rod(mass = 2, inertia = 2*l^2/3) at (0, l*sin(a0)) rotated rot(a0) moving (v, 0)
point tip on rod at (-l, 0)
constraint deck: tip.y >= 0
friction rub on tip.vx: mu*deck.lambda
output N = deck.lambda, F = rub.lambda
simulate { time = 0 .. 0.01 step 0.001 }
)";
  // The tip is on the left: N turns the rod back by -l cos a, and F by l sin a.
  const auto normal = [](double mu, double a) {
    return 2 * 10 / (1 + 3 * std::cos(a) * (std::cos(a) + mu * std::sin(a)));
  };
  const Run forward = run_both(text);
  CHECK(forward.at(0, "N") == doctest::Approx(normal(0.5, 0.8)).epsilon(1e-12));
  CHECK(forward.at(0, "F") == doctest::Approx(-0.5 * normal(0.5, 0.8)).epsilon(1e-12));
  const Run backward = run_both(text, {"v=-1"});
  CHECK(backward.at(0, "N") == doctest::Approx(normal(-0.5, 0.8)).epsilon(1e-12));
  // If 1 + 3 cos a (cos a - mu sin a) < 0, there is no motion or there are two.
  const Run jammed = run(text, Engine::interpreter, {"v=-1", "mu=2.5", "a0=1.0"});
  CHECK(jammed.code() == "E0695");
}

TEST_CASE("friction in a joint, with the joint's own force in the limit") {
  // The model is a bar on a pin with two rows. The force of the pin depends on the angular acceleration and therefore
  // on the friction.
  const std::string text = R"(mbd 1
space 2
gravity (0, -10)
param m = 2, l = 0.6, r = 0.1
body bar(mass = m, inertia = m*l^2/3) at (l*cos(0.3), l*sin(0.3)) rotated rot(0.3)
constraint pin: bar.at(-l, 0).pos == (0, 0)
friction bearing on bar.omega: 0.4*r*norm(pin.lambda)
output M = bearing.lambda, N = norm(pin.lambda)
simulate { time = 0 .. 2 step 0.01; integrator = auto(tol = 1e-12) }
)";
  const Run r = run_both(text);
  REQUIRE(r.result.status == Status::complete);
  // The reference is I a = -m g l cos(phi) -+ c N with N^2 = (m (l a) + m g cos)^2 + (m l w^2 + m g sin)^2, the
  // components across and along the bar.
  const double m = 2, l = 0.6, I = 4.0 / 3 * m * l * l, c = 0.04;
  double worst = 0;
  for (std::size_t k = 0; k < r.rows(); k += 7) {
    const double phi = r.at(k, "bar.angle"), w = r.at(k, "bar.omega"), M = r.at(k, "M");
    const double a = (-m * 10 * l * std::cos(phi) + M) / I;
    const double N = std::hypot(m * l * a + m * 10 * std::cos(phi), m * 10 * std::sin(phi) - m * l * w * w);
    worst = std::max(worst, std::fabs(N - r.at(k, "N")));
    if (std::fabs(w) > 1e-3) worst = std::max(worst, std::fabs(std::fabs(M) - c * N));
  }
  CHECK(worst < 1e-9);
}

TEST_CASE("friction by all formulations, methods and stabilisations") {
  const std::string text = R"(mbd 1
space 2
gravity (0, -10)
param l = 0.6
body bar(mass = 2, inertia = 2*l^2/3) at (l*cos(0.3), l*sin(0.3)) rotated rot(0.3)
constraint pin: bar.at(-l, 0).pos == (0, 0)
friction bearing on bar.omega: 0.12*norm(pin.lambda) static 0.2*norm(pin.lambda)
particle block(1) at (3, 0) moving (1, 0)
constraint deck: block.y >= 0
force spring on block: (-30*(block.x - 2.8), 0)
friction rub on block.vx: 0.2*deck.lambda
simulate { time = 0 .. 3 step 0.001; integrator = dopri5(rtol = 1e-11, atol = 1e-12) }
)";
  const Run reference = run_both(text);
  REQUIRE(reference.result.status == Status::complete);
  CHECK(reference.result.events > 3);
  const auto close = [&](const std::string& changed, double allowed) {
    CAPTURE(changed);
    const Run r = run(changed);
    REQUIRE(r.result.status == Status::complete);
    CHECK(std::fabs(r.last("bar.angle") - reference.last("bar.angle")) < allowed);
    CHECK(std::fabs(r.last("block.x") - reference.last("block.x")) < allowed);
  };
  for (const char* f : {"augmented", "projection", "lagrange", "maggi", "kane", "volterra", "boltzmann_hamel"})
    close(replaced(text, "integrator =", std::string("formulation = ") + f + "; integrator ="), 1e-9);
  for (const char* s : {"none", "baumgarte", "partition"})
    close(replaced(text, "integrator =", std::string("stabilise = ") + s + "; integrator ="), 1e-8);
  for (const char* m : {"rk4", "ab4", "dop853(rtol = 1e-11, atol = 1e-12)", "auto"})
    close(replaced(text, "dopri5(rtol = 1e-11, atol = 1e-12)", m), 1e-7);
}

TEST_CASE("friction goes on bit for bit where a run was saved, and is taken away by an event") {
  Simulation whole = compile_text(kBelt, Engine::interpreter), first = compile_text(kBelt, Engine::interpreter),
             second = compile_text(kBelt, Engine::interpreter);
  for (const double t : {0.9, 3.3, 7.5}) REQUIRE(whole.run_until(t));
  REQUIRE(first.run_until(0.9));
  REQUIRE(second.restore(first.save()));
  for (const double t : {3.3, 7.5}) REQUIRE(second.run_until(t));
  CHECK(whole.state() == second.state());
  const Run r = run_both(replaced(kBelt, "output", "at lifted: 0.2 { disable rub }\noutput"));
  const double w = 5, x = 0.06;
  CHECK(std::fabs(r.last("block.x") - (x * std::cos(w * 11.8) + 0.3 / w * std::sin(w * 11.8))) < 1e-9);
}

TEST_CASE("a ball with spin bounces: friction takes what its limit allows, or stops the slip") {
  const std::string text = R"(mbd 1
space 2
gravity (0, -10)
param mu = 0.2, R = 0.5, e = 0.8, w = 0
body ball(mass = 3, inertia = 0.4*3*R^2) at (0, 2*R) moving (2, -1) spinning w
constraint deck: ball.y >= R restitution e
friction rub on ball.vx + R*ball.omega: mu*deck.lambda
output P = deck.impulse, n = deck.count, E = energy.total
simulate { time = 0 .. 0.4 step 0.01 }
)";
  const double vn = std::sqrt(1 + 20 * 0.5), P = 1.8 * 3 * vn;
  for (const double w : {0.0, 10.0, -10.0, -4.0, -2.5}) {
    CAPTURE(w);
    const Run r = run_both(text, {"w=" + std::to_string(w)});
    REQUIRE(r.result.status == Status::complete);
    REQUIRE(r.last("n") == 1);
    const double s = 2 + 0.5 * w, stop = s / (1.0 / 3 + 0.25 / 0.3);
    const double taken = std::copysign(std::min(0.2 * P, std::fabs(stop)), s);
    CHECK(r.last("P") == doctest::Approx(P).epsilon(1e-12));
    CHECK(std::fabs(r.last("ball.vx") - (2 - taken / 3)) < 1e-11);
    CHECK(std::fabs(r.last("ball.omega") - (w - taken * 0.5 / 0.3)) < 1e-11);
    CHECK(r.last("E") < r.at(0, "E"));
  }
}

TEST_CASE("a block that lands slides on with what friction has left of it, in a line and in a plane") {
  const std::string text = R"(mbd 1
gravity (0, 0, -10)
param mu = 0.5
particle block(2) at (0, 0, 1) moving (3, 4, 0)
constraint deck: block.z >= 0
friction rub on (block.vx, block.vy): mu*deck.lambda
output s = norm(rub.slip), rests = rub.count
simulate { time = 0 .. 2 step 0.01 }
)";
  const double land = std::sqrt(0.2), v = 5 - 0.5 * 10 * land;
  const Run r = run_both(text);
  REQUIRE(r.result.status == Status::complete);
  CHECK(std::fabs(r.at(50, "s") - (v - 5 * (0.5 - land))) < 1e-10);
  CHECK(r.at(50, "block.vy") / r.at(50, "block.vx") == doctest::Approx(4.0 / 3).epsilon(1e-10));
  CHECK(std::fabs(r.last("block.x") - 0.6 * (5 * land + v * v / 10)) < 1e-9);
  CHECK(r.last("rests") >= 1);
  const Run rough = run_both(text, {"mu=2"});  // The block stops at once.
  CHECK(rough.at(45, "s") < 1e-14);
  CHECK(std::fabs(rough.last("block.x") - 3 * land) < 1e-10);
}

TEST_CASE("a rod that falls on one end, with friction there") {
  const std::string text = R"(mbd 1
space 2
gravity (0, -10)
param e = 0.4, mu = 0.1
body rod(mass = 2, inertia = 2/12) at (0, 1) rotated rot(30 [deg])
constraint l: rod.at(-0.5, 0).pos.y >= 0 restitution e
point tip on rod at (-0.5, 0)
friction rub on tip.vx: mu*l.lambda
output kick = l.impulse, w = rod.omega, n = l.count
simulate { time = 0 .. 0.43 step 0.01; integrator = auto(tol = 1e-11) }
)";
  // These are the velocities of the tip by impulses along x and y at (-x, -y) from the centre.
  const double x = 0.5 * std::cos(kPi / 6), y = 0.25, vn = std::sqrt(20 * 0.75);
  const double nn = 0.5 + 6 * x * x, nt = -6 * x * y, tt = 0.5 + 6 * y * y;
  for (const double mu : {0.1, 1.0}) {
    CAPTURE(mu);
    const Run r = run_both(text, {"mu=" + std::to_string(mu)});
    REQUIRE(r.result.status == Status::complete);
    REQUIRE(r.last("n") == 1);
    const double stuck = -nt / tt;  // ratio of the tangential and the normal impulse if the tip does not slip
    const double ratio = std::fabs(stuck) <= mu ? stuck : std::copysign(mu, stuck);
    const double P = 1.4 * vn / (nn + nt * ratio);
    CHECK(r.last("kick") == doctest::Approx(P).epsilon(1e-10));
    CHECK(r.last("w") == doctest::Approx(6 * (-x * P + y * ratio * P)).epsilon(1e-9));
  }
}

TEST_CASE("an impulse on what rests and sticks: the floor takes its part, friction what that allows") {
  const std::string head = R"(mbd 1
space 2
gravity (0, -10)
param px = 4, py = -3
particle block(2) at (0, 0)
)";
  const std::string tail = R"(at kick: 0.5 { impulse on block: (px, py) }
output hits = deck.impulse
simulate { time = 0 .. 2 step 0.01 }
)";
  const std::string pushes =
      "constraint deck: block.y >= 0 restitution 0.8\nfriction rub on block.vx: 0.3*deck.lambda\n";
  const std::string holds = "constraint deck: block.y == 0\nfriction rub on block.vx: 0.3*abs(deck.lambda)\n";
  const double v = (4 - 0.3 * 3) / 2;
  for (const std::string& deck : {pushes, holds}) {
    CAPTURE(deck);
    const Run r = run_both(head + deck + replaced(tail, "output hits = deck.impulse\n", ""));
    REQUIRE(r.result.status == Status::complete);
    CHECK(std::fabs(r.at(50, "block.vx") - v) < 1e-12);
    CHECK(r.at(50, "block.vy") == 0);
    CHECK(std::fabs(r.last("block.x") - v * v / 6) < 1e-12);
    CHECK(r.last("block.vx") == 0);
  }
  const Run down = run_both(head + pushes + tail);
  CHECK(down.last("hits") == doctest::Approx(3).epsilon(1e-13));
  const Run stays = run_both(head + pushes + tail, {"px=0.5"});
  CHECK(stays.last("block.x") == 0);  // Friction may take up to 0.9.
  const Run up = run_both(head + pushes + tail, {"py=3"});
  CHECK(up.at(50, "block.vy") == doctest::Approx(1.5).epsilon(1e-13));
  CHECK(std::fabs(up.at(70, "block.x") - 0.4) < 1e-12);
  CHECK(std::fabs(up.at(70, "block.y") - (0.3 - 0.2)) < 1e-12);
  // A force has no impulse, so it does not stop a velocity jump at once.
  const Run force = run_both(head + replaced(pushes, "0.3*deck.lambda", "6") + tail);
  CHECK(force.at(50, "block.vx") == doctest::Approx(2).epsilon(1e-13));
  CHECK(std::fabs(force.last("block.x") - 2.0 / 3) < 1e-12);
}

TEST_CASE("a velocity that is given to what rests and sticks: it leaves, rebounds or slides") {
  const std::string text = R"(mbd 1
space 2
gravity (0, -10)
param v = 2
particle block(2) at (0, 0)
constraint deck: block.y >= 0 restitution 0.5
friction rub on block.vx: 0.3*deck.lambda
at go: 0.5 { block.vy = v }
simulate { time = 0 .. 0.6 step 0.01 }
)";
  CHECK(run_both(text).at(50, "block.vy") == 2);
  CHECK(run_both(text, {"v=-2"}).at(50, "block.vy") == doctest::Approx(1).epsilon(1e-13));
  const Run slides = run_both(replaced(text, "block.vy = v", "block.vx = v"));
  CHECK(slides.at(50, "block.vx") == doctest::Approx(2).epsilon(1e-13));
  CHECK(std::fabs(slides.last("block.vx") - 1.7) < 1e-12);
  CHECK(slides.last("block.vy") == 0);
  // On an incline that maintains the contact, the velocity component that is not assigned follows.
  const std::string slope =
      replaced(replaced(text, "block.y >= 0", "block.y - block.x >= 0"), "block.vy = v", "block.vx = v");
  const Run along = run_both(replaced(slope, "block.vx: 0.3", "block.vx + block.vy: 3"));
  CHECK(along.at(50, "block.vy") == doctest::Approx(2).epsilon(1e-13));
}

TEST_CASE("a rocking block loses by Housner's ratio in every impact") {
  // G. W. Housner, Bulletin of the Seismological Society of America 53 (1963) 403-417, gives the ratio 1 - 1.5 sin^2 of
  // the slenderness angle.
  const double b = 0.2, h = 0.8, ratio = 1 - 1.5 * b * b / (b * b + h * h), least = 1.5 * 10 * h;
  const Run r = run_both(kRockingBlock);
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.last("hits") >= 3);
  for (std::size_t k = 0; k < r.rows(); ++k) {
    CAPTURE(k);
    const double left = (r.at(0, "E") - least) * std::pow(ratio, 2 * r.at(k, "hits"));
    CHECK(std::fabs(r.at(k, "E") - least - left) < 1e-9);
  }
}
