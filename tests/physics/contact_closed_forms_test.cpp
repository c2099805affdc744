// SPDX-License-Identifier: Apache-2.0
// Compares every instant of motions with repeated contact, sticking and separation with elliptic integrals, zeros of
// elementary functions, or an integration of one angle. The numbers of instants are equal, so that none is missed and
// none is invented.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "tests/physics/rocking_block.h"
#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

// Computes Legendre's F(phi, k) from sine and cosine, which are exact near pi/2, unlike phi. It uses Carlson's R_F by
// duplication (B. C. Carlson, Numerische Mathematik 33 (1979) 1-16). Each iteration divides the differences by four.
double elliptic_f(double sine, double cosine, double k) {
  double x = cosine * cosine, y = 1 - k * k * sine * sine, z = 1;
  for (int turn = 0; turn < 28; ++turn) {
    const double shift = std::sqrt(x * y) + std::sqrt(y * z) + std::sqrt(z * x);
    x = (x + shift) / 4, y = (y + shift) / 4, z = (z + shift) / 4;
  }
  return sine / std::sqrt((x + y + z) / 3);
}

// A Met is the time and the speed at which a pendulum that turns back `depth` beyond a stop meets the stop. theta'^2 =
// 4 w^2 (k^2 - sin^2 theta/2), where k is the sine of half its amplitude.
struct Met {
  double time = 0, speed = 0;
};
std::vector<Met> stop_times(double w, double stop, double depth, double e, double end) {
  const double s = std::sin(stop / 2);
  // The difference is sin^2 a - sin^2 b.
  double speed = 2 * w * std::sqrt(std::sin(stop + depth / 2) * std::sin(depth / 2));
  std::vector<Met> met;
  // Returns the durations from the lowest place to the stop, and from the stop to the amplitude and back.
  const auto way = [&](double v) {
    const double beyond = v / (2 * w), k = std::hypot(s, beyond);
    return std::array{elliptic_f(s / k, beyond / k, k) / w, elliptic_f(1, 0, k) / w};
  };
  for (double t = way(speed)[0]; t < end;) {
    met.push_back({t, speed});
    speed *= e;
    t += 2 * (way(speed)[0] + way(speed)[1]);
  }
  return met;
}

// A block on a plane with the speed cos(phi), phi = w t, starts to slide at the angle `loose` and then loses a speed of
// 1/r per radian. Returns the angle at which it has the speed of the plane again.
double rests_at(double r, double loose) {
  const auto ahead = [&](double phi) { return std::cos(loose) - (phi - loose) / r - std::cos(phi); };
  return zero_between(loose + 1e-3, loose + std::numbers::pi, ahead);
}

// Integrates the tilt of a block that rocks on its two corners by Runge-Kutta steps of at most `longest`. A step that
// crosses zero is cut there by Newton's method.
struct Rocking {
  double R, alpha, ratio, longest;
  double t = 0, theta = 0, speed = 0;
  int side = 1, impacts = 0;

  [[nodiscard]] std::array<double, 2> stepped(double h) const {
    const auto rate = [&](double at) { return -0.75 * 10 / R * std::sin(alpha - at); };
    const double v1 = speed, a1 = rate(theta), v2 = speed + h / 2 * a1, a2 = rate(theta + h / 2 * v1),
                 v3 = speed + h / 2 * a2, a3 = rate(theta + h / 2 * v2), v4 = speed + h * a3, a4 = rate(theta + h * v3);
    return {theta + h / 6 * (v1 + 2 * v2 + 2 * v3 + v4), speed + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)};
  }
  // Times are not summed step by step, because ten thousand roundings would give 1e-12.
  void to(double end) {
    while (t < end) {
      const double from = t, count = std::ceil((end - from) / longest), h = (end - from) / count;
      for (double k = 0; k < count && t < end; ++k) {
        const std::array<double, 2> next = stepped(h);
        if (next[0] <= 0) {
          strike(from + k * h, h);
          break;
        }
        theta = next[0], speed = next[1];
        if (k + 1 == count) t = end;
      }
    }
  }
  void strike(double begin, double h) {
    double cut = h;
    for (int k = 0; k < 20; ++k) cut -= stepped(cut)[0] / stepped(cut)[1];
    speed = -ratio * stepped(cut)[1];
    theta = 1e-300, t = begin + cut, side = -side, ++impacts;
  }
};

