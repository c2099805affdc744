// SPDX-License-Identifier: Apache-2.0
// Tests stiff loads in time steps: springs, dampers and drives that change much within one step, over eight decades of
// stiffness, against closed forms.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

constexpr double kGravity = 9.81;

std::string steps(double end, double step) {
  return "simulate { time = 0 .. " + number(end) + " step " + number(step) + "; contact = timestep }\n";
}

Run complete(const std::string& text) {
  Run r = run(text);
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  return r;
}

// A ball falls on ground that gives way: a spring and a damper that act while they are pressed.
std::string soft_ground(double stiffness, double damping, double step) {
  return "mbd 1\nspace 1\nparam k = " + number(stiffness) + ", c = " + number(damping) + R"(
gravity -9.81
particle p(1) at 0.05
force soil on p: if p.x < 0 then max(-k*p.x - c*p.vx, 0) else 0
)" + steps(3, step);
}

// A car on its strut, wheel, tyre and the patch of the tyre that lies on the road, let go above its rest.
std::string quarter_car(double tyre, double lift, double step) {
  return "mbd 1\nspace 1\nparam m = 300, mw = 40, k = 2e4, kt = " + number(tyre) + ", lift = " + number(lift) + R"(
param c = 4000
gravity -9.81
particle car(m) at 1 + lift
particle wheel(mw) at 0.3
particle patch(1) at 0
constraint road: patch.x >= 0
potential strut: 0.5*k*(car.x - wheel.x - 0.7 - m*9.81/k)^2
potential tyre: 0.5*kt*(wheel.x - patch.x - 0.3 - (m + mw)*9.81/kt)^2
force damper on car from wheel: -c*(car.vx - wheel.vx)
force flank on wheel from patch: -80*(wheel.vx - patch.vx)
output E = energy.total
)" + steps(8, step);
}

std::string oscillator(double stiffness, double damping, double end, double step) {
  return "mbd 1\nspace 1\nparam k = " + number(stiffness) + ", c = " + number(damping) + R"(
particle p(1) at 1
potential spring: 0.5*k*p.x^2
force damper on p: -c*p.vx
)" + steps(end, step);
}

}  // namespace

TEST_CASE("a car on its tyre stays where it stands and comes back to it, over eight decades of stiffness") {
  for (const double tyre : {1e5, 1e7, 1e9, 1e11, 1e13})
    for (const double step : {0.0005, 0.005}) {
      CAPTURE(tyre);
      CAPTURE(step);
      const Run still = complete(quarter_car(tyre, 0, step)), back = complete(quarter_car(tyre, 0.02, step));
      for (const Run* r : {&still, &back}) {
        CHECK(std::fabs(r->last("car.x") - 1) <= 1e-9);
        CHECK(std::fabs(r->last("wheel.x") - 0.3) <= 1e-9);
        CHECK(std::fabs(r->last("patch.x")) <= 1e-9);
      }
      const double begin = back.at(0, "E"), given = begin - back.last("E");
      for (std::size_t k = 0; k < back.rows(); ++k) CHECK(back.at(k, "E") <= begin + 1e-3 * given);
      CHECK(back.result.backward.loads.size() >= 1);
    }
}

TEST_CASE("a car on a tyre of any stiffness follows the closed form of its strut") {
  // The tyre gives way by less than the step sees; the car swings on its strut alone, 2 zeta w = c/m.
  const double decay = 4000 / 600.0, w = std::sqrt(2e4 / 300 - decay * decay);
  const auto height = [&](double t) {
    return 0.02 * std::exp(-decay * t) * (std::cos(w * t) + decay / w * std::sin(w * t));
  };
  for (const double tyre : {1e9, 1e11, 1e13}) {
    CAPTURE(tyre);
    const Run r = complete(quarter_car(tyre, 0.02, 0.001));
    double most = 0;
    for (std::size_t k = 0; k < r.rows(); ++k)
      most = std::max(most, std::fabs(r.at(k, "car.x") - 1 - height(r.time[k])));
    CHECK(most <= 1e-3 * 0.02);
  }
}

TEST_CASE("a ball that falls on stiff ground gains no height and rests m g/k deep") {
  for (const double stiffness : {1e4, 1e5, 1e6, 1e7, 1e8, 1e10, 1e12})
    for (const double step : {0.0005, 0.005}) {
      CAPTURE(stiffness);
      CAPTURE(step);
      const Run r = complete(soft_ground(stiffness, std::sqrt(stiffness), step));
      double highest = 0;
      for (std::size_t k = 0; k < r.rows(); ++k) highest = std::max(highest, r.at(k, "p.x"));
      CHECK(highest <= 0.05 * (1 + 1e-9));
      CHECK(std::fabs(r.last("p.x") + kGravity / stiffness) <= 1e-9);
      CHECK(std::fabs(r.last("p.vx")) <= 1e-9);
    }
}

