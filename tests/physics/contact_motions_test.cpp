// SPDX-License-Identifier: Apache-2.0
// Compares motions with many changes of contact and friction with closed forms, or with an integration that does not
// use rows.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "tests/physics/rocking_block.h"
#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

constexpr double kPi = std::numbers::pi;

// Integrates theta'' = rate(theta) from (theta, speed) until theta is zero, and returns the duration and the final
// speed. It uses Runge-Kutta steps; Newton's method cuts the last one.
struct Swing {
  double time = 0, speed = 0;
};
template <class Rate>
Swing swing_to_zero(double theta, double speed, double h, Rate&& rate) {
  const auto step = [&](std::array<double, 2> y, double by) {
    const auto f = [&](const std::array<double, 2>& at) { return std::array{at[1], rate(at[0])}; };
    const auto moved = [&](const std::array<double, 2>& d, double part) {
      return std::array{y[0] + part * d[0], y[1] + part * d[1]};
    };
    const auto a = f(y), b = f(moved(a, by / 2)), c = f(moved(b, by / 2)), d = f(moved(c, by));
    for (std::size_t i = 0; i < 2; ++i) y[i] += by / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
    return y;
  };
  std::array<double, 2> y{theta, speed};
  double t = 0;
  for (;;) {
    const std::array<double, 2> next = step(y, h);
    if (next[0] <= 0) break;
    y = next;
    t += h;
  }
  double last = 0;
  for (int k = 0; k < 20; ++k) {
    const std::array<double, 2> at = step(y, last);
    last -= at[0] / at[1];
  }
  return {t + last, step(y, last)[1]};
}

}  // namespace

TEST_CASE("a rocking block: every impact against an integration of its angle alone") {
  // About its edge 4/3 m R^2 theta'' = -m g R sin(alpha - theta), where theta is the tilt in either direction.
  const double b = 0.2, h = 0.8, R = std::hypot(b, h), alpha = std::atan2(b, h);
  const auto rate = [&](double theta) { return -0.75 * 10 / R * std::sin(alpha - theta); };
  const double ratio = 1 - 1.5 * std::sin(alpha) * std::sin(alpha);
  std::vector<double> expected;
  double theta = 0.1, speed = 0, t = 0;
  while (t < 3.5) {
    const Swing down = swing_to_zero(theta, speed, 2e-5, rate);
    t += down.time;
    expected.push_back(t);
    theta = 1e-300;
    speed = -ratio * down.speed;
  }
  const auto times = times_of(kRockingBlock);
  std::vector<double> found = times.at("left");
  found.insert(found.end(), times.at("right").begin(), times.at("right").end());
  std::sort(found.begin(), found.end());
  REQUIRE(found.size() >= expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    CAPTURE(k);
    CHECK(std::fabs(found[k] - expected[k]) < 1e-10);
  }
}

TEST_CASE("a block on a plane that is shaken: all times of sticking and sliding") {
  const std::string text = R"(mbd 1
space 1
param a = 0.05, w = 20, mu = 0.3
let plane = a*w*cos(w*t)
particle block(2) at 0 moving a*w
friction rub on block.vx - plane: mu*20
output sticks = if rub.sticks then 1 else 0
simulate { time = 0 .. 2 step 0.001; integrator = auto(tol = 1e-12) }
)";
  // The block sticks while the acceleration of the plane is below mu g. Its speed is then linear until it equals that
  // of the plane.
  const double a = 0.05, w = 20, g = 0.3 * 10;
  const auto speed = [&](double t) { return a * w * std::cos(w * t); };
  const double loose = std::asin(g / (a * w * w)) / w;
  std::vector<double> slips, rests;
  double v = 0, t = loose;
  bool sticks = true;
  double way = -1;  // sign of the acceleration of the block while it slides
  while (t < 1.9) {
    if (sticks) {
      slips.push_back(t);
      v = speed(t);
      sticks = false;
    }
    const double from = t, v0 = v, sign = way;
    const auto ahead = [&](double at) { return -sign * (v0 + sign * g * (at - from) - speed(at)); };
    double begin = from + 1e-6, end = begin;
    REQUIRE(ahead(begin) > 0);
    while (ahead(end) > 0) end += 1e-3;
    t = zero_between(begin, end, ahead);
    rests.push_back(t);
    v = speed(t);
    const double needed = -a * w * w * std::sin(w * t);
    if (std::fabs(needed) <= g) {
      sticks = true;
      // Finds the next time at which the acceleration of the plane is mu g.
      double next = t;
      while (a * w * w * std::fabs(std::sin(w * next)) <= g) next += 1e-4;
      t = zero_between(t, next, [&](double at) { return g - a * w * w * std::fabs(std::sin(w * at)); });
      way = -std::copysign(1, std::sin(w * (t + 1e-9)));
    } else {
      way = std::copysign(1, needed);
    }
  }
  const auto times = times_of(text);
  std::vector<double> found_rests, found_slips;
  for (const double at : times.at("rub.rests"))
    if (at > 0) found_rests.push_back(at);
  if (times.count("rub.slips") != 0) found_slips = times.at("rub.slips");
  REQUIRE(found_rests.size() >= rests.size());
  REQUIRE(found_slips.size() >= slips.size());
  for (std::size_t k = 0; k < rests.size(); ++k) CHECK(std::fabs(found_rests[k] - rests[k]) < 1e-9);
  for (std::size_t k = 0; k < slips.size(); ++k) CHECK(std::fabs(found_slips[k] - slips[k]) < 1e-9);
  const auto firm = times_of(text, {"w=4"});  // The friction 3 holds an acceleration of 0.8.
  CHECK(firm.count("rub.slips") == 0);
}

