// SPDX-License-Identifier: Apache-2.0
// Tests states with rates, and these rates, in slips, limits, gaps and restitutions. The state is w = exp(-t/10).
#include <doctest/doctest.h>

#include <cmath>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

const std::string kState = "mbd 1\nstate w = 1 where w' = -0.1*w\n";
const std::string kEnd = "simulate { time = 0 .. 3 step 0.05; integrator = auto(tol = 1e-11) }\n";

double w(double t) { return std::exp(-0.1 * t); }

// A part starts at rest, is pulled by 2 until it is as fast as w, and then stays with it.
struct Carried {
  double from = zero_between(0, 1, [](double t) { return w(t) - 2 * t; });
  [[nodiscard]] double place(double t) const { return from * from + 10 * (w(from) - w(t)); }
};

void is_carried(const Run& r, const std::string& place, const std::string& speed) {
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  CHECK(std::fabs(r.last(place) - Carried().place(3)) < 1e-9);
  CHECK(std::fabs(r.last(speed) - w(3)) < 1e-11);
}

const std::string kRotor = kState + "coord a = 0\nkinetic T: 0.5*a'^2\n";

}  // namespace

TEST_CASE("friction against a speed that is a state: it is reached and kept") {
  for (const char* friction : {"friction f on a' - w: 2\n", "friction f on w - a': 2 static 2\n",
                               "use contact\nClutch c(w, a', 2)\n", "use contact\nJointFriction j(a' - w, 2)\n"}) {
    CAPTURE(std::string(friction));
    is_carried(run_both(kRotor + friction + kEnd), "a", "a'");
  }
  const std::string text = kRotor + "friction f on a' - w: 2\n" + kEnd;
  for (const char* f : {"augmented", "projection", "lagrange", "maggi", "kane"})
    is_carried(run(replaced(text, "integrator =", std::string("formulation = ") + f + "; integrator =")), "a", "a'");
  for (const char* m : {"dopri5(rtol = 1e-11, atol = 1e-12)", "dop853(rtol = 1e-11, atol = 1e-12)", "taylor"})
    is_carried(run(replaced(text, "auto(tol = 1e-11)", m)), "a", "a'");
}

TEST_CASE("a floor that runs with a state carries what lies on it") {
  const std::string floor = "use contact\ngravity (0, 0, -10)\nparticle p(1) at (0, 0, 0)\n";
  is_carried(run_both(kState + floor + "RoughFloor belt(p, 0.2, belt = w)\n" + kEnd), "p.x", "p.vx");
}

TEST_CASE("the rate of a state in slips and limits, and what holds multipliers among them") {
  // The slip a' + w' is smaller by 0.1 w: a' = 1 - 2 t until it reaches 0.1 w.
  const Run slips = run_both(replaced(kRotor, "a = 0", "a = 0 rate 1") + "friction f on a' + w': 2\n" + kEnd);
  REQUIRE(slips.result.status == Status::complete);
  CHECK(std::fabs(slips.last("a'") - 0.1 * w(3)) < 1e-11);
  const double from = zero_between(0, 1, [](double t) { return 1 - 2 * t - 0.1 * w(t); });
  CHECK(std::fabs(slips.last("a") - (from - from * from + w(from) - w(3))) < 1e-9);
  // The coefficient of the block is -w' = w/10, so that v = 3 - 10 (1 - w).
  const std::string block =
      "space 2\ngravity (0, -10)\nparticle p(2) at (0, 0) moving (3, 0)\nconstraint d: p.y >= 0\n";
  const Run slides = run_both(kState + block + "friction f on p.vx: -w'*d.lambda\n" + kEnd);
  REQUIRE(slides.result.status == Status::complete);
  CHECK(std::fabs(slides.last("p.vx") - (3 - 10 * (1 - w(3)))) < 1e-10);
  // At rest the static limit -5 w' holds a pull of 0.4 until w = 0.8.
  const std::string pulled = kRotor + "load pull on a: 0.4\nfriction f on a': 0 static -5*w'\n" + kEnd;
  const Run held = run_both(pulled);
  REQUIRE(held.result.status == Status::complete);
  CHECK(std::fabs(times_of(pulled).at("f.slips").at(0) + 10 * std::log(0.8)) < 1e-12);
  CHECK(std::fabs(held.last("a'") - 0.4 * (3 + 10 * std::log(0.8))) < 1e-10);
}

TEST_CASE("states and their rates in inequalities and their restitution") {
  // The part falls with 1 until a' = w' = -w/10, and then keeps this speed.
  const std::string fall = "coord a = 1.5\nkinetic T: 0.5*a'^2\nload g on a: -1\n";
  const Run slow = run_both(kState + fall + "constraint c: a' >= w'\n" + kEnd);
  REQUIRE_MESSAGE(slow.result.status == Status::complete, slow.result.rendered);
  const double from = zero_between(0, 1, [](double t) { return 0.1 * w(t) - t; });
  CHECK(std::fabs(slow.last("a'") + 0.1 * w(3)) < 1e-11);
  CHECK(std::fabs(slow.last("a") - (1.5 - from * from / 2 - w(from) + w(3))) < 1e-9);
  // The part meets a floor that sinks with w. It rebounds with -10 w' = w times the approach speed.
  const std::string bounce = kState + fall + "constraint c: a >= w restitution -10*w'\n" + kEnd;
  const Run ball = run_both(bounce);
  REQUIRE(ball.result.status == Status::complete);
  const double meets = zero_between(0.5, 2, [](double t) { return 1.5 - t * t / 2 - w(t); });
  CHECK(std::fabs(times_of(bounce).at("c").at(0) - meets) < 1e-11);
  const double floor = -0.1 * w(meets), after = floor + w(meets) * (meets + floor);
  const auto row = static_cast<std::size_t>(std::ceil(meets / 0.05));
  CHECK(std::fabs(ball.at(row, "a'") - (after - (ball.time[row] - meets))) < 1e-10);
}
