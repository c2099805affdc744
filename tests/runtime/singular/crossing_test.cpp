// SPDX-License-Identifier: Apache-2.0
// Tests steps near singular positions. Linkages that only come near to such a position turn off sharply, in agreement
// with a method of much smaller tolerance. Linkages that reach it go straight through, keep their energy, and complete
// with every formulation and step. Both engines and restored simulations give the same bits there.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

// Returns a parallelogram whose coupler is too long by e, so that the flat position is only nearly singular.
std::string too_long(double e, const std::string& settings) {
  return R"(mbd 1
space 2
param e = )" +
         number(e) + R"(
particle a(1) at (0, 1) moving (1, 0)
particle b(1) at (2 + e, 1) moving (1, 0)
constraint left: dist(ground, a) == 1
constraint right: (b.x - 2)^2 + b.y^2 == 1
constraint coupler: dist(a, b) == 2 + e
output A = a.pos, B = b.pos, E = energy.total
simulate { assemble; time = 0 .. 10 )" +
         settings + " }\n";
}

// Returns `count` parallelograms side by side with an angle for each bar, upright at the start.
std::string by_angles(int count, const std::string& settings) {
  return R"(mbd 1
use bodies
space 2
gravity (0, -9.81)
param N: int = )" +
         std::to_string(count) + R"(
coord a[i in 0..N] = 0 rate 1
body crank[i in 0..N](mass = 1, inertia = planar_rod_inertia(1, 1)) follows frame(origin = (i + 0.5*sin(a[i]), 0.5*cos(a[i])), rotation = rot(-a[i]))
coord b[i in 1..N] = 0
body coupler[i in 1..N](mass = 1, inertia = planar_rod_inertia(1, 1)) follows frame(origin = (i - 1 + sin(a[i-1]) + 0.5*cos(b[i]), cos(a[i-1]) + 0.5*sin(b[i])), rotation = rot(b[i]))
constraint link[i in 1..N]: (i - 1 + sin(a[i-1]) + cos(b[i]), cos(a[i-1]) + sin(b[i])) == (i + sin(a[i]), cos(a[i]))
output E = energy.total, apart = sum(abs(sin(a[i] - a[0])) for i in 1..N)
simulate { time = 0 .. )" +
         settings + " }\n";
}

// Two cranks carry a coupler, and a third crank carries it once more, so that one row is always redundant.
const std::string kThirdCrank = R"(mbd 1
space 2
use planar_joints, bodies
body c[i in 0..2](mass = 1, inertia = planar_rod_inertia(1, 1)) at (i, 0.5) moving (0.5, 0) spinning -1
body k(mass = 2, inertia = planar_rod_inertia(2, 2)) at (1, 1) moving (1, 0)
Pin foot[i in 0..2](ground.at(i, 0), c[i].at(0, -0.5))
Pin head[i in 0..2](c[i].at(0, 0.5), k.at(i - 1, 0))
output E = energy.total
simulate { time = 0 .. 10 step 0.001; integrator = rk4 }
)";

const std::string kReference = "step 0.01; integrator = dopri5(rtol = 1e-12, atol = 1e-13)";

// Returns the largest change of energy relative to the first row.
double energy_change(const Run& run) {
  double largest = 0;
  for (std::size_t row = 0; row < run.rows(); ++row)
    largest = std::max(largest, std::fabs(run.at(row, "E") / run.at(0, "E") - 1));
  return largest;
}

Run completed(const std::string& text) {
  Run made = run(text);
  REQUIRE_MESSAGE(made.result.status == Status::complete, made.result.rendered);
  return made;
}

std::vector<double> places(const Run& run) {
  std::vector<double> out;
  for (const char* column : {"A.x", "A.y", "B.x", "B.y"}) out.push_back(run.last(column));
  return out;
}

double distance(const std::vector<double>& one, const std::vector<double>& other) {
  double largest = 0;
  for (std::size_t k = 0; k < one.size(); ++k) largest = std::max(largest, std::fabs(one[k] - other[k]));
  return largest;
}

}  // namespace

TEST_CASE("a linkage that comes near to a singular position turns off there as small tolerances say") {
  struct Case {
    double e;
    const char* step;
    double place, energy;  // twice the measured values
  };
  const Case cases[] = {
      {1e-3, "0.01", 2e-4, 1.2e-4}, {1e-3, "0.001", 2e-9, 6e-9},  // These are the errors of rk4 itself.
      {1e-5, "0.01", 2e-8, 6e-9},   {1e-5, "0.001", 1.5e-6, 6e-7}, {1e-7, "0.01", 4e-7, 1.2e-7},
      {1e-7, "0.001", 5e-9, 5e-9},  {1e-9, "0.01", 1e-6, 4e-7},    {1e-9, "0.001", 1e-6, 4e-7},
  };
  for (const Case& c : cases) {
    CAPTURE(c.e);
    CAPTURE(c.step);
    const Run reference = completed(too_long(c.e, kReference));
    CHECK(energy_change(reference) < 4e-10);
    const Run found = completed(too_long(c.e, std::string("step ") + c.step + "; integrator = rk4"));
    CHECK(distance(places(found), places(reference)) < c.place);
    CHECK(energy_change(found) < c.energy);
  }
}

