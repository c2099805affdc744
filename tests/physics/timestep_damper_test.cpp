// SPDX-License-Identifier: Apache-2.0
// Tests dampers at parts that lie on the ground by time steps: the ground takes the fall of the part, so the damper
// acts at the speed that is left of it.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

constexpr double kMass = 300, kStart = 0.02;

// A quarter car, let go above its rest; its wheel stays on the road.
Run quarter_car(double stiffness, double damping, double step) {
  return run(R"(mbd 1
space 1
param m = 300, mw = 40, k = )" +
             number(stiffness) + ", c = " + number(damping) + R"(, g = 9.81
gravity -g
particle car(m) at 1.02
particle wheel(mw) at 0.3
constraint road: wheel.x >= 0.3
potential spring: 0.5*k*(car.x - wheel.x - 0.7 - m*g/k)^2
force damper on car from wheel: -c*(car.vx - wheel.vx)
simulate { time = 0 .. 2 step )" +
             number(step) + "; contact = timestep }\n");
}

// Returns the height of the car above its rest, of a damped oscillation, underdamped or overdamped.
double height(double stiffness, double damping, double t) {
  const double decay = damping / (2 * kMass), square = stiffness / kMass - decay * decay;
  const double w = std::sqrt(std::fabs(square));
  if (square > 0) return kStart * std::exp(-decay * t) * (std::cos(w * t) + decay / w * std::sin(w * t));
  return kStart * std::exp(-decay * t) * (std::cosh(w * t) + decay / w * std::sinh(w * t));
}

// Returns the largest error of the height, of its start.
double error_of(double stiffness, double damping, double step) {
  const Run r = quarter_car(stiffness, damping, step);
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  double most = 0;
  for (std::size_t k = 0; k < r.rows(); ++k) {
    CHECK(r.at(k, "wheel.x") == doctest::Approx(0.3).epsilon(1e-12));
    most = std::max(most, std::fabs(r.at(k, "car.x") - 1 - height(stiffness, damping, r.time[k])));
  }
  return most / kStart;
}

}  // namespace

// The lighter the damper is beside the weight on the wheel, the smaller is its part in what the road has to give.
TEST_CASE("a car on its spring and a damper of any size: order 2") {
  for (const double damping : {4.0, 40.0, 400.0, 4000.0}) {
    CAPTURE(damping);
    const double coarse = error_of(10 * damping, damping, 0.004), fine = error_of(10 * damping, damping, 0.001);
    CHECK(coarse < 1e-3);
    CHECK(coarse / fine == doctest::Approx(16).epsilon(0.1));
  }
}

TEST_CASE("a car comes to rest on its spring where its weight and the spring say") {
  const Run r = quarter_car(40'000, 4'000, 0.005);
  CHECK(std::fabs(r.last("car.x") - 1 - height(40'000, 4'000, 2)) <= 1e-9);
  CHECK(std::fabs(r.last("wheel.vx")) <= 1e-12);
}