TEST_CASE("a ladder slides down a smooth wall and leaves it at two thirds of its height") {
  const std::string text = R"(mbd 1
space 2
gravity (0, -10)
param high = 60 [deg]
body rod(mass = 2, inertia = 2/12) at (0.5*cos(high), 0.5*sin(high)) rotated rot(-high)
constraint wall: rod.at(-0.5, 0).pos.x >= 0
constraint deck: rod.at(0.5, 0).pos.y >= 0
output foot = deck.lambda, top = wall.lambda, E = energy.total, w = rod.omega, angle = rod.angle
simulate { time = 0 .. 1 step 0.001; integrator = auto(tol = 1e-12) }
)";
  Simulation simulation = compile_text(text, Engine::interpreter);
  RunOptions until;
  until.until_event = "wall.leaves";
  const Run r = run(simulation, until);
  REQUIRE(r.result.ended_by == "wall.leaves");
  const double high = std::sin(kPi / 3), low = 2.0 / 3 * high;
  CHECK(std::fabs(std::sin(-r.last("angle")) - low) < 1e-9);
  CHECK(std::fabs(r.last("w") * r.last("w") - 3 * 10 * (high - low)) < 1e-8);  // w^2 = 3 g (sin - sin)/l
  const Run both = run_both(text);
  CHECK(std::fabs(both.last("E") - both.at(0, "E")) < 1e-9);
}

TEST_CASE("a rod falls flat on its two ends, and tilted on one after the other") {
  const std::string text = R"(mbd 1
space 2
gravity (0, -10)
param e = 0.6, tilt = 0, high = 0.5, spin = 0
body rod(mass = 2, inertia = 2/12) at (0, high) rotated rot(tilt) spinning spin
constraint l: rod.at(-0.5, 0).pos.y >= 0 restitution e
constraint r: rod.at(0.5, 0).pos.y >= 0 restitution e
output pl = l.impulse, pr = r.impulse, w = rod.omega, v = rod.vy
simulate { time = 0 .. 0.35 step 0.01; integrator = auto(tol = 1e-12) }
)";
  const Run flat = run_both(text);
  const double v = std::sqrt(10.0), t = v / 10;
  CHECK(std::fabs(flat.last("v") - (0.6 * v - 10 * (0.35 - t))) < 1e-12);
  CHECK(std::fabs(flat.last("w")) < 1e-13);
  CHECK(std::fabs(flat.last("pl") + flat.last("pr") - 2 * 1.6 * v) < 1e-12);
  // Without gravity the tilted bar meets first with its left end and then with its right one, as two collisions of one
  // point each.
  const std::string pushed =
      replaced(replaced(text, "gravity (0, -10)\n", ""), "spinning spin", "moving (0, -1) spinning spin");
  Simulation simulation = compile_text(pushed, Engine::interpreter, {"tilt=0.001", "high=0.1"});
  RunOptions until;
  until.until_event = "r";
  const Run slow = run(simulation, until);
  REQUIRE(slow.result.ended_by == "r");
  const auto collide = [](double& vy, double& w, double arm, double e) {
    const double at = vy + arm * w, P = -(1 + e) * at / (0.5 + 6 * arm * arm);
    vy += P / 2;
    w += 6 * arm * P;
  };
  double vy = -1, w = 0;
  const double arm = 0.5 * std::cos(0.001);
  collide(vy, w, -arm, 0.6);
  // After the first collision the right end falls from the height 0.5 sin(angle).
  const double y0 = 0.5 * std::sin(0.001),
               end = zero_between(0.0, 0.01, [&](double at) { return y0 + vy * at + 0.5 * std::sin(0.001 + w * at); });
  collide(vy, w, 0.5 * std::cos(0.001 + w * end), 0.6);
  CHECK(std::fabs(slow.last("v") - vy) < 1e-9);
  CHECK(std::fabs(slow.last("w") - w) < 1e-9);
}