// With rows every 0.2 ms, one row lies where the accelerations are only noise, and the next piece of the run begins
// there.
TEST_CASE("a row of five parallelograms with small steps goes on through its positions") {
  for (const char* formulation : {"udwadia_kalaba", "augmented", "kane", "projection"}) {
    CAPTURE(formulation);
    const Run r = completed(R"(mbd 1
param N: int = 5
gravity (0, -9.81)
space 2
use bodies
coord a[i in 0..N] = pi/2 rate 1
body crank[i in 0..N](mass = 1, inertia = planar_rod_inertia(1, 1)) follows frame(origin = (i + 0.5*sin(a[i]), 0.5*cos(a[i])), rotation = rot(-a[i]))
coord b[i in 1..N] = 0
body coupler[i in 1..N](mass = 1, inertia = planar_rod_inertia(1, 1)) follows frame(origin = (i - 1 + sin(a[i-1]) + 0.5*cos(b[i]), cos(a[i-1]) + 0.5*sin(b[i])), rotation = rot(b[i]))
constraint link[i in 1..N]: (i - 1 + sin(a[i-1]) + cos(b[i]), cos(a[i-1]) + sin(b[i])) == (i + sin(a[i]), cos(a[i]))
output E = energy.total
simulate { time = 0 .. 2.1 step 0.0002; integrator = rk4; formulation = )" +
                            std::string(formulation) + " }\n");
    CHECK(r.result.singular_positions == 3);
    CHECK(energy_change(r) < 1e-7);
  }
}

// The final state is a smooth function of the square root of e.
TEST_CASE("a coupler too long by 1e-12 turns off as the longer ones let expect") {
  const double e[] = {1e-8, 1e-9};
  std::vector<double> first = places(completed(too_long(e[0], kReference)));
  const std::vector<double> second = places(completed(too_long(e[1], kReference)));
  const double beyond = (std::sqrt(e[1]) - std::sqrt(1e-12)) / (std::sqrt(e[0]) - std::sqrt(e[1]));
  for (std::size_t k = 0; k < first.size(); ++k) first[k] = second[k] + (second[k] - first[k]) * beyond;
  for (const char* step : {"0.01", "0.001"}) {
    CAPTURE(step);
    const Run found = completed(too_long(1e-12, std::string("step ") + step + "; integrator = rk4"));
    CHECK(distance(places(found), first) < 2e-6);
    CHECK(energy_change(found) < 5e-7);
  }
}

TEST_CASE("lengths that agree, or to their last digit, go straight on") {
  for (const double e : {0.0, 0x1p-52, 0x1p-51})
    for (const char* step : {"0.01", "0.001"}) {
      CAPTURE(e);
      CAPTURE(step);
      const Run found = completed(too_long(e, std::string("step ") + step + "; integrator = rk4"));
      double off = 0;
      for (std::size_t row = 0; row < found.rows(); ++row)
        off = std::max(off, std::fabs(found.at(row, "B.x") - 2 - std::sin(found.time[row])));
      CHECK(off < 5e-8);
      CHECK(energy_change(found) < 2e-8);
    }
}

TEST_CASE("rows of parallelograms keep their energy through flat positions, with one row too many as well") {
  const Run row = completed(by_angles(4, "20 step 0.0008; integrator = rk4"));
  CHECK(std::fabs(row.last("E") / row.at(0, "E") - 1) < 1e-9);
  CHECK(energy_change(row) < 1.5e-6);  // Rows within one long piece are interpolated.
  for (std::size_t k = 0; k < row.rows(); ++k) REQUIRE(row.at(k, "apart") < 1e-7);
  CHECK(energy_change(completed(kThirdCrank)) < 1e-9);
}

TEST_CASE("in independent speeds the double four-bar keeps its energy at a step that its position divides badly") {
  std::string text =
      replaced(example("double_four_bar"), "step 0.002; integrator", "step 0.00125; formulation = kane; integrator");
  text = replaced(text, "output energy.total, ", "output E = energy.total, ");
  CHECK(energy_change(completed(text)) < 1e-8);
}

TEST_CASE("with error control and rows every 1 ms, rows beside flat positions stop nothing") {
  const std::string settings = "10 step 0.001; integrator = dopri5(rtol = 1e-10, atol = 1e-12)";
  for (const int count : {1, 2, 4}) {
    CAPTURE(count);
    CHECK(energy_change(completed(by_angles(count, settings))) < 1e-8);
  }
}

TEST_CASE("the interpreter and native code give the same bits through singular positions") {
  for (const double e : {0.0, 0x1p-51, 1e-12, 1e-7, 1e-3})
    CHECK(run_both(too_long(e, "step 0.01; integrator = rk4")).result.status == Status::complete);
  CHECK(run_both(by_angles(4, "5 step 0.0008; integrator = rk4")).result.status == Status::complete);
  CHECK(run_both(by_angles(2, "5 step 0.001; integrator = dopri5")).result.status == Status::complete);
  CHECK(run_both(kThirdCrank).result.status == Status::complete);
}

TEST_CASE("a simulation saved beside a singular position goes on bit for bit") {
  constexpr double kStep = 0.01;
  for (const double e : {0.0, 1e-12, 1e-7, 1e-3})
    for (const char* settings : {"step 0.01; integrator = rk4", "step 0.01; integrator = dopri5",
                                 "step 0.01; integrator = rk4; stabilise = partition", "step 0.01; integrator = ab4"}) {
      CAPTURE(e);
      CAPTURE(settings);
      const std::string text = too_long(e, settings);
      Simulation one = compile_text(text, Engine::interpreter);
      std::vector<std::string> saved;
      for (int k = 0; k < 165; ++k) {
        REQUIRE(one.step(kStep));
        // The times are t = 1.53 to 1.62, and the position is at 1.5708.
        if (k >= 152 && k < 162) saved.push_back(one.save());
      }
      for (std::size_t k = 0; k < saved.size(); ++k) {
        CAPTURE(k);
        Simulation other = compile_text(text, Engine::interpreter);
        REQUIRE(other.restore(saved[k]));
        CHECK(other.save() == saved[k]);
        for (std::size_t left = 12 - k; left > 0; --left) REQUIRE(other.step(kStep));
        CHECK(other.time() == one.time());
        CHECK(other.state() == one.state());
      }
    }
}
