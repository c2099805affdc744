// SPDX-License-Identifier: Apache-2.0
// Tests Taylor's method: errors in proportion to the tolerance down to rounding, energies that make a random walk,
// dense output, events and discontinuities, and the same bits from both engines.
#include "runtime/integrators/taylor.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "tests/oracles/closed_forms.h"
#include "tests/oracles/planar_chain.h"
#include "tests/physics/run.h"
#include "tests/random/whole_model.h"

using namespace mbc;
using namespace mbc::test;

namespace {

struct Problem {
  const char* name;
  std::string text;  // SETTINGS stands for the settings of the block.
  const char *x, *y;
  std::function<std::pair<double, double>(double)> exact;
  double floor;  // the error that rounding leaves
};

const std::vector<Problem>& problems() {
  static const std::vector<Problem> list{
      {"Kepler's ellipse, e = 0.5",
       "mbd 1\nspace 2\nparticle p(1) at (0.5, 0) moving (0, sqrt(3))\nforce f on p: -p.pos/norm(p.pos)^3\n"
       "simulate { time = 0 .. 6.25 SETTINGS }\n",
       "p.x", "p.y",
       [](double t) {
         const oracle::Motion m = oracle::kepler(t, 0.5L);
         return std::pair{static_cast<double>(m.x), static_cast<double>(m.y)};
       },
       2e-14},
      {"a pendulum as a constraint",
       "mbd 1\nspace 2\ngravity (0, -9.81)\nparticle p(2) at (0, -1) moving (4, 0)\nconstraint rod: dist(p, ground) == "
       "1\n"
       "simulate { time = 0 .. 3 SETTINGS }\n",
       "p.x", "p.y",
       [](double t) {
         const oracle::Motion m = oracle::pendulum(t, 1, 9.81, 4);
         return std::pair{static_cast<double>(m.x), static_cast<double>(m.y)};
       },
       2e-14},
      {"a knife edge on a tilted plane",  // This problem is that of dop853_test.cpp.
       "mbd 1\ncoord x = 0\ncoord y = 0\ncoord phi = 0 rate 2\nkinetic T: (x'^2 + y'^2 + phi'^2)/2\nload g on x: 9.81\n"
       "constraint knife: x'*sin(phi) - y'*cos(phi) == 0\nsimulate { time = 0 .. 3 SETTINGS }\n",
       "x", "y",
       [](double t) {
         const double a = 9.81 / 8;
         return std::pair{a * std::pow(std::sin(2 * t), 2), a * (2 * t - std::sin(4 * t) / 2)};
       },
       2e-14}};
  return list;
}

double error_of(const Problem& p, const Run& r) {
  double worst = 0;
  for (std::size_t row = 0; row < r.rows(); ++row) {
    const auto [x, y] = p.exact(r.time[row]);
    worst = std::max(worst, std::hypot(r.at(row, p.x) - x, r.at(row, p.y) - y));
  }
  return worst;
}

}  // namespace

TEST_CASE("the errors of taylor are proportional to the tolerance, down to rounding") {
  for (const Problem& p : problems()) {
    CAPTURE(std::string(p.name));
    std::vector<double> tolerances, errors;
    for (double tol = 1e-4; tol > 5e-16; tol /= 10) {
      const Run r = run_both(replaced(p.text, "SETTINGS", "count 50; integrator = taylor(tol = " + number(tol) + ")"));
      REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
      CAPTURE(tol);
      const double error = error_of(p, r);
      MESSAGE(std::string(p.name) << ": tol " << tol << " error " << error << " steps " << r.result.steps
                                  << " evaluations " << r.result.evaluations);
      CHECK(error < tol + p.floor);
      if (error > 10 * p.floor) {
        tolerances.push_back(tol);
        errors.push_back(error);
      }
      CHECK(r.result.warnings.empty());
      CHECK(r.result.accuracy.steps_looked_at == r.result.steps);
    }
    REQUIRE(errors.size() >= 6);
    const double slope = oracle::order(tolerances, errors);
    MESSAGE("slope " << slope);
    CHECK(slope > 0.85);
    CHECK(slope < 1.15);
  }
}

TEST_CASE("rows lie on the polynomial of the step, and change nothing") {
  const Problem& p = problems()[1];
  const Run coarse = run_both(replaced(p.text, "SETTINGS", "count 1; integrator = taylor(tol = 1e-13)"));
  const Run fine = run_both(replaced(p.text, "SETTINGS", "count 3000; integrator = taylor(tol = 1e-13)"));
  CHECK(fine.result.steps == coarse.result.steps);
  CHECK(fine.result.state == coarse.result.state);
  CHECK(error_of(p, fine) < 1e-12);
  CHECK(*fine.constraint("rod").position < 1e-14);
}

TEST_CASE("the energy of a planet walks at random at the last tolerance") {
  const std::string text =
      "mbd 1\nspace 2\nparticle p(1) at (0.5, 0) moving (0, sqrt(3))\nforce f on p: -p.pos/norm(p.pos)^3\n"
      "output E = 0.5*dot(p.vel, p.vel) - 1/norm(p.pos)\n"
      "simulate { time = 0 .. 2*pi*500 count 500; integrator = taylor(tol = 1e-15) }\n";
  const Run r = run(text, have_native() ? Engine::native : Engine::interpreter);
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  double largest = 0;
  for (std::size_t row = 0; row < r.rows(); ++row) largest = std::max(largest, std::fabs(r.at(row, "E") + 0.5));
  MESSAGE("energy off by " << largest << " in " << r.result.steps << " steps");
  // A few half units in each step add up as a random walk: 3 sqrt(n) eps/2.
  CHECK(largest < 3 * std::sqrt(static_cast<double>(r.result.steps)) * 0x1p-53);
}

