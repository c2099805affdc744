// SPDX-License-Identifier: Apache-2.0
// Tests balls that are dropped, thrown and kicked, with walls beside them or a ceiling, with restitutions of 0.1 to
// 0.95 and all methods: they come to rest at the time of the closed form, wherever the walls are, and nothing stops.
// MBC_RANDOM_MODELS=n tests n balls.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/compiler/ad/rng.h"
#include "tests/physics/run.h"
#include "tests/random/how_many.h"

using namespace mbc;
using namespace mbc::test;

namespace {

constexpr double kGravity = 9.81;

// All integrators that take impacts, and other ways to hold rows.
const std::vector<std::string> kMethods = {"",
                                           "; integrator = rk4",
                                           "; integrator = dopri5",
                                           "; integrator = dop853",
                                           "; integrator = bdf",
                                           "; integrator = taylor",
                                           "; stabilise = none",
                                           "; stabilise = partition",
                                           "; formulation = maggi",
                                           "; formulation = augmented",
                                           "; formulation = lagrange"};

// A motion along one axis at a constant acceleration towards the lower of two sides.
struct Bounces {
  double x, v, acceleration, low, high, e;

  // Moves on for `time`; returns the time at which it rests on the lower side, or a negative number.
  double go(double time) {
    double t = 0;
    for (int k = 0; k < 100'000; ++k) {
      const double down = fall(x - low);
      // A rebound that does not reach the upper side: the rest is a geometric series.
      if (x == low && v >= 0 && acceleration > 0 && low + v * v / (2 * acceleration) < high) {
        const double rest = 2 * v / acceleration / (1 - e);
        if (t + rest <= time) {
          x = low;
          v = 0;
          return t + rest;
        }
      }
      const double up = v > 0 ? rise(high - x) : INFINITY;
      const double next = std::fmin(down, up);
      if (!(t + next < time)) {
        const double left = time - t;
        x += v * left - 0.5 * acceleration * left * left;
        v -= acceleration * left;
        return -1;
      }
      const double speed = v - acceleration * next;
      x = up < down ? high : low;
      v = -e * speed;
      t += next;
    }
    return -1;
  }

 private:
  // The time until it has come down by h.
  [[nodiscard]] double fall(double h) const {
    if (acceleration == 0) return v < 0 ? h / -v : INFINITY;
    const double t = (v + std::sqrt(v * v + 2 * acceleration * h)) / acceleration;
    return t > 0 ? t : INFINITY;
  }
  // The time until it has come up by h, if it does.
  [[nodiscard]] double rise(double h) const {
    if (acceleration == 0) return h / v;
    const double d = v * v - 2 * acceleration * h;
    return d > 0 ? 2 * h / (v + std::sqrt(d)) : INFINITY;
  }
};

struct Ball {
  std::string text;
  double end = 0, kicked = 0, rest = -1, rest_after = -1;  // times; negative: it does not come to rest
  Bounces across{}, upright{};
};

Ball drawn(std::uint64_t seed, const std::string& method) {
  Rng rng(seed);
  const auto e = [&] { return rng.log_between(0.1, 0.95); };
  const bool walls = rng.chance(0.5), ceiling = rng.chance(0.3), dropped = rng.chance(0.5);
  Ball ball;
  ball.upright = {rng.log_between(0.05, 3),
                  dropped ? 0 : rng.sign() * rng.log_between(0.1, 25),
                  kGravity,
                  0,
                  ceiling ? 3.2 : INFINITY,
                  e()};
  ball.across = {rng.between(-1, 1), dropped && !walls ? 0 : rng.between(-3, 3), 0, -1.5, walls ? 1.5 : INFINITY, e()};
  if (!walls) ball.across.low = -INFINITY;
  const double kick = rng.between(0.5, 5);
  std::string text = "mbd 1\nspace 2\ngravity (0, -9.81)\nparticle p(1) at (" + number(ball.across.x) + ", " +
                     number(ball.upright.x) + ") moving (" + number(ball.across.v) + ", " + number(ball.upright.v) +
                     ")\nconstraint floor: p.y >= 0 restitution " + number(ball.upright.e) + "\n";
  if (ceiling) text += "constraint lid: p.y <= 3.2 restitution " + number(ball.upright.e) + "\n";
  if (walls)
    text += "constraint left: p.x >= -1.5 restitution " + number(ball.across.e) + "\nconstraint right: p.x <= 1.5 " +
            "restitution " + number(ball.across.e) + "\n";
  Bounces first = ball.upright;
  const double landed = first.go(1e6);
  ball.kicked = landed + rng.between(0.1, 2);
  Bounces second = {0, kick, kGravity, 0, ball.upright.high, ball.upright.e};
  ball.rest = landed;
  ball.rest_after = ball.kicked + second.go(1e6);
  ball.end = ball.rest_after + 1;
  ball.text = text + "at kick: " + number(ball.kicked) + " { impulse on p: (0, " + number(kick) +
              ") }\nsimulate { time = 0 .. " + number(ball.end) + " step " + number(ball.end / 50) + method + " }\n";
  return ball;
}

}  // namespace

TEST_CASE("balls come to rest at the time of the closed form, after each throw and kick, by all methods") {
  const int count = random_models(60, 1);
  const std::uint64_t first = first_random_seed();
  double largest = 0;
  for (int k = 0; k < count; ++k) {
    const std::uint64_t seed = first + static_cast<std::uint64_t>(k);
    Ball ball = drawn(seed, kMethods[seed % kMethods.size()]);
    INFO("seed " << seed << "\n" << ball.text);
    const Run r = run(ball.text);
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    std::vector<double> rests;
    for (const Accumulation& a : r.result.accumulations)
      if (a.name == "floor") rests.push_back(a.time);
    REQUIRE(rests.size() == 2);
    // Steps are exact on parabolas but for those of bdf, with a tolerance of 1e-6. Each bounce has the error of the one
    // before, so that the times are off by a geometric series.
    const double each = ball.text.find("bdf") != std::string::npos ? 1e-6 : 1e-10;
    const double size = each * ball.end / (1 - ball.upright.e);
    CHECK(std::fabs(rests[0] - ball.rest) <= size);
    CHECK(std::fabs(rests[1] - ball.rest_after) <= size);
    largest = std::fmax(largest, std::fabs(rests[1] - ball.rest_after) / ball.end);
    CHECK(r.last("p.y") == 0);
    CHECK(r.last("p.vy") == 0);
    ball.across.go(ball.end);
    CHECK(std::fabs(r.last("p.x") - ball.across.x) <= 10 * each);
    CHECK(std::fabs(r.last("p.vx") - ball.across.v) <= 10 * each);
  }
  if (long_run_of_models()) MESSAGE(count << " balls, times of rest within " << largest << " of the span");
}
