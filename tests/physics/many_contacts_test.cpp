// SPDX-License-Identifier: Apache-2.0
// Tests very many unilateral constraints of which few are active at a time: each pair in a crowd of balls, by events.
// Open contacts cost little and change nothing.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

// Returns 14 discs on a floor between walls, with 91 pairs and 42 contacts with floor and walls. They fall and rebound
// with e. `with` holds additional statements.
std::string crowd(const std::string& simulate, const std::string& with = "") {
  return R"(mbd 1
space 2
gravity (0, -9.81)
let n = 14
param e = 0.3
particle p[i in 1..n](0.1) at (0.11*(i - 4*floor((i - 1)/4) - 2.5) + 0.002*sin(7*i), 0.06 + 0.12*floor((i - 1)/4)) moving (0.3*sin(3*i), 0.2*cos(5*i))
constraint low[i in 1..n]: p[i].y >= 0.05 restitution e
constraint left[i in 1..n]: p[i].x >= -0.26 restitution e
constraint right[i in 1..n]: p[i].x <= 0.26 restitution e
for i in 2..n { for j in 1..i-1 { constraint apart[i, j]: dist(p[i], p[j]) >= 0.1 restitution e } }
)" + with +
         "output E = energy.total\nsimulate { " + simulate + " }\n";
}

}  // namespace

TEST_CASE("a crowd of balls by events: gaps are kept and no energy comes of it, by both engines") {
  const std::string text = crowd("time = 0 .. 0.6 step 0.02; integrator = auto(tol = 1e-6)");
  const Run r = run_both(text);
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  for (std::size_t k = 1; k < r.rows(); ++k) CHECK(r.at(k, "E") <= r.at(k - 1, "E") * (1 + 1e-9));
  CHECK(r.last("E") < 0.9 * r.at(0, "E"));
  for (std::size_t k = 0; k < r.rows(); ++k)
    for (int i = 1; i <= 14; ++i) {
      const std::string a = "p[" + std::to_string(i) + "]";
      CHECK(r.at(k, a + ".y") > 0.05 - 1e-10);
      for (int j = 1; j < i; ++j) {
        const std::string b = "p[" + std::to_string(j) + "]";
        CHECK(std::hypot(r.at(k, a + ".x") - r.at(k, b + ".x"), r.at(k, a + ".y") - r.at(k, b + ".y")) > 0.1 - 1e-10);
      }
    }
}

// These equations are eliminated before the contacts: a chain that falls on the crowd.
TEST_CASE("contacts of very many pairs beside equations: the same motion by another formulation") {
  const std::string chain = R"(particle q[k in 1..6](0.05) at (0.04*k - 0.14, 0.7)
constraint link[k in 2..6]: dist(q[k], q[k-1]) == 0.04
output off = sum(abs(dist(q[k], q[k-1]) - 0.04) for k in 2..6)
for k in 1..6 { for i in 1..n { constraint over[k, i]: dist(q[k], p[i]) >= 0.06 restitution 0.5 } }
)";
  const std::string text = crowd("time = 0 .. 0.25 step 0.01; integrator = auto(tol = 1e-9)", chain);
  const Run a = run(text);
  REQUIRE_MESSAGE(a.result.status == Status::complete, a.result.rendered);
  const Run b = run(replaced(text, "integrator =", "formulation = augmented; integrator ="));
  REQUIRE_MESSAGE(b.result.status == Status::complete, b.result.rendered);
  REQUIRE(a.rows() == b.rows());
  double worst = 0;
  for (std::size_t k = 0; k < a.values.size(); ++k) worst = std::max(worst, std::fabs(a.values[k] - b.values[k]));
  CHECK(worst < 1e-7);
  for (std::size_t k = 0; k < a.rows(); ++k) CHECK(a.at(k, "off") < 1e-9);
}

// A row that an impact keeps active also keeps its impulse if the rebound of another row is taken back because it is
// too slow. A ball falls on one that lies in a corner, 1e-8 beside its middle, so that it leaves the wall at 3e-8.
TEST_CASE("a rebound that is none leaves the impulses of the impact as they are") {
  const std::string text = R"(mbd 1
space 2
gravity (-0.1, -9.81)
particle b(1) at (0, 0)
particle a(1) at (-1e-8, 1) moving (0, -2)
constraint deck: b.y >= 0
constraint wall: b.x >= 0
constraint top: dist(b, a) >= 1 restitution 0.5
output by_deck = deck.impulse, by_top = top.impulse, left = wall.count
simulate { time = 0 .. 0.1 step 0.01; integrator = auto(tol = 1e-9) }
)";
  const Run r = run_both(text);
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  CHECK(std::fabs(r.last("by_deck") - 3) < 1e-12);
  CHECK(std::fabs(r.last("by_top") - 3) < 1e-12);
  CHECK(r.last("left") == 0);
  for (std::size_t k = 0; k < r.rows(); ++k) {
    const double t = 0.01 * static_cast<double>(k);
    CHECK(r.at(k, "b.x") == 0);
    CHECK(std::fabs(r.at(k, "b.y")) < 1e-13);
    CHECK(std::fabs(r.at(k, "a.y") - (1 + t - 0.5 * 9.81 * t * t)) < 1e-12);
    CHECK(std::fabs(r.at(k, "a.x") - (-1e-8 - 3e-8 * t - 0.05 * t * t)) < 1e-12);
  }
}