TEST_CASE("a double pendulum at the last tolerance, against 80 bits") {
  const std::string text =
      "mbd 1\nspace 2\nparticle a(1) at (1, 0)\nparticle b(0.5) at (1, -0.7)\ngravity (0, -9.81)\n"
      "constraint upper: dist(ground, a) == 1\nconstraint lower: dist(a, b) == 0.7\n"
      "simulate { time = 0 .. 2 count 20; integrator = taylor(tol = 1e-15) }\n";
  const Run r = run_both(text);
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  const oracle::PlanarChain<2> chain{{1, 0.5L}, {1, 0.7L}};
  for (const std::size_t row : {5, 10, 15, 20}) {
    const auto x = chain.at({oracle::kPi / 2, 0, 0, 0}, r.time[row], static_cast<int>(4000 * row));
    const auto half = chain.at({oracle::kPi / 2, 0, 0, 0}, r.time[row], static_cast<int>(2000 * row));
    const auto place = chain.position(x, 1), coarse = chain.position(half, 1);
    const oracle::Real reference =
        std::hypot(place[0] - coarse[0], place[1] - coarse[1]) / 15;  // This is the error of the reference, of order 4.
    const oracle::Real off = std::hypot(r.at(row, "b.x") - place[0], r.at(row, "b.y") - place[1]);
    MESSAGE("at " << r.time[row] << " off by " << static_cast<double>(off) << ", the reference by "
                  << static_cast<double>(reference));
    CHECK(reference < 1e-15);
    CHECK(off < 2e-14);
  }
}

TEST_CASE("both engines give the same bits on examples, with their events, kinks and constraints") {
  for (const char* name : {"pendulum", "double_pendulum_redundant", "slider_crank", "bouncing_ball", "rolling_disc",
                           "spinning_top", "suspension", "dry_friction", "foucault", "governor"}) {
    CAPTURE(name);
    const Run r = run_both(example(name), {"integrator=taylor"});
    MESSAGE(name << ": " << r.result.rendered << " steps " << r.result.steps);
    CHECK(r.result.status == Status::complete);
  }
}

TEST_CASE("both engines give the same bits on random models") {
  int complete = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    CAPTURE(seed);
    const WholeModel model(seed);
    const std::string text = model.text(seed % 2 == 0 ? WholeModel::Version::quaternion : WholeModel::Version::plain);
    const Run taylor = run_both(text, {"integrator=taylor(tol = 1e-10)"}, "move");
    if (taylor.result.status != Status::complete) {
      // A written state of a model with constraints may violate them, and a large model has no written-out jet.
      CHECK_MESSAGE((taylor.code() == "E0601" || taylor.code() == "E0503"), taylor.result.rendered);
      continue;
    }
    ++complete;
    const Run other = run(text, Engine::interpreter, {"integrator=dop853(rtol = 1e-11, atol = 1e-12)"}, "move");
    REQUIRE(other.result.status == Status::complete);
    const std::size_t last = taylor.rows() - 1;
    for (std::size_t c = 0; c < taylor.names.size(); ++c) {
      CAPTURE(taylor.names[c]);
      const double x = taylor.values[last * taylor.names.size() + c], y = other.values[last * taylor.names.size() + c];
      CHECK(std::fabs(x - y) <= 1e-6 * std::max(1.0, std::fabs(y)));
    }
  }
  CHECK(complete >= 8);
}

TEST_CASE("a force with a kink is located on the polynomial") {
  const std::string kinked =
      "mbd 1\nspace 1\nparticle p(1) at -1 moving 1\nforce f on p: (if p.x > 0 then -p.x else 0)\n"
      "simulate { time = 0 .. 6 step 0.05; integrator = taylor(tol = 1e-13) }\n";
  const Run r = run_both(kinked);  // The motion is free until 1, half an oscillation until 1 + pi, and then free.
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  for (std::size_t row = 0; row < r.rows(); ++row) {
    const double t = r.time[row], pi = std::acos(-1.0);
    const double x = t < 1 ? t - 1 : t < 1 + pi ? std::sin(t - 1) : 1 + pi - t;
    CHECK(std::fabs(r.at(row, "p.x") - x) < 2e-13);
  }
}

TEST_CASE("a kink that is not located shortens steps instead of passing unseen") {
  const Run r = run_both(
      "mbd 1\nspace 1\nparticle p(1) at -1 moving 1\nforce f on p: (if p.x > 0 then -p.x else 0)\n"
      "simulate { time = 0 .. 3 step 0.5; integrator = taylor(tol = 1e-10); kinks = ignore }\n");
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  CHECK(std::fabs(r.last("p.x") - std::sin(2.0)) < 1e-7);
  CHECK(r.result.rejected > 0);
}

TEST_CASE("loads that are short against the steps are met at the rows") {
  const Run r = run_both(
      "mbd 1\nspace 1\nparticle p(1) at 0\nforce push on p: if t > 47 and t < 47.3 then 10 else 0\n"
      "simulate { time = 0 .. 100 step 0.01; integrator = taylor }\n");
  CHECK(std::fabs(r.last("p.vx") - 3) < 1e-6);
}
