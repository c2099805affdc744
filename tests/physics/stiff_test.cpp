// SPDX-License-Identifier: Apache-2.0
// Compares `bdf` on stiff models with the explicit method at a tolerance of 1e-12 or with closed forms: the error at
// 1e-8 and the number of steps, the error depending on the tolerance, steps, inputs and saved states, and the named
// reasons of ends.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

std::string with(const std::string& model, const std::string& integrator, const std::string& settings = "") {
  return "mbd 1\n" + model + "simulate { time = 0 .. 1 step 0.05; integrator = " + integrator + settings + " }\n";
}

// Returns whether the column is a place or a coordinate, and not a speed, an acceleration or an energy of a stiff part.
bool is_place(const std::string& column) {
  if (column.starts_with("energy")) return false;
  const std::string last = column.substr(column.find_last_of('.') + 1);
  return last == column ? !column.ends_with("'") : last == "x" || last == "y" || last == "z";
}

// Returns the largest difference of two runs in these columns.
double apart(const Run& a, const Run& b) {
  REQUIRE(a.names == b.names);
  REQUIRE(a.rows() == b.rows());
  double most = 0;
  for (std::size_t k = 0; k < a.names.size(); ++k) {
    if (!is_place(a.names[k])) continue;
    for (std::size_t row = 0; row < a.rows(); ++row)
      most = std::max(most, std::fabs(a.values[row * a.names.size() + k] - b.values[row * b.names.size() + k]));
  }
  return most;
}

Run complete(const std::string& text) {
  Run r = run(text, have_native() ? Engine::native : Engine::interpreter);
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  return r;
}

struct StiffModel {
  const char* name;
  const char* text;
};

const StiffModel kModels[] = {
    {"a controller of gain 1e6",
     "coord phi = 0.1\nkinetic T: phi'^2/2\n"
     "load motor on phi: -1e6*(phi - 0.5*sin(3*t)) - 2e3*(phi' - 1.5*cos(3*t))\n"},
    {"a spring of 1e8 N/m with a damper between two masses that fall and swing",
     "gravity (0, 0, -9.81)\nparticle a(1) at (1, 0, 0)\nparticle b(1) at (1.5, 0, 0)\n"
     "constraint rod: dist(a, ground) == 1\nlet d = dist(a, b)\n"
     "let T = 1e8*(d - 0.5) + 2e4*dot(b.vel - a.vel, b.pos - a.pos)/d\n"
     "force s on b from a: -T*(b.pos - a.pos)/d\n"},
    {"a damper of 1e5",
     "gravity (0, 0, -9.81)\nparticle a(1) at (1, 0, 0)\nparticle b(1) at (1, 0.5, 0)\n"
     "constraint rod: dist(a, ground) == 1\n"
     "force d on b from a: -1e5*(b.vel - a.vel) - 1e4*(b.pos - a.pos - (0, 0.5, 0))\n"},
    {"a mass of 1e-6 kg between springs and dampers",
     "particle a(1) at (1, 0, 0) moving (0, 0.5, 0)\nparticle light(1e-6) at (0.5, 0.1, 0)\n"
     "force left on light: -100*light.pos - 2*light.vel\n"
     "force right on light from a: -200*(light.pos - a.pos) - 1*(light.vel - a.vel)\n"},
    {"a body in a stiff bushing",
     "gravity (0, 0, -9.81)\nbody arm(mass = 2, inertia = diag(0.02, 0.1, 0.1)) at (0.5, 0, 0) spinning (1, 0, 0)\n"
     "point eye on arm at (-0.5, 0, 0)\nforce bush on eye: -1e8*eye.pos - 1e5*eye.vel\n"},
    {"a ball that is pressed into a floor",
     "gravity (0, 0, -9.81)\nparticle p(1) at (0, 0, 0.001) moving (0.2, 0, 0)\n"
     "let depth = -p.z\nforce ground_push on p: if depth > 0 then (-1e3*p.vx, 0, 1e7*depth*depth*depth*1e3 - 2e4*p.vz) "
     "else "
     "(0, 0, 0)\n"},
};

// The model has a damper of 1e5 and an input; the same motion is made in two halves.
const char* const kDriven = "input u = 1\ncoord x = 0.2\nkinetic T: x'^2/2\nload f on x: -1e5*x' - 1e5*(x - u)\n";

}  // namespace