TEST_CASE("a stack of two: dropped on each other, at rest, pulled from below") {
  const std::string text = R"(mbd 1
space 1
gravity -10
param e = 1, high = 1, gap = 0.001
particle low(5) at high
particle top(1) at high + gap
constraint deck: low.x >= 0 restitution e
constraint pair: top.x - low.x >= 0 restitution e
output N = deck.lambda, M = pair.lambda
simulate { time = 0 .. 0.46 step 0.01; integrator = auto(tol = 1e-12) }
)";
  // The lower block rebounds from the floor, meets the upper one and throws it up.
  const double t0 = std::sqrt(0.2), v = 10 * t0, meet = 0.001 / (2 * v), u = v - 10 * meet, d = -v - 10 * meet;
  const double common = (5 * u + d) / 6;
  const Run r = run_both(text);
  const double rest = 0.46 - t0 - meet;
  CHECK(std::fabs(r.last("top.vx") - (2 * common - d - 10 * rest)) < 1e-9);
  CHECK(std::fabs(r.last("low.vx") - (2 * common - u - 10 * rest)) < 1e-9);
  const Run soft = run_both(replaced(text, "0 .. 0.46", "0 .. 2"), {"e=0"});
  CHECK(soft.last("N") == doctest::Approx(60).epsilon(1e-13));
  CHECK(soft.last("M") == doctest::Approx(10).epsilon(1e-13));
  CHECK(std::fabs(soft.last("top.x")) < 1e-12);
  const std::string pulled = R"(mbd 1
space 2
gravity (0, -10)
param F = 4
particle low(3) at (0, 0)
particle top(1) at (0, 0.2)
constraint deck: low.y >= 0
constraint pair: top.y - low.y >= 0.2
friction under on low.vx: 0.05*deck.lambda
friction between on top.vx - low.vx: 0.2*pair.lambda
force pull on low: (F, 0)
output sticks = if between.sticks then 1 else 0
simulate { time = 0 .. 1 step 0.01 }
)";
  // Friction on the upper block is at most 2, and the floor takes 2.
  const Run together = run_both(pulled);
  CHECK(std::fabs(together.last("top.vx") - (4.0 - 2) / 4) < 1e-12);
  CHECK(together.last("sticks") == 1);
  const Run apart = run_both(pulled, {"F=16"});
  CHECK(std::fabs(apart.last("low.vx") - (16.0 - 2 - 2) / 3) < 1e-12);
  CHECK(std::fabs(apart.last("top.vx") - 2) < 1e-12);
  CHECK(apart.last("sticks") == 0);
}

TEST_CASE("an oscillator that grazes its stop: the touch is found however slight it is") {
  const std::string text = R"(mbd 1
space 1
param depth = 1e-4, e = 0.5
particle p(1) at 0 moving 1
force spring on p: -p.x
constraint wall: p.x <= 1 - depth restitution e
output n = wall.count
simulate { time = 0 .. 3 step 0.1; integrator = auto(tol = 1e-12) }
)";
  for (const double depth : {1e-2, 1e-4, 1e-6, 1e-8}) {
    CAPTURE(depth);
    const auto times = times_of(text, {"depth=" + number(depth)});
    REQUIRE(times.count("wall") == 1);
    // sin t = 1 - depth. Near the top the time is only as accurate as the square root of the depth.
    const double t = 0.5 * kPi - 2 * std::asin(std::sqrt(depth / 2));
    CHECK(std::fabs(times.at("wall")[0] - t) < 1e-11 + 1e-13 / std::sqrt(depth));
    const Run r = run_both(text, {"depth=" + number(depth)});
    const double v = std::sqrt(depth * (2 - depth)), x = 1 - depth, rest = 3 - t;
    CHECK(std::fabs(r.last("p.vx") - (-0.5 * v * std::cos(rest) - x * std::sin(rest))) < 1e-9);
  }
  CHECK(times_of(text, {"depth=-1e-9"}).count("wall") == 0);
}