const std::string kStoppedPendulum = R"(mbd 1
space 2
gravity (0, -10)
param stop = 0.3, depth = 1e-2, e = 0.5, l = 0.8
coord theta = 0 rate 2*sqrt(10/l)*sin((stop + depth)/2)
particle bob(1.5) follows (l*sin(theta), -l*cos(theta))
constraint wall: theta <= stop restitution e
simulate { time = 0 .. 20 step 0.1; integrator = auto(tol = 1e-13) }
)";

// This model has a rod as a row, and a wall that is met along x.
const std::string kStoppedOnRod = R"(mbd 1
space 2
gravity (0, -10)
param stop = 0.3, depth = 1e-2, e = 0.5, l = 0.8
particle bob(1.5) at (0, -l) moving (2*sqrt(10*l)*sin((stop + depth)/2), 0)
constraint rod: norm(bob.pos) == l
constraint wall: bob.x <= l*sin(stop) restitution e
simulate { time = 0 .. 20 step 0.1; integrator = auto(tol = 1e-13) }
)";

}  // namespace

TEST_CASE("a pendulum against a stop: every impact by elliptic integrals, however little it goes beyond") {
  for (const std::string& text : {kStoppedPendulum, kStoppedOnRod})
    for (const double e : {0.5, 1.0})
      for (const double depth : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
        CAPTURE(text);
        CAPTURE(e);
        CAPTURE(depth);
        const std::vector<Met> expected = stop_times(std::sqrt(10 / 0.8), 0.3, depth, e, 20);
        const auto times = times_of(text, {"depth=" + number(depth), "e=" + number(e)});
        REQUIRE(times.at("wall").size() == expected.size());
        for (std::size_t k = 0; k < expected.size(); ++k) {
          CAPTURE(k);
          // After many impacts the bob arrives so slowly that a place known to 1e-14 is a time known to this value over
          // the speed.
          const double speed = expected[k].speed, error = std::fabs(times.at("wall")[k] - expected[k].time);
          CHECK((speed > 2e-5 ? error < 1e-9 : error * speed < 3e-14));
        }
      }
  CHECK(!times_of(kStoppedPendulum, {"depth=-1e-9"}).contains("wall"));
  CHECK(!times_of(kStoppedOnRod, {"depth=-1e-9"}).contains("wall"));
}

TEST_CASE("a block on a shaken plane that sticks and slides in every half period: all times, none more") {
  const std::string text = R"(mbd 1
space 1
param r = 1.5, rs = 1.5, w = 20, g = 3
let plane = r*g/w*cos(w*t)
particle block(2) at 0 moving r*g/w
friction rub on block.vx - plane: 2*g static 2*g*r/rs
simulate { time = 0 .. 3.2 step 0.001; integrator = auto(tol = 1e-12) }
)";
  struct Ratio {
    double slides, rests;  // the largest acceleration of the plane over those of the sliding and of the static limit
  };
  for (const Ratio& ratio : {Ratio{1.0001, 1.0001}, Ratio{1.01, 1.01}, Ratio{1.2, 1.2}, Ratio{1.5, 1.5},
                             Ratio{1.8, 1.8}, Ratio{1.86, 1.86}, Ratio{1.5, 1.2}}) {
    CAPTURE(ratio.slides);
    CAPTURE(ratio.rests);
    const double loose = std::asin(1 / ratio.rests), rest = rests_at(ratio.slides, loose);
    REQUIRE(std::fabs(std::sin(rest)) < 1 / ratio.rests);  // The block sticks at this angle.
    const auto times = times_of(text, {"r=" + number(ratio.slides), "rs=" + number(ratio.rests)});
    const std::vector<double>&slips = times.at("rub.slips"), &rests = times.at("rub.rests");
    const auto fit = [&](double first) { return static_cast<std::size_t>((64 - first) / std::numbers::pi) + 1; };
    REQUIRE(slips.size() == fit(loose));
    REQUIRE(rests.size() == fit(rest));
    for (std::size_t k = 0; k < slips.size(); ++k)
      CHECK(std::fabs(slips[k] - (loose + static_cast<double>(k) * std::numbers::pi) / 20) < 1e-11);
    for (std::size_t k = 0; k < rests.size(); ++k)
      CHECK(std::fabs(rests[k] - (rest + static_cast<double>(k) * std::numbers::pi) / 20) < 1e-11);
  }
}