TEST_CASE("stiff models: errors below 1e-6 at a tolerance of 1e-8, in at most 2000 steps a second of motion") {
  for (const StiffModel& m : kModels) {
    CAPTURE(m.name);
    const Run exact = complete(with(m.text, "dopri5(rtol = 1e-12, atol = 1e-12)"));
    const Run stiff = complete(with(m.text, "bdf(rtol = 1e-8, atol = 1e-8)"));
    MESSAGE(std::string(m.name) << ": " << stiff.result.steps << " steps, " << stiff.result.evaluations
                                << " evaluations, error " << apart(stiff, exact) << "; dopri5 at 1e-12: "
                                << exact.result.steps << " steps, " << exact.result.evaluations << " evaluations");
    CHECK(apart(stiff, exact) < 1e-6);
    CHECK(stiff.result.steps <= 2000);
    CHECK(stiff.result.violation.position < 1e-12);
  }
}

TEST_CASE("without a word about methods stiff models turn to bdf, by both engines alike") {
  for (const StiffModel& m : kModels) {
    CAPTURE(m.name);
    const Run exact = complete(with(m.text, "dopri5(rtol = 1e-12, atol = 1e-12)"));
    const Run chosen = run_both(with(m.text, "auto"));
    REQUIRE_MESSAGE(chosen.result.status == Status::complete, chosen.result.rendered);
    MESSAGE(std::string(m.name) << ": " << chosen.result.integrator << ": " << chosen.result.steps << " steps, error "
                                << apart(chosen, exact));
    CHECK(apart(chosen, exact) < 1e-6);
    CHECK(chosen.result.warnings.empty());
    // The controller follows a sine: not stability but errors of the stages hold the steps of an explicit method.
    CHECK(chosen.result.integrator.find(", bdf from t = ") != std::string::npos);
    CHECK(chosen.result.steps <= 2000);
  }
}

TEST_CASE("what follows a motion stiffly takes few evaluations, what is driven fast stays explicit") {
  // x = cos(t) (1 + 1/k) + O(k^-2) as the inertia pulls.
  for (const double damping : {0.9, 1.0, 3.0})
    for (const double k : {1e6, 1e8}) {
      CAPTURE(damping);
      CAPTURE(k);
      const std::string gain = number(k), c = number(2 * damping * std::sqrt(k));
      const Run r = complete("mbd 1\ncoord x = 1\nkinetic T: x'^2/2\nload led on x: -" + gain + "*(x - cos(t)) - " + c +
                             "*(x' + sin(t))\nsimulate { time = 0 .. 1 count 10 }\n");
      CHECK(r.result.integrator.find(", bdf from t = ") != std::string::npos);
      CHECK(r.result.evaluations < 20000);
      CHECK(std::fabs(r.last("x") - (1 + 1 / k) * std::cos(1.0)) < 1e-8);
    }
  const Run driven = complete(
      "mbd 1\ncoord x = 0\nkinetic T: x'^2/2\nload m on x: -10*(x' - sin(100*t))\n"
      "simulate { time = 0 .. 20 step 0.1 }\n");
  CHECK(driven.result.integrator == "auto(tol = 1e-08)");
}

TEST_CASE("auto goes back to the explicit method where the motion is smooth again") {
  // The damper fades: x' = u, u' = -c(t) (u - cos(t)) is stiff for the first second.
  const Run r = complete(
      "mbd 1\ncoord x = 0 rate 1\nkinetic T: x'^2/2\nload f on x: -1e6*exp(-15*t)*(x' - cos(t)) - sin(t)\n"
      "simulate { time = 0 .. 20 step 0.5; integrator = auto }\n");
  CHECK(r.result.integrator.find(", bdf from t = ") != std::string::npos);
  CHECK(r.result.integrator.find(", dop853 from t = ") != std::string::npos);
  for (std::size_t row = 0; row < r.rows(); ++row) CHECK(std::fabs(r.at(row, "x") - std::sin(r.time[row])) < 1e-6);
}

TEST_CASE("stiff models have the same bits by the interpreter and by native code") {
  for (const StiffModel& m : kModels) {
    CAPTURE(m.name);
    run_both(with(m.text, "bdf(rtol = 1e-6)"));
    if (std::string(m.text).find("constraint") != std::string::npos)
      for (const char* how : {"; formulation = augmented", "; formulation = maggi; stabilise = partition",
                              "; stabilise = baumgarte(alpha = 20, beta = 20)", "; stabilise = none"})
        run_both(with(m.text, "bdf(rtol = 1e-6)", how));
  }
}