TEST_CASE("an undamped ball on stiff ground does not rise above where it began") {
  for (const char* soil : {"force soil on p: max(-k*p.x, 0)", "potential soil: 0.5*k*min(p.x, 0)^2"})
    for (const double stiffness : {1e3, 1e4, 3e4, 1e5, 3e5, 1e6, 1e8, 1e12}) {
      CAPTURE(soil);
      CAPTURE(stiffness);
      const Run r = complete("mbd 1\nspace 1\nparam k = " + number(stiffness) +
                             "\ngravity -9.81\nparticle p(1) at 0.05\n" + soil + "\n" + steps(3, 0.005));
      double highest = 0;
      for (std::size_t k = 0; k < r.rows(); ++k) highest = std::max(highest, r.at(k, "p.x"));
      CHECK(highest <= 0.05 * (1 + 2e-3));
    }
}

TEST_CASE("a vibration that steps resolve has order 2, and what they do not resolve ends") {
  const auto error = [&](double damping, double step) {
    const Run r = complete(oscillator(900, damping, 1, step));
    const double decay = damping / 2, w = std::sqrt(900 - decay * decay);
    return std::fabs(r.last("p.x") - std::exp(-decay) * (std::cos(w) + decay / w * std::sin(w)));
  };
  CHECK(error(0, 0.01) / error(0, 0.005) == doctest::Approx(4).epsilon(0.05));
  CHECK(error(0, 0.005) <= 0.06);
  CHECK(error(12, 0.01) / error(12, 0.005) == doctest::Approx(4).epsilon(0.2));
  const Run fast = complete(oscillator(1e12, 0, 1, 0.01));
  CHECK(std::fabs(fast.last("p.x")) <= 1e-12);
  CHECK(fast.result.backward.lost == doctest::Approx(fast.result.energy_begin).epsilon(1e-9));
  CHECK(fast.result.backward.loads == std::vector<std::string>{"spring"});
  CHECK(fast.result.backward.stiffest == doctest::Approx(1e8));
}

TEST_CASE("the energy of a step with linear loads is what they and the rule account for") {
  for (const double stiffness : {1e3, 1e5, 1e8}) {
    CAPTURE(stiffness);
    const RunResult r = complete(oscillator(stiffness, 3, 1, 0.005)).result;
    CHECK(r.backward.lost >= 0);
    CHECK(r.balance_error <= 1e-9 * r.energy_begin);
  }
}

TEST_CASE("a damper of any size between a wheel and its axle ends their slip") {
  for (const double damping : {1e2, 1e4, 1e6, 1e8, 1e10}) {
    CAPTURE(damping);
    const Run r = complete("mbd 1\nspace 1\nparam c = " + number(damping) + R"(
particle axle(3) at 0 moving 1
particle wheel(1) at 0
force grip on axle from wheel: -c*(axle.vx - wheel.vx)
)" + steps(1, 0.001));
    CHECK(r.last("axle.vx") == doctest::Approx(0.75).epsilon(1e-10));
    CHECK(3 * r.last("axle.x") + r.last("wheel.x") == doctest::Approx(3).epsilon(1e-10));
    // The damper changes the momentum of the wheel by c times the way of the slip.
    CHECK(std::fabs(r.last("axle.x") - r.last("wheel.x") - 0.75 / damping) <= 1e-8);
  }
}

TEST_CASE("a leg that a drive of any stiffness holds stands on the ground as its moments say") {
  for (const double gain : {1e3, 1e5, 1e7, 1e9}) {
    CAPTURE(gain);
    // A hip slides on a vertical guide; its shank, turned by a drive, has its foot on the ground, 0.6 m aside.
    const Run r = complete("mbd 1\nuse planar_joints\nspace 2\nparam k = " + number(gain) + R"(, c = k/50
gravity (0, -9.81)
body hip(mass = 4, inertia = 1) at (0, 0.8)
body shank(mass = 1, inertia = 0.1) at (0.3, 0.4)
Slider guide(ground, hip, axis = ey)
Pin knee(hip, shank.at((-0.3, 0.4)))
constraint deck: shank.at((0.3, -0.4)).y >= 0
torque drive on shank from hip: -k*knee.angle - c*knee.rate
output moment = 9.81*(5*shank.at((0.3, -0.4)).x - shank.x)
)" + steps(4, 0.002));
    CHECK(std::fabs(r.last("hip.vy")) <= 1e-9);
    // Moments about the knee: the ground carries 5 g at the foot, the shank weighs g at its centre.
    CHECK(std::fabs(r.last("knee.angle") - r.last("moment") / gain) <= 1e-10);
  }
}

TEST_CASE("models without stiff loads make the steps they made") {
  const Run r = complete(soft_ground(100, 0, 0.001));
  CHECK(r.result.backward.steps == 0);
  CHECK(r.result.backward.loads.empty());
  CHECK(r.result.evaluations == 2 * r.result.steps + 1);
}
