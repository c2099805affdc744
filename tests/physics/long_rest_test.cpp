// SPDX-License-Identifier: Apache-2.0
// Tests parts that lie still for 100 s: on a plane, on a slope within the cone of friction, on each other. Their rows
// hold them, so nothing moves, nothing is counted, and no step is shortened.
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
constexpr const char* kSpan = "simulate { time = 0 .. 100 step 1 }\n";

// Checks a run of parts at rest: 100 s in at most 50 steps, the values of all columns but forces constant to 1e-12.
void stays(const Run& r, const std::vector<std::string>& forces) {
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  CHECK(r.result.steps <= 50);
  CHECK(r.result.warnings.empty());
  for (const std::string& name : r.names) {
    if (std::find(forces.begin(), forces.end(), name) != forces.end()) continue;
    double most = 0;
    for (std::size_t row = 0; row < r.rows(); ++row) most = std::max(most, std::fabs(r.at(row, name) - r.at(0, name)));
    CHECK_MESSAGE(most <= 1e-12, name);
  }
}

void is_always(const Run& r, const std::string& name, double value, double within = 1e-10) {
  double most = 0;
  for (std::size_t row = 0; row < r.rows(); ++row) most = std::max(most, std::fabs(r.at(row, name) - value));
  CHECK(most <= within * std::max(1.0, std::fabs(value)));
}

// Cubes on top of each other, from the lowest one, each somewhat aside of the one below.
std::string stack(const std::vector<double>& masses) {
  std::string text = "mbd 1\nuse bodies, contact\ngravity (0, 0, -9.81)\n", lowest = "output push = 0";
  for (std::size_t k = 0; k < masses.size(); ++k) {
    const std::string me = "c" + std::to_string(k), m = number(masses[k]),
                      aside = number(0.01 * static_cast<double>(k)),
                      deck = k > 0 ? ", deck = c" + std::to_string(k - 1) + ".at(0, 0, 0.1)" : "";
    text += "body " + me + "(mass = " + m + ", inertia = cuboid_inertia(" + m + ", 0.2, 0.2, 0.2)) at (" + aside +
            ", -" + aside + ", " + number(0.1 + 0.2 * static_cast<double>(k)) + ")\n";
    for (int corner = 0; corner < 4; ++corner) {
      const std::string name = "f" + std::to_string(k) + std::to_string(corner);
      text += "RoughFloor " + name + "(" + me + ".at(" + (corner % 2 == 0 ? "0.1" : "-0.1") + ", " +
              (corner < 2 ? "0.1" : "-0.1") + ", -0.1), mu = 0.5" + deck + ")\n";
      if (k == 0) lowest += " + " + name + ".side.lambda";
    }
  }
  return text + lowest + ", touches = f00.side.count\n" + kSpan;
}

// Bricks of 1 x 0.4 in rows, each a quarter aside of those below: edges of one and corners of the other touch.
std::string wall(int rows, int columns) {
  std::string text = R"(mbd 1
space 2
use planar_joints, math
gravity (0, -9.81)
model Above(b: point, deck: frame) {
  constraint side: distance_along(ey, deck, b) >= 0
  friction rub on dot(deck.rot*ex, relative_velocity_in_plane(deck, b)): 0.6*side.lambda
}
model Below(b: point, deck: frame) {
  constraint side: distance_along(ey, deck, b) <= 0
  friction rub on dot(deck.rot*ex, relative_velocity_in_plane(deck, b)): 0.6*side.lambda
}
)",
              lowest = "output push = 0";
  const auto name = [](int row, int i) { return "b" + std::to_string(row) + "_" + std::to_string(i); };
  const auto place = [](int row, int i) { return i + 0.25 * (row % 2); };
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < columns; ++i)
      text += "body " + name(row, i) + "(mass = 1, inertia = 0.0966) at (" + number(place(row, i)) + ", " +
              number(0.2 + 0.4 * row) + ")\n";
  for (int i = 0; i < columns; ++i)
    for (const std::string end : {"-0.5", "0.5"}) {
      const std::string spot = "g" + std::to_string(i) + (end == "0.5" ? "r" : "l");
      text += "Above " + spot + "(" + name(0, i) + ".at(" + end + ", -0.2), ground.at(0, 0))\n";
      lowest += " + " + spot + ".side.lambda";
    }
  for (int row = 1; row < rows; ++row)
    for (int i = 0; i < columns; ++i)
      for (int j = 0; j < columns; ++j) {
        const double aside = place(row, i) - place(row - 1, j);
        if (std::fabs(aside) > 0.99) continue;
        const std::string pair = std::to_string(row) + "_" + std::to_string(i) + "_" + std::to_string(j),
                          up = name(row, i), down = name(row - 1, j), end = aside > 0 ? "-0.5" : "0.5",
                          other = aside > 0 ? "0.5" : "-0.5";
        text += "Above a" + pair + "(" + up + ".at(" + end + ", -0.2), " + down + ".at(0, 0.2))\n";
        text += "Below u" + pair + "(" + down + ".at(" + other + ", 0.2), " + up + ".at(0, -0.2))\n";
      }
  return text + lowest + "\n" + kSpan;
}

}  // namespace

TEST_CASE("a box lies for 100 s on a slope within its cone") {
  for (const double tilt : {0.0, 0.3}) {
    CAPTURE(tilt);
    const Run r = run(R"(mbd 1
use bodies
param tilt = )" + number(tilt) +
                      R"(
gravity (0.6*9.81*sin(tilt), 0.8*9.81*sin(tilt), -9.81*cos(tilt))
body box(mass = 2, inertia = cuboid_inertia(2, 0.4, 0.3, 0.2)) at (0.1, 0.2, 0.1) rotated rotz(0.7)
shape brick on box: box(0.4, 0.3, 0.2)
shape soil on ground: plane(ez)
Contact c(brick, soil, mu = 0.5)
output push = c.lambda, pull = sum(c.spot[k].rub.lambda.x for k in 1..4), touches = c.spot[1].side.count
)" + kSpan);
    stays(r, {"push", "pull", "c.lambda"});
    is_always(r, "push", 2 * kGravity * std::cos(tilt));
    CHECK(r.last("touches") == 0);
    CHECK(r.last("box.vx") == 0);
    CHECK(r.last("box.omegaz") == 0);
  }
}

// Rounding of the forces on the light cube is eps times the ratio of the masses.
TEST_CASE("cubes lie on each other for 100 s, light on heavy and heavy on light") {
  for (const std::vector<double>& masses :
       {std::vector<double>{1, 1}, {1, 1, 1}, {1, 1e3}, {1e3, 1}, {1, 1e6}, {1e6, 1}}) {
    CAPTURE(masses[0]);
    CAPTURE(masses[1]);
    double sum = 0;
    for (const double m : masses) sum += m;
    const Run r = run(stack(masses));
    std::vector<std::string> forces{"push"};
    for (const std::string& name : r.names)
      if (name.find(".push") != std::string::npos) forces.push_back(name);
    stays(r, forces);
    is_always(r, "push", sum * kGravity, sum > 1e4 ? 1e-9 : 1e-10);
    CHECK(r.last("touches") == 0);
  }
}

TEST_CASE("a wall of six bricks stands for 100 s") {
  const Run r = run(wall(3, 2));
  stays(r, {"push"});
  is_always(r, "push", 6 * kGravity);
}
