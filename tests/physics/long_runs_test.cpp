// SPDX-License-Identifier: Apache-2.0
// Tests gauss4 and gauss6: their order compared with closed forms, energies that stay in a band in long runs,
// constraints at round-off, the same bits from both engines and after a restoration, and their refusals.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/oracles/closed_forms.h"
#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;
using oracle::Motion;

namespace {

const std::string kKepler =
    "mbd 1\nspace 2\nparticle p(1) at (0.5, 0) moving (0, sqrt(3))\npotential V: -1/norm(p.pos)\n"
    "output E = energy.total\nsimulate { time = 0 .. END count COUNT; integrator = METHOD }\n";
const std::string kPendulum =
    "mbd 1\nspace 2\ngravity (0, -9.81)\nparticle p(2) at (0, -1) moving (4, 0)\n"
    "constraint rod: p.x^2 + p.y^2 == 1\n"
    "output E = energy.total\nsimulate { time = 0 .. END count COUNT; integrator = METHOD }\n";
const std::string kDouble =
    "mbd 1\nspace 2\ngravity (0, -9.81)\nparticle a(1) at (1, 0)\nparticle b(1) at (1, 1)\n"
    "constraint first: dist(ground, a) == 1\nconstraint second: dist(a, b) == 1\n"
    "output E = energy.total\nsimulate { time = 0 .. END count COUNT; integrator = METHOD }\n";
const std::string kSpherical =
    "mbd 1\ngravity (0, 0, -9.81)\nparticle p(2) at (0.6, 0, -0.8) moving (0, 1.5, 0)\n"
    "constraint rod: dist(ground, p) == 1\n"
    "output E = energy.total\nsimulate { time = 0 .. END count COUNT; integrator = METHOD }\n";
// The model is a heavy top on its point: quaternions, angular velocities, and a joint of three rows.
const std::string kTop =
    "mbd 1\ngravity (0, 0, -9.81)\n"
    "body top(mass = 1, inertia = diag(0.02, 0.02, 0.01)) at (0, 0.3, 0.4) rotated rotx(-0.6435011087932844) "
    "spinning (0, 0, 60)\n"
    "point tip on top at (0, 0, -0.5)\nconstraint joint: tip.pos == (0, 0, 0)\n"
    "output E = energy.total\nsimulate { time = 0 .. END count COUNT; integrator = METHOD }\n";

std::string made(const std::string& text, const std::string& method, double end, int count) {
  return replaced(replaced(replaced(text, "END", number(end)), "COUNT", std::to_string(count)), "METHOD", method);
}

Run complete(const std::string& text) {
  Run r = run(text, have_native() ? Engine::native : Engine::interpreter);
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  return r;
}

double error_of(const Run& r, const Motion& wanted) {
  return static_cast<double>(std::hypot(r.last("p.x") - wanted.x, r.last("p.y") - wanted.y));
}

// Fits the order over four halvings of the step, starting at `count` steps.
double order_of(const std::string& text, const char* method, int count, const std::function<Motion(double)>& exact) {
  constexpr double kEnd = 6.25;
  std::vector<double> steps, errors;
  for (int k = 0; k < 4; ++k, count *= 2) {
    const Run r = complete(made(text, method, kEnd, count));
    steps.push_back(kEnd / count);
    errors.push_back(error_of(r, exact(kEnd)));
  }
  INFO("errors " << errors.front() << " .. " << errors.back());
  CHECK(errors.back() > 1e-13);
  return oracle::order(steps, errors);
}

// Returns the largest error of the energy in each tenth of a run.
std::vector<double> bands(const Run& r) {
  std::vector<double> out(10);
  for (std::size_t row = 0; row < r.rows(); ++row) {
    double& band = out[std::min<std::size_t>(10 * row / r.rows(), 9)];
    band = std::max(band, std::fabs(r.at(row, "E") - r.at(0, "E")));
  }
  return out;
}

// Checks that the energy error in no tenth of the run is larger than in the first, up to `slack`.
void check_bands(const Run& r, double slack) {
  const std::vector<double> found = bands(r);
  MESSAGE("energy off by " << found.front() << " in the first tenth, " << found.back() << " in the last; violation "
                           << r.result.violation.position.value_or(0));
  for (const double band : found) CHECK(band <= slack * found.front());
}

}  // namespace

TEST_CASE("gauss4 and gauss6 have their order on Kepler's ellipse and on a pendulum written as a constraint") {
  struct Case {
    const char* method;
    double order, slack;
    int count;
  };
  for (const Case& c : {Case{"gauss4", 4, 0.1, 400}, Case{"gauss6", 6, 0.2, 100}}) {
    CAPTURE(std::string(c.method));
    const double kepler = order_of(kKepler, c.method, c.count, [](double t) { return oracle::kepler(t, 0.5L); });
    CHECK(std::fabs(kepler - c.order) < c.slack);
    const double pendulum =
        order_of(kPendulum, c.method, c.count, [](double t) { return oracle::pendulum(t, 1, 9.81, 4); });
    CHECK(std::fabs(pendulum - c.order) < c.slack);
  }
}

TEST_CASE("energies keep to their band in long runs, constraints to round-off") {
  struct Case {
    const char* name;
    const std::string& text;
    const char* method;
    double end;
    int count;
    double slack;
  };
  for (const Case& c :
       {Case{"Kepler", kKepler, "gauss6", 2000, 40000, 1.001}, Case{"Kepler", kKepler, "gauss4", 1000, 40000, 1.001},
        Case{"a spherical pendulum", kSpherical, "gauss6", 400, 20000, 1.05},
        Case{"a double pendulum", kDouble, "gauss6", 200, 20000, 1.3}, Case{"a top", kTop, "gauss6", 40, 20000, 1.1}}) {
    CAPTURE(c.name);
    const Run r = complete(made(c.text, c.method, c.end, c.count));
    check_bands(r, c.slack);
    CHECK(r.result.violation.position.value_or(0) < 1e-13);
    CHECK(r.result.violation.velocity.value_or(0) < 1e-12);
  }
}

TEST_CASE("gauss4 and gauss6 give the same bits by the interpreter and by native code, by single steps and restored") {
  for (const std::string* text : {&kKepler, &kDouble, &kTop})
    for (const char* method : {"gauss4", "gauss6"}) {
      CAPTURE(std::string(method));
      const std::string whole = made(*text, method, 1, 200);
      const Run r = run_both(whole);
      REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
      Simulation a = compile_text(whole, Engine::interpreter);
      for (int k = 0; k < 20; ++k) REQUIRE(a.step(0.005).ok());
      Simulation b = compile_text(whole, Engine::interpreter);
      REQUIRE(b.restore(a.save()).ok());
      for (Simulation* each : {&a, &b})
        for (int k = 0; k < 20; ++k) REQUIRE(each->step(0.005).ok());
      const std::vector<double> of_a(a.state().begin(), a.state().end()), of_b(b.state().begin(), b.state().end());
      CHECK(of_a == of_b);
    }
}

TEST_CASE("a step that is too long for its equations is refused with what to do") {
  const Run r =
      run("mbd 1\ncoord x = 1\nkinetic T: x'^2/2\npotential V: 5e5*x^2\n"
          "simulate { time = 0 .. 1 step 0.1; integrator = gauss6 }\n");
  CHECK(r.result.status == Status::stopped);
  CHECK(r.code() == "E0614");
}
