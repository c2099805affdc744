// SPDX-License-Identifier: Apache-2.0
// Tests seed 003, section 3: two particles on a rotating meridian and under two knife edges whose rank drops at t = 3
// s. The reference values are those of classical rk4 in an independent program, and the exact motion (latitude f'' =
// -(2 pi)^2 sin f cos f).
#include <doctest/doctest.h>

#include <cmath>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

struct Largest {
  double h1 = 0, h2 = 0, g3 = 0, g4 = 0, z2 = 0;
};

Largest measure(const Run& run) {
  Largest m;
  const double turn = 2 * std::acos(-1.0);
  for (std::size_t i = 0; i < run.rows(); ++i) {
    const double t = run.time[i], x = run.at(i, "p1.x"), y = run.at(i, "p1.y"), z = run.at(i, "p1.z");
    const double z2 = run.at(i, "p2.z"), vx = run.at(i, "p2.vx"), vy = run.at(i, "p2.vy");
    m.h1 = std::max(m.h1, std::fabs(x * x + y * y + z * z - 1));
    m.h2 = std::max(m.h2, std::fabs(x * std::sin(turn * t) - y * std::cos(turn * t)));
    m.g3 = std::max(m.g3, std::fabs(z2 * vx - vy));
    m.g4 = std::max(m.g4, std::fabs(z2 * z2 * vx - vy));
    m.z2 = std::max(m.z2, std::fabs(z2 - (-0.75 + 0.25 * t)));
  }
  return m;
}

void check_rank_drop(const Run& run) {
  const auto& changes = run.result.rank_changes;
  REQUIRE(changes.size() == 2);
  CHECK(run.result.rank == 4);
  CHECK(changes[0].time == doctest::Approx(3).epsilon(1e-12));
  CHECK(changes[0].before == 4);
  CHECK(changes[0].after == 3);
  CHECK(changes[0].rows == std::vector<std::string>{"knife2"});
  CHECK(changes[1].time == doctest::Approx(3.005).epsilon(1e-12));
  CHECK(changes[1].after == 4);
}

}  // namespace

TEST_CASE("two particles: the numbers of the seed with rk4 and no stabilisation") {
  const Run run = run_both(example("two_particles"));
  REQUIRE(run.result.status == Status::complete);
  REQUIRE(run.rows() == 1001);
  CHECK(run.time.back() == 5.0);
  const Largest m = measure(run);
  CHECK(m.h1 == doctest::Approx(1.465189e-5).epsilon(1e-6));
  CHECK(m.h2 == doctest::Approx(5.484218e-7).epsilon(1e-6));
  CHECK(m.h2 <= 5.5e-7);
  CHECK(m.g3 == 0.0);
  CHECK(m.g4 == 0.0);
  CHECK(m.z2 <= 2e-14);
  CHECK(*run.constraint("sphere").position == doctest::Approx(m.h1).epsilon(1e-9));
  CHECK(*run.constraint("meridian").velocity == doctest::Approx(6.03e-8).epsilon(1e-3));
  check_rank_drop(run);
  // The values are at 5 s, with the accuracy of the reference.
  const std::pair<const char*, double> expected[] = {{"p1.x", 0.9973317267921},
                                                     {"p1.y", -0.0000005484224},
                                                     {"p1.z", 0.0729025023182},
                                                     {"p1.vx", 0.3221739283548},
                                                     {"p1.vy", 6.2664199919120},
                                                     {"p1.vz", -4.4074448612361},
                                                     {"p2.x", 2},
                                                     {"p2.y", 1}};
  for (const auto& [name, value] : expected)
    CHECK_MESSAGE(std::fabs(run.last(name) - value) <= 5e-12, std::string(name));
}

TEST_CASE("two particles: projection keeps both surfaces and improves the motion") {
  const std::string text = replaced(example("two_particles"), "stabilise   = none", "stabilise   = project");
  const Run run = run_both(text);
  REQUIRE(run.result.status == Status::complete);
  const Largest m = measure(run);
  CHECK(m.h1 <= 1e-13);
  CHECK(m.h2 <= 1e-13);
  CHECK(m.g3 == 0.0);
  CHECK(m.g4 == 0.0);
  check_rank_drop(run);
  // The remaining difference from the exact motion is the error of rk4 in the latitude.
  const double exact[] = {0.99734071784866, 0, 0.072879987109747};
  CHECK(std::fabs(run.last("p1.x") - exact[0]) < 3e-5);
  CHECK(std::fabs(run.last("p1.z") - exact[2]) < 3e-5);
  // The work of the rotating meridian explains the growth of the energy.
  CHECK(run.result.balance_error < 1e-3 * run.result.work_of_constraints);
}

TEST_CASE("two particles: the literal formula of the seed gives the same motion") {
  const std::string text = example("two_particles");
  const Run fast = run(text), literal = run_both(replaced(text, "= udwadia_kalaba", "= udwadia_kalaba(literal)"));
  REQUIRE(literal.result.status == Status::complete);
  CHECK(literal.result.formulation == "udwadia_kalaba(literal)");
  REQUIRE(fast.values.size() == literal.values.size());
  double difference = 0;
  for (std::size_t i = 0; i < fast.values.size(); ++i)
    difference = std::max(difference, std::fabs(fast.values[i] - literal.values[i]));
  CHECK(difference <= 1e-9);
}

TEST_CASE("two particles: a load on the second one makes no contradiction where its rows meet") {
  // At z = 0 both knife edges require y' = 0. The direction that z = 0 leaves free carries the load, for any step that
  // reaches z = 0.
  const std::string paper = example("two_particles");
  const std::string model =
      paper.substr(0, paper.find("simulate")) + "param push = 1\nforce shove on p2: (push, 0, 0)\n";
  for (const char* formulation : {"udwadia_kalaba", "augmented"})
    for (const char* step : {"0.01", "0.005", "0.004", "0.002"}) {
      CAPTURE(std::string(formulation));
      CAPTURE(std::string(step));
      const Run r = run(
          model + "simulate { time = 0 .. 5 step " + step + "; integrator = rk4; formulation = " + formulation + " }\n",
          have_native() ? Engine::native : Engine::interpreter);
      CHECK(r.code() == "");
      CHECK(r.result.status == Status::complete);
    }
}