TEST_CASE("a rocking block: its angle at every row between and behind its impacts") {
  const double R = std::hypot(0.2, 0.8), alpha = std::atan2(0.2, 0.8), sine = std::sin(alpha);
  Rocking fine{R, alpha, 1 - 1.5 * sine * sine, 1e-4}, coarse{R, alpha, 1 - 1.5 * sine * sine, 2e-4};
  fine.theta = coarse.theta = 0.1;
  const Run r = run_both(kRockingBlock);
  REQUIRE(r.result.status == Status::complete);
  double known = 0, angle = 0, speed = 0;
  for (std::size_t k = 0; k < r.rows(); ++k) {
    fine.to(r.time[k]);
    coarse.to(r.time[k]);
    known = std::max(known, std::fabs(fine.theta * fine.side - coarse.theta * coarse.side));
    angle = std::max(angle, std::fabs(r.at(k, "angle") + fine.side * fine.theta));
    speed = std::max(speed, std::fabs(r.at(k, "w") + fine.side * fine.speed));
    CHECK(r.at(k, "hits") == fine.impacts);
  }
  CHECK(fine.impacts >= 7);
  CHECK(known < 1e-13);  // This is the accuracy of the reference: halved steps leave 1/16 of its error.
  CHECK(angle < 1e-12);
  CHECK(speed < 1e-11);
}

TEST_CASE("a rope that goes taut keeps its energy from then on, and lets go where nothing pulls") {
  const std::string text = R"(mbd 1
space 2
gravity (0, -10)
param x = 0.6, v = 3
particle p(1) at (x, 0) moving (0, v)
constraint rope: norm(p.pos) <= 1
output E = energy.total, pull = rope.lambda, hits = rope.count
simulate { time = 0 .. 3 step 0.01; integrator = auto(tol = 1e-13) }
)";
  for (const double v : {3.0, 0.0, -4.0}) {
    CAPTURE(v);
    // On the way down x^2 + (v t - 5 t^2)^2 = 1.
    const double down = -std::sqrt(v * v + 16), t = (v - down) / 10, along = -0.8 * down;
    CHECK(std::fabs(times_of(text, {"v=" + number(v)}).at("rope").at(0) - t) < 1e-12);
    const Run r = run_both(text, {"v=" + number(v)});
    for (std::size_t k = 0; k < r.rows(); ++k) {
      const double E = v * v / 2 - (r.time[k] < t ? 0 : along * along / 2), y = r.at(k, "p.y");
      CHECK(std::fabs(r.at(k, "E") - E) < 1e-10);
      // The force is m v^2/l - m g y/l.
      if (r.time[k] > t) CHECK(std::fabs(r.at(k, "pull") - (2 * E - 30 * y)) < 1e-10);
    }
    CHECK(r.last("hits") == 1);
  }
  // The particle starts at (0.95, 0) upwards. The rope becomes taut at y, and slack at v^2 = g y, which is y = E/(1.5
  // g). On the parabola from there r^2 - 1 = g t^3 (g t/4 - vy), so that the rope is taut again after 4 vy/g.
  Simulation simulation = compile_text(text, Engine::interpreter, {"x=0.95", "v=4"});
  RunOptions until;
  until.until_event = "rope.leaves";
  const Run slack = run(simulation, until);
  REQUIRE(slack.result.ended_by == "rope.leaves");
  const double y = std::sqrt(1 - 0.95 * 0.95), along = y * std::sqrt(16 - 20 * y), E = 8 - along * along / 2;
  CHECK(std::fabs(slack.last("E") - E) < 1e-10);
  CHECK(std::fabs(slack.last("p.y") - E / 15) < 1e-11);
  const auto times = times_of(text, {"x=0.95", "v=4"});
  // This is v times the sine of the rope's angle.
  const double up = std::sqrt(2 * E / 3) * std::sqrt(1 - E / 15 * (E / 15));
  CHECK(std::fabs(times.at("rope").at(1) - times.at("rope.leaves").at(0) - 0.4 * up) < 1e-11);
}
