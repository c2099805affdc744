// SPDX-License-Identifier: Apache-2.0
// Tests planar linkages at the limits of their lengths: a four-bar at Grashof's limit, a kite, and a slider-crank with
// equal arms. With exact lengths they go straight through positions in line. With a coupler that is too long by e they
// turn off near these positions, more sharply for smaller e. Without loads the energy is constant.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

struct Plane {
  double x = 0, y = 0;
};

std::string at(const Plane& p, const Plane& v) {
  return "at (" + number(p.x) + ", " + number(p.y) + ") moving (" + number(v.x) + ", " + number(v.y) + ")\n";
}

constexpr const char* kEnd = "output E = energy.total\nsimulate { time = 0 .. 10 step 0.01; assemble }\n";

// Returns cranks of lengths a and b on (0, 0) and (g, 0) and a coupler of length c. The first crank turns with rate 1
// from `angle`.
std::string four_bar(double a, double c, double b, double g, double angle) {
  const Plane p{a * std::cos(angle), a * std::sin(angle)}, v{-p.y, p.x};
  const double dx = g - p.x, dy = -p.y, d = std::hypot(dx, dy);
  const double along = (c * c - b * b + d * d) / (2 * d), across = std::sqrt(c * c - along * along);
  const Plane q{p.x + (along * dx - across * dy) / d, p.y + (along * dy + across * dx) / d};
  // (q - p).(q' - p') = 0 with q' = rate (-q.y, q.x - g).
  const double rate = ((q.x - p.x) * v.x + (q.y - p.y) * v.y) / ((q.y - p.y) * (q.x - g) - (q.x - p.x) * q.y);
  return "mbd 1\nspace 2\nparticle p(1) " + at(p, v) + "particle q(1) " + at(q, {-rate * q.y, rate * (q.x - g)}) +
         "constraint crank: dist(ground, p) == " + number(a) + "\nconstraint rocker: (q.x - " + number(g) +
         ")^2 + q.y^2 == " + number(b) + "^2\nconstraint coupler: dist(p, q) == " + number(c) + "\n" + kEnd;
}

// Returns parallel cranks that turn together.
std::string parallelogram(double angle) {
  const Plane p{std::cos(angle), std::sin(angle)}, v{-p.y, p.x};
  return "mbd 1\nspace 2\nparticle p(1) " + at(p, v) + "particle q(1) " + at({p.x + 2, p.y}, v) +
         "constraint crank: dist(ground, p) == 1\nconstraint rocker: (q.x - 2)^2 + q.y^2 == 1\n"
         "constraint coupler: dist(p, q) == 2\n" +
         kEnd;
}

std::string slider_crank(double rod, double angle) {
  const Plane p{std::cos(angle), std::sin(angle)}, v{-p.y, p.x};
  const double s = p.x + std::sqrt(rod * rod - p.y * p.y);
  const double speed = ((s - p.x) * v.x - p.y * v.y) / (s - p.x);
  return "mbd 1\nspace 2\nparticle p(1) " + at(p, v) + "particle q(1) " + at({s, 0}, {speed, 0}) +
         "constraint crank: dist(ground, p) == 1\nconstraint rod: dist(p, q) == " + number(rod) +
         "\nconstraint guide: q.y == 0\n" + kEnd;
}

std::string linkage(const std::string& name, double e) {
  if (name == "grashof") return four_bar(1, 2.5 + e, 1.5, 2, 0.5 * std::acos(-1.0));
  if (name == "kite") return four_bar(1, 1 + e, 2, 2, 1.2);
  return slider_crank(1 + e, 0.3);
}

double largest_jump(const Run& r) {
  double jump = 0;
  for (std::size_t i = 1; i < r.rows(); ++i) jump = std::max(jump, std::fabs(r.at(i, "E") - r.at(i - 1, "E")));
  return jump / r.at(0, "E");
}

Run with(const std::string& text, const std::string& formulation, const std::string& integrator,
         const std::string& step) {
  return run(text, Engine::interpreter,
             {"formulation=" + formulation, "integrator=" + integrator, "time.step=" + step});
}

}  // namespace

TEST_CASE("linkages at the limits of their lengths keep their energy and their way") {
  const double ulp = 2.2e-16;
  for (const char* name : {"grashof", "kite", "slider"})
    for (const double e : {0.0, ulp, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3}) {
      const std::string text = linkage(name, e);
      const Run reference = with(text, "udwadia_kalaba", "dopri5(rtol = 1e-11, atol = 1e-12)", "0.01");
      INFO(name << " " << e << "\n" << reference.result.rendered);
      REQUIRE(reference.result.status == Status::complete);
      CHECK((reference.result.singular_positions > 0) == (e < 1e-15));
      for (const char* formulation : {"udwadia_kalaba", "kane"})
        for (const char* step : {"0.01", "0.003"}) {
          const Run r = with(text, formulation, "rk4", step);
          INFO(formulation << " " << step << "\n" << r.result.rendered);
          REQUIRE(r.result.status == Status::complete);
          // rk4 resolves turns of sqrt(1e-3) only as accurately as its steps allow.
          const double allowed = e < 1e-4 ? 5e-7 : 2e-4;
          CHECK(largest_jump(r) < allowed);
          CHECK(std::fabs(r.last("E") / r.at(0, "E") - 1) < 2 * allowed);
          CHECK(r.last("p.x") == doctest::Approx(reference.last("p.x")).epsilon(4 * allowed));
        }
      const Run r = with(text, "udwadia_kalaba", "auto", "0.01");
      INFO(r.result.rendered);
      REQUIRE(r.result.status == Status::complete);
      CHECK(std::fabs(r.last("E") / r.at(0, "E") - 1) < 1e-6);
      CHECK(r.last("p.x") == doctest::Approx(reference.last("p.x")).epsilon(2e-6));
    }
}

TEST_CASE("states beside a position in line: one step keeps the energy") {
  const double flat = std::acos(-1.0);
  for (const char* formulation : {"udwadia_kalaba", "augmented", "kane", "maggi"})
    for (const double beside : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7})
      for (const double sign : {-1.0, 1.0}) {
        const std::string text = parallelogram(flat + sign * beside);
        const Run r =
            run(text, Engine::interpreter,
                {std::string("formulation=") + formulation, "integrator=rk4", "time.step=0.001", "time.end=0.001"});
        INFO(formulation << " " << sign * beside << "\n" << text << r.result.rendered);
        REQUIRE(r.result.status == Status::complete);
        CHECK(largest_jump(r) < 1e-7);
      }
}
