// SPDX-License-Identifier: Apache-2.0
// Tests `bdf`, and `auto` while the model is stiff, with events of every kind. Each event occurs next to a stiff part
// of the model and is compared with a closed form.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

// This part alone makes the run stiff: a damper of 1e6 N s/m that leads a mass along a sine.
const std::string kStiff = "coord w = 0 rate 1\nkinetic T: w'^2/2\nload held on w: -1e6*(w' - cos(t)) - sin(t)\n";

Run stiff(const std::string& model, const std::string& method, const std::string& time = "0 .. 2 step 0.05") {
  Run r = run("mbd 1\n" + kStiff + model + "simulate { time = " + time + "; integrator = " + method + " }\n",
              have_native() ? Engine::native : Engine::interpreter);
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  if (method.starts_with("auto")) {
    CHECK(r.result.integrator.find(", bdf from t = ") != std::string::npos);
    CHECK(r.result.steps < 2000);
  }
  for (std::size_t row = 0; row < r.rows(); ++row) CHECK(std::fabs(r.at(row, "w") - std::sin(r.time[row])) < 1e-5);
  return r;
}

constexpr const char* kMethods[] = {"auto", "bdf(rtol = 1e-9, atol = 1e-9)"};

}  // namespace

TEST_CASE("a ball that bounces, by `when` and by an inequality") {
  const double g = 9.81, e = 0.8, fall = std::sqrt(2 / g), speed = std::sqrt(2 * g);
  // The flights last 2 e^k speed/g.
  const auto height = [&](double t) {
    if (t < fall) return 1 - g * t * t / 2;
    t -= fall;
    double v = e * speed;
    while (t > 2 * v / g) {
      t -= 2 * v / g;
      v *= e;
    }
    return v * t - g * t * t / 2;
  };
  for (const char* method : kMethods)
    for (const char* law :
         {"when hit: b.z falling { b.vz = -0.8*b.vz }\n", "constraint ground1: b.z >= 0 restitution 0.8\n"}) {
      CAPTURE(std::string(method));
      CAPTURE(std::string(law));
      const Run r =
          stiff(std::string("gravity (0, 0, -9.81)\nparticle b(1) at (0, 0, 1)\n") + law, method, "0 .. 2.5 step 0.05");
      for (std::size_t row = 0; row < r.rows(); ++row) CHECK(std::fabs(r.at(row, "b.z") - height(r.time[row])) < 2e-6);
    }
}

TEST_CASE("a relay, `at`, `every` and a friction that stops") {
  for (const char* method : kMethods) {
    CAPTURE(std::string(method));
    // u = 1 from 0 gives x = t^2/2 until x = 1/2 at t = 1. Then u = -1 gives x = 1/2 + s - s^2/2.
    const Run relay = stiff(
        "state u = 1\ncoord x = 0\nkinetic Tx: x'^2/2\nload f on x: u\nwhen far: x - 0.5 rising { u = -1 }\n", method);
    CHECK(std::fabs(relay.last("x") - 1) < 1e-7);
    // A push at t = 0.7 changes the speed by 1.
    const Run pushed = stiff("coord x = 0\nkinetic Tx: x'^2/2\nat 0.7 { x' = x' + 1 }\n", method);
    CHECK(std::fabs(pushed.last("x") - 1.3) < 1e-7);
    // u holds the sampled x of the last tenth of a second, and x' = u.
    const Run sampled = stiff("state u = 1\nstate x = 1 where x' = -u\nevery 0.1 { u = x }\n", method);
    CHECK(std::fabs(sampled.last("x") - std::pow(0.9, 20)) < 1e-7);
    // The particle slides from 2 m/s with 0.5 g and stops after 4/9.81 s.
    const Run slides = stiff(
        "gravity (0, 0, -9.81)\nparticle c(1) at (0, 0, 0) moving (2, 0, 0)\nconstraint deck: c.z >= 0\n"
        "constraint line: c.y == 0\nfriction rub on c.vx: 0.5*deck.lambda\n",
        method);
    CHECK(std::fabs(slides.last("c.x") - 4 / 9.81) < 1e-7);
    CHECK(slides.last("c.vx") == doctest::Approx(0).epsilon(1e-9));
  }
}

TEST_CASE("events beside stiff forces have the same bits by both engines") {
  const Run r = run_both("mbd 1\n" + kStiff +
                         "gravity (0, 0, -9.81)\nparticle b(1) at (0, 0, 1)\nconstraint ground1: b.z >= 0 restitution "
                         "0.8\nsimulate { time = 0 .. 1 step 0.1; integrator = auto }\n");
  CHECK(r.result.integrator.find(", bdf from t = ") != std::string::npos);
}

TEST_CASE("a corner that has touched does not sink while another one falls, by bdf") {
  for (const char* method : {"bdf(rtol = 1e-4, atol = 1e-6)", "bdf(rtol = 1e-8, atol = 1e-10)"}) {
    CAPTURE(std::string(method));
    const Run r = run(std::string("mbd 1\ngravity (0, 0, -9.81)\n"
                                  "body b(mass = 1, inertia = diag(0.002, 0.004, 0.004)) at (0, 0, 0.306) "
                                  "moving (-0.505, 1.222, 0) rotated rotx(1.121)*roty(0.818)\n"
                                  "shape s on b: box(0.2, 0.1, 0.1)\nshape soil on ground: plane(ez)\n"
                                  "Contact c(s, soil, restitution = 0, mu = 0.3)\n"
                                  "simulate { time = 0 .. 2 step 0.01; integrator = ") +
                      method + " }\n");
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    CHECK(r.last("b.z") == doctest::Approx(0.05).epsilon(1e-4));
  }
}