// Up to 1e-5, x' = -(x - u): x = u + (x0 - u) exp(-r t) with r (1e5 - r) = 1e5.
TEST_CASE("step by step, with inputs that jump, saved and restored") {
  const double r = 5e4 - std::sqrt(25e8 - 1e5);
  Simulation a = compile_text(with(kDriven, "bdf(rtol = 1e-9, atol = 1e-11)"), Engine::interpreter);
  for (int k = 0; k < 10; ++k) REQUIRE(a.step(0.1).ok());
  CHECK(a.time() == doctest::Approx(1).epsilon(1e-14));
  const double at_one = 1 - 0.8 * std::exp(-r) * (1 + r / 1e5);
  CHECK(std::fabs(a.state()[0] - at_one) < 1e-7);
  const std::string saved = a.save();
  Simulation b = compile_text(with(kDriven, "bdf(rtol = 1e-9, atol = 1e-11)"), Engine::interpreter);
  REQUIRE(b.restore(saved).ok());
  for (Simulation* each : {&a, &b}) {
    REQUIRE(each->set_input("u", -1).ok());
    for (int k = 0; k < 5; ++k) REQUIRE(each->step(0.2).ok());
  }
  CHECK(std::fabs(a.state()[0] - (-1 + (at_one + 1) * std::exp(-r))) < 1e-4);
  CHECK(std::fabs(a.state()[0] - b.state()[0]) < 1e-8);
}

TEST_CASE("an undamped oscillation that is excited is resolved") {
  const Run r =
      complete(with("coord x = 1\nkinetic T: x'^2/2\nload f on x: -1e4*x\n", "bdf(rtol = 1e-8, atol = 1e-10)"));
  for (std::size_t row = 0; row < r.rows(); ++row)
    CHECK(std::fabs(r.at(row, "x") - std::cos(100 * r.time[row])) < 1e-6);
}

TEST_CASE("the error follows the tolerance, on a pendulum with a rod and on a stiff spring") {
  for (const StiffModel& m : {kModels[1], kModels[2]}) {
    CAPTURE(m.name);
    const Run exact = complete(with(m.text, "dopri5(rtol = 1e-12, atol = 1e-12)"));
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (int k = 5; k <= 10; ++k) {
      const std::string tolerance = "1e-" + std::to_string(k);
      const Run r = complete(with(m.text, "bdf(rtol = " + tolerance + ", atol = " + tolerance + ")"));
      const double a = -k, b = std::log10(apart(r, exact));
      n += 1, x += a, y += b, xx += a * a, xy += a * b;
    }
    const double slope = (n * xy - x * y) / (n * xx - x * x);
    MESSAGE(std::string(m.name) << ": slope " << slope);
    CHECK(slope > 0.85);
    CHECK(slope < 1.15);
  }
}

TEST_CASE("a motion without end stops where it ends, with the name of what grows") {
  const Run r =
      run("mbd 1\ncoord x = 1 rate 2\nkinetic T: x'^2/2\nload f on x: 6*x^2\n"
          "simulate { time = 0 .. 2 step 0.1; integrator = bdf }\n");
  CHECK(r.result.status == Status::stopped);
  CHECK(r.code() == "E0610");
  CHECK(r.result.reached > 0.99);
  CHECK(r.result.reached < 1.01);
}

TEST_CASE("an undefined force ends the steps at it, and is named") {
  const Run r =
      run("mbd 1\ncoord x = 1 rate -1\nkinetic T: x'^2/2\nload f on x: 0*sqrt(x - 0.5)\n"
          "simulate { time = 0 .. 2 step 0.1; integrator = bdf }\n");
  CHECK(r.result.status == Status::stopped);
  CHECK(r.code() == "E0603");
  CHECK(r.result.reached == doctest::Approx(0.5).epsilon(1e-3));
}

TEST_CASE("a four-bar folds flat under the method for stiff problems as under the others") {
  const std::string text = replaced(
      replaced(example("four_bar_flat"), "integrator = rk4", "integrator = bdf(rtol = 1e-8)"), "mbd 1", "mbd 1");
  const Run r = run(text);
  CHECK_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  CHECK(r.result.singular_positions > 0);
}

TEST_CASE("the partial derivatives are shown") {
  const Simulation s = compile_text(with(kDriven, "bdf"), Engine::interpreter);
  const Result<std::string> text = s.model().emit(Stage::jacobian);
  REQUIRE(text.ok());
  CHECK(text.value().find("function partials") != std::string::npos);
}

// A bead in a viscous fluid: x = v0/c + (F/c)(1 - cos t) up to parts of 1/c^2, in SI units with a mass of 1 kg.
TEST_CASE("a slow motion behind a fast start is resolved in its own size") {
  const std::string bead =
      "space 1\nparticle p(1) at 0 moving v0\nforce drag on p: -c*p.vx\nforce pull on p: F*sin(t)\n";
  const std::string coordinate = "coord p = 0 rate v0\nkinetic T: p'^2/2\nload f on p: -c*p' + F*sin(t)\n";
  const std::string states = "state w = v0 where w' = -c*w + F*sin(t)\nstate p = 0 where p' = w\n";
  for (const std::string& model : {bead, coordinate, states})
    for (const double c : {1e6, 1e8, 1e10})
      for (const double v0 : {0.01, 1.0, 100.0})
        for (const double F : {1.0, 0.01}) {
          const std::string text = "mbd 1\nparam c = " + number(c) + ", v0 = " + number(v0) + ", F = " + number(F) +
                                   "\n" + model + "simulate { time = 0 .. 10 step 1 }\n";
          CAPTURE(text);
          const Run r = run(text, Engine::interpreter);
          REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
          const std::string x = model == bead ? "p.x" : "p";
          double worst = 0;
          for (std::size_t row = 0; row < r.rows(); ++row) {
            const double start = row == 0 ? 0 : v0 / c;
            worst = std::max(worst, std::fabs(r.at(row, x) - start - F / c * (1 - std::cos(r.time[row]))));
          }
          CHECK(worst <= 1e-6 * std::max(v0 / c, 2 * F / c));
          CHECK(r.result.steps < 1000);
        }
}

TEST_CASE("reactions of any rate leave what they leave") {
  // A reaction that is over at once; what it has made decays by 1/s.
  for (const double k : {3e7, 3e11, 3e13, 3e15, 3e17}) {
    CAPTURE(k);
    const Run r = run("mbd 1\nparam k = " + number(k) +
                          "\nstate a = 1 where a' = -k*a*b\nstate b = 0.7 where b' = -k*a*b\n"
                          "state c = 0 where c' = k*a*b - c\nsimulate { time = 0 .. 10 step 2 }\n",
                      Engine::interpreter);
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    for (std::size_t row = 1; row < r.rows(); ++row) {
      CHECK(std::fabs(r.at(row, "a") - 0.3) <= 1e-7);
      CHECK(std::fabs(r.at(row, "b")) <= 1e-7);
      CHECK(std::fabs(r.at(row, "c") - 0.7 * std::exp(-r.time[row])) <= 1e-7 + 1 / k);
    }
  }
  // Robertson's reaction: behind its beginning b = k1 a/(k3 c), so that a = 1/(k2 (k1/k3)^2 t) at last.
  for (const double k2 : {3e7, 3e11, 3e13, 3e15})
    for (const double end : {4e5, 4e8, 4e10}) {
      CAPTURE(k2);
      CAPTURE(end);
      const Run r = run("mbd 1\nstate a = 1 where a' = -0.04*a + 1e4*b*c\nstate b = 0 where b' = 0.04*a - 1e4*b*c - " +
                            number(k2) + "*b^2\nstate c = 0 where c' = " + number(k2) +
                            "*b^2\nsimulate { time = 0 .. " + number(end) + " step " + number(end / 8) + " }\n",
                        Engine::interpreter);
      REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
      for (std::size_t row = 1; row < r.rows(); ++row)
        CHECK(std::fabs(r.at(row, "a") + r.at(row, "b") + r.at(row, "c") - 1) <= 1e-12);
      const double a = 1 / (k2 * 1.6e-11 * end), error = std::fabs(r.last("a") - a);
      if (a < 1e-3) CHECK(error <= 0.02 * a + 1e-7);
      if (a < 1e-9 && r.result.accuracy.error) CHECK(*r.result.accuracy.error >= 0.1 * error);
    }
}

TEST_CASE("the work of motion that is a power of time is told beside what is stiff") {
  // x = t^3/6 by t, with work t^4/8.
  for (const double end : {0.3, 1.0, 4.0}) {
    CAPTURE(end);
    const Run r =
        run("mbd 1\nspace 1\nparticle p(1) at 0\nforce push on p: t\nstate s = 1 where s' = -1e6*(s - p.x)\n"
            "simulate { time = 0 .. " +
                number(end) + " step " + number(end) + "; integrator = bdf }\n",
            Engine::interpreter);
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    CHECK(std::fabs(r.result.energy_end - std::pow(end, 4) / 8) <= 1e-6 * std::pow(end, 4));
    CHECK(r.result.balance_error <= 1e-4 * r.result.energy_end);
    CHECK(r.result.steps < 300);
  }
}
