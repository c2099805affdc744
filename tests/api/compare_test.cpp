// SPDX-License-Identifier: Apache-2.0
// Tests compare(): methods that agree are reported as such, methods that differ are detected, and methods that do not
// apply are named with their reasons.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

const char* kPendulum = R"(mbd 1
gravity (0, 0, -9.81)
particle p(2) at (1, 0, 0) moving (0, 0.5, 0)
constraint rod: dist(p, ground) == 1
constraint plane: p.vel.y == 0.5
simulate swing { time = 0 .. 1 step 0.01; formulation = udwadia_kalaba; integrator = rk4 }
)";

CompareOptions interpreted(int samples = 20) {
  CompareOptions o;
  o.compile.interpret = true;
  o.samples = samples;
  o.seconds_to_time = 0;
  return o;
}

CompareOptions of(std::vector<std::string> formulations, std::vector<std::string> bodies = {}, int samples = 20) {
  CompareOptions o = interpreted(samples);
  o.formulations = std::move(formulations);
  o.bodies = std::move(bodies);
  return o;
}

Comparison look(const std::string& text, const CompareOptions& options) { return compare_text(text, "a.mbd", options); }

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("formulations of a pendulum agree; errors are those of a run") {
  CompareOptions options = of({"udwadia_kalaba", "udwadia_kalaba(literal)", "augmented"}, {}, 100);
  options.seconds_to_time = 0.05;
  const Comparison c = look(kPendulum, options);
  REQUIRE(c.status == Status::complete);
  REQUIRE(c.methods.size() == 3);
  CHECK(c.reference == 0);
  CHECK(c.applied() == 3);
  CHECK(c.samples == 100);
  CHECK(c.simulation == "swing");
  CHECK(c.agree(1e-9));
  CHECK_FALSE(c.methods[0].acceleration);
  for (const ComparedMethod& m : c.methods) {
    CAPTURE(m.formulation);
    CHECK(m.applied);
    CHECK(m.status == Status::complete);
    CHECK(m.reason.empty());
    CHECK(m.bodies.empty());
    CHECK(m.engine == "interpreter");
    CHECK(m.states_compared == 100);
    CHECK(m.rhs_seconds.value() > 0);
    CHECK(m.rhs_seconds.value() < m.run_seconds.value());
    if (m.formulation == "udwadia_kalaba") continue;
    CHECK(m.acceleration.value().relative < 1e-12);
    CHECK(m.trajectory.value().relative < 1e-11);
  }
  // The errors are recomputed from a separate run with E = m v^2/2 + m g z.
  const Run r = run(kPendulum);
  double fastest = 0;
  for (std::size_t k = 0; k < r.rows(); ++k)
    fastest = std::max(fastest, std::hypot(r.at(k, "p.vx"), r.at(k, "p.vy"), r.at(k, "p.vz")));
  const double kinetic = 0.5 * 2 * fastest * fastest;
  CHECK(c.methods[0].energy_error.value() == doctest::Approx(r.result.balance_error / kinetic).epsilon(1e-9));
  CHECK(c.methods[0].position_error == r.result.violation.position);
  CHECK(c.methods[0].velocity_error == r.result.violation.velocity);
  CHECK(c.methods[0].acceleration_error == r.result.violation.acceleration);
  CHECK_FALSE(c.methods[0].momentum_error);
}

TEST_CASE("a model with events: every formulation has each of them, and the motion between") {
  // The model has an impulse, a row that a change switches off, a sampled discrete state, a machine, and a bounce.
  const Comparison c = look(R"(mbd 1
space 2
gravity (0, -10)
state u = 0, phase in (tied, loose) = tied
particle p(1) at (0, 1)
particle q(2) at (1, 1)
constraint rod: dist(p, q) == 1
constraint deck: q.y >= 0 restitution 0.5
force f on p: (u, 0)
at tie: 0.2 { impulse on p: (0, 1) }
when low: phase == phase.tied and p.y < 0.6 { phase = phase.loose; disable rod; u = 2 }
every s: 0.1 { u = -p.x }
output fired = tie.count + low.count + s.count + deck.count
simulate s { time = 0 .. 1 step 0.01; integrator = rk4 }
)",
                            interpreted());
  REQUIRE_MESSAGE(c.status == Status::complete, c.rendered);
  CHECK(c.applied() == 9);  // Routh's equations require a system without constraints.
  CHECK(c.agree(1e-9));
  for (const ComparedMethod& m : c.methods) {
    CAPTURE(m.formulation);
    if (!m.applied) continue;
    CHECK(m.status == Status::complete);
    CHECK(m.energy_error.value() < 1e-9);
  }
}

TEST_CASE("without options: every formulation that is built") {
  const Comparison c = look(kPendulum, interpreted());
  std::vector<std::string> names;
  for (const ComparedMethod& m : c.methods) names.push_back(m.formulation);
  for (const char* name : {"udwadia_kalaba", "augmented"})
    CHECK(std::find(names.begin(), names.end(), name) != names.end());
  CHECK(names.front() == "udwadia_kalaba");
  CHECK(std::find(names.begin(), names.end(), "gibbs_appell") == names.end());
  // A formulation that is not implemented is not listed.
  for (const ComparedMethod& m : c.methods) CHECK_FALSE(has(m.reason, "E0501"));
  // The arguments that a block gives to its formulation are kept.
  const Comparison own =
      look(replaced(kPendulum, "udwadia_kalaba;", "udwadia_kalaba(rank_tol = 1e-8);"), interpreted());
  CHECK(own.methods.front().formulation == "udwadia_kalaba(rank_tol = 1e-08)");
}

TEST_CASE("representations of bodies agree under both solvers") {
  for (const std::string name :
       {"seeds/004_bodies/triple_pendulum", "intermediate_axis", "furuta", "rolling_coin", "universal_joint"}) {
    CAPTURE(name);
    CompareOptions options = of({"udwadia_kalaba", "augmented"}, {"quaternion", "natural", "euler_parameters"});
    options.simulation = compile_text(example(name), Engine::interpreter).model().simulations().front();
    const Comparison c = look(example(name), options);
    REQUIRE(c.methods.size() == 6);
    CHECK(c.methods[2].bodies == "natural");
    CHECK(c.methods[2].formulation == "udwadia_kalaba");
    CHECK(c.methods[5].bodies == "euler_parameters");
    CHECK(c.samples == 20);
    for (const ComparedMethod& m : c.methods) {
      CAPTURE(m.bodies);
      CAPTURE(m.formulation);
      CHECK(m.applied);
      CHECK(m.states_compared == 20);
      CHECK(m.states_failed == 0);
      if (&m == &c.methods[0]) continue;
      REQUIRE(m.acceleration);
      REQUIRE(m.trajectory);
      CAPTURE(m.acceleration->relative);
      CHECK(m.acceleration->relative < 1e-9);
      // The coordinates differ, so that the integration errors differ too. A tumbling body amplifies them.
      CHECK(m.trajectory->relative < 1e-5);
    }
    CHECK(c.agree(1e-5));
  }
}

TEST_CASE("random states of direction cosines are no mirror images of bodies") {
  const Comparison c = look(example("rolling_coin"), of({"udwadia_kalaba"}, {"natural", "quaternion"}, 200));
  REQUIRE(c.applied() == 2);
  CHECK(c.samples == 200);
  CHECK(c.methods[1].states_failed == 0);
  CHECK(c.agree(1e-8));
}

TEST_CASE("methods that differ are found out") {
  // The tolerance of the angle is far too large, so that `plane` is left out as dependent in some states.
  const char* text = R"(mbd 1
particle p(1) at (1, 0, 0)
gravity (0, 0, -9.81)
constraint rod: dist(p, ground) == 1
constraint plane: p.y == 0
simulate { time = 0 .. 1 step 0.01; integrator = rk4 }
)";
  const Comparison wrong = look(text, of({"udwadia_kalaba", "udwadia_kalaba(literal, rank_tol = 0.99)"}, {}, 100));
  REQUIRE(wrong.applied() == 2);
  CHECK(wrong.methods[1].acceleration.value().relative > 0.1);
  CHECK_FALSE(wrong.agree(1e-3));
  // Other coordinates cause other integration errors, which grow with the step.
  double last = 1;
  for (const char* step : {"time.step = 0.02", "time.step = 0.002"}) {
    CompareOptions options = of({"udwadia_kalaba"}, {"quaternion", "natural"}, 0);
    options.compile.set = {step};
    const Comparison c = look(example("intermediate_axis"), options);
    REQUIRE(c.applied() == 2);
    const Difference d = c.methods[1].trajectory.value();
    CHECK(d.relative > 1e-13);
    CHECK(d.relative < 0.1 * last);
    CHECK(d.time > 0);
    CHECK(has(d.name, "b."));
    last = d.relative;
  }
}

TEST_CASE("what cannot be applied stays with its reason and stops nothing") {
  const Comparison c = look(kPendulum, of({"nonsense", "augmented", "udwadia_kalaba"}));
  CHECK(c.status == Status::complete);
  REQUIRE(c.methods.size() == 3);
  CHECK_FALSE(c.methods[0].applied);
  CHECK(c.methods[0].diagnostic.value().kind == "unknown_choice");
  CHECK(has(c.methods[0].reason, "nonsense"));
  CHECK(c.reference == 1);
  CHECK(c.applied() == 2);
  CHECK(c.agree(1e-9));
  CHECK_FALSE(c.methods[0].run_seconds);
  const Comparison none = look(kPendulum, of({"nonsense"}));
  CHECK(none.status == Status::complete);
  CHECK(none.applied() == 0);
  CHECK_FALSE(none.reference);
  CHECK(has(comparison_text(none), "not applied"));
  // This initial state violates a constraint.
  const Comparison off = look(replaced(kPendulum, "at (1, 0, 0)", "at (2, 0, 0)"), of({"augmented"}));
  CHECK(off.applied() == 0);
  CHECK(off.methods[0].status == Status::inconsistent);
  CHECK(off.methods[0].diagnostic.value().code == "E0601");
  // Representations do not apply to a model without free bodies.
  const Comparison flat = look(kPendulum, of({"augmented"}, {"quaternion", "natural"}));
  CHECK(flat.methods[0].applied);
  CHECK_FALSE(flat.methods[1].applied);
  CHECK(has(flat.methods[1].reason, "no free bodies"));
}

TEST_CASE("bodies with coordinates of their own are named by these") {
  const auto text = [](const std::string& a, const std::string& b) {
    return "mbd 1\nbody a(mass = 1, inertia = diag(1, 2, 3)" + a +
           ") at (0, 0, 0) spinning (1, 2, 3)\nbody b(mass = 1, inertia = diag(1, 2, 3)" + b +
           ") at (1, 0, 0) spinning (1, 2, 3)\nsimulate { time = 0 .. 0.1 step 0.01 }\n";
  };
  const std::string natural = ", coordinates = natural";
  const Comparison own = look(text(natural, natural), of({"udwadia_kalaba", "augmented"}, {}, 2));
  REQUIRE(own.applied() == 2);
  for (const ComparedMethod& m : own.methods) CHECK(m.bodies == "natural");
  CHECK(has(comparison_text(own), "reference: udwadia_kalaba, natural\n"));
  // The block chooses the representation of one of the two bodies.
  const Comparison mixed = look(text(natural, ""), of({"augmented"}, {"quaternion", "euler_parameters"}, 2));
  REQUIRE(mixed.applied() == 2);
  CHECK(mixed.methods[0].bodies == "quaternion and natural");
  CHECK(mixed.methods[1].bodies == "euler_parameters and natural");
  CHECK(mixed.agree(1e-6));
  const Comparison none = look(text(natural, natural), of({"augmented"}, {"quaternion", "natural"}, 2));
  CHECK(none.methods[0].bodies == "natural");
  const Comparison same = look(text(natural, natural), of({"augmented"}, {"natural", "quaternion"}, 2));
  CHECK(same.applied() == 1);
  CHECK(has(same.methods[1].reason, "all bodies have `coordinates` of their own"));
}

TEST_CASE("a run that ends early is compared as far as it goes") {
  const char* text = R"(mbd 1
coord x = 1 rate -1
kinetic own: x'^2/2
potential well: 0.1*sqrt(x)
simulate { time = 0 .. 3 step 0.01; integrator = rk4 }
)";
  const Comparison c = look(text, of({"udwadia_kalaba", "augmented"}, {}, 0));
  REQUIRE(c.applied() == 2);
  for (const ComparedMethod& m : c.methods) {
    CHECK(m.status == Status::stopped);
    CHECK(has(m.reason, "the run ended at t = "));
    CHECK_FALSE(m.run_seconds);
  }
  CHECK(c.methods[1].trajectory.value().relative < 1e-9);
  CHECK_FALSE(c.agree(1));
}

TEST_CASE("models that cannot be compared say why") {
  const Comparison broken = look("mbd 1\nparticle p(1) at q\n", interpreted());
  CHECK(broken.status == Status::model_error);
  CHECK(broken.methods.empty());
  REQUIRE(broken.diagnostics.size() == 1);
  CHECK(has(broken.rendered, "a.mbd:2:"));
  const Comparison still = look("mbd 1\nparticle p(1) at (0, 0, 0)\n", interpreted());
  CHECK(still.status == Status::model_error);
  REQUIRE(still.diagnostics.size() == 1);
  CHECK(still.diagnostics[0].kind == "no_simulation");
  CompareOptions other = interpreted();
  other.simulation = "walk";
  CHECK(look(kPendulum, other).diagnostics.at(0).kind == "which_simulation");
  CHECK(compare("/nonexistent.mbd", interpreted()).status == Status::model_error);
}

TEST_CASE("a setting fixes the choice it names") {
  CompareOptions fixed = interpreted();
  for (const char* set : {"swing.formulation = augmented", "formulation=augmented"}) {
    fixed.compile.set = {set};
    const Comparison c = look(kPendulum, fixed);
    REQUIRE(c.methods.size() == 1);
    CHECK(c.methods[0].formulation == "augmented");
    CHECK(c.methods[0].applied);
  }
  fixed.formulations = {"udwadia_kalaba"};
  const Comparison both = look(kPendulum, fixed);
  CHECK(both.status == Status::model_error);
  CHECK(has(both.rendered, "leave out one of them"));
}

TEST_CASE("samples: by their seed; none, and no run, when not wanted") {
  CompareOptions options = of({"udwadia_kalaba", "augmented"});
  const auto difference = [&] { return look(example("four_bar_flat"), options).methods[1].acceleration; };
  options.run = false;
  const Difference first = difference().value(), again = difference().value();
  CHECK(first.absolute == again.absolute);
  options.seed = 2;
  CHECK(difference().value().absolute != first.absolute);
  const Comparison still = look(kPendulum, options);
  CHECK_FALSE(still.methods[1].trajectory);
  CHECK_FALSE(still.methods[1].energy_error);
  CHECK_FALSE(still.methods[1].run_seconds);
  CHECK(still.methods[1].rhs_seconds);
  CHECK_FALSE(has(comparison_text(still), "energy"));
  options.samples = 0;
  options.run = true;
  const Comparison runs = look(kPendulum, options);
  CHECK_FALSE(runs.methods[1].acceleration);
  CHECK(runs.methods[1].trajectory);
  CHECK(runs.agree(1e-9));
}

TEST_CASE("progress goes from 0 to 1; a stop ends the comparison") {
  CompareOptions options = of({"udwadia_kalaba", "augmented"});
  double last = 0;
  std::vector<std::string> methods;
  options.progress = [&](double part, const std::string& method) {
    CHECK(part >= last);
    CHECK(part <= 1);
    last = part;
    if (methods.empty() || methods.back() != method) methods.push_back(method);
  };
  CHECK(look(kPendulum, options).status == Status::complete);
  CHECK(last > 0.7);
  CHECK(methods == std::vector<std::string>{"udwadia_kalaba", "augmented"});
  volatile std::sig_atomic_t stop = 0;
  options.stop = &stop;
  options.progress = [&](double part, const std::string&) { stop = part > 0.6 ? 1 : 0; };
  const Comparison c = look(kPendulum, options);
  CHECK(c.status == Status::interrupted);
  CHECK(c.methods[0].status == Status::complete);
  CHECK(c.methods[1].status == Status::interrupted);
}

TEST_CASE("the same numbers as text, CSV and JSON") {
  const Comparison c = look(kPendulum, of({"udwadia_kalaba", "udwadia_kalaba(literal, rank_tol = 1e-9)", "nonsense"}));
  REQUIRE(c.applied() == 2);
  const auto j = nlohmann::json::parse(comparison_json(c));
  CHECK(j["reference"] == 0);
  CHECK(j["samples"] == 20);
  CHECK(j["methods"].size() == 3);
  const ComparedMethod& m = c.methods[1];
  CHECK(j["methods"][1]["acceleration_difference"]["absolute"].get<double>() == m.acceleration->absolute);
  CHECK(j["methods"][1]["energy_error"].get<double>() == *m.energy_error);
  CHECK(j["methods"][0]["acceleration_difference"].is_null());
  CHECK(j["methods"][2]["applied"] == false);
  std::istringstream csv(comparison_csv(c));
  std::vector<std::string> lines;
  for (std::string line; std::getline(csv, line);) lines.push_back(line);
  REQUIRE(lines.size() == 4);
  const auto commas = [](const std::string& line) { return std::count(line.begin(), line.end(), ','); };
  CHECK(commas(lines[1]) == commas(lines[0]));
  CHECK(commas(lines[2]) == commas(lines[0]) + 1);
  CHECK(lines[2].starts_with("\"udwadia_kalaba(literal, rank_tol = 1e-9)\",,1,complete,"));
  // All digits of a number are compared; its line contains no quotes.
  const auto cell = [](const std::string& line, const std::string& head, const std::string& name) {
    std::istringstream names(head), values(line);
    for (std::string n, v; std::getline(names, n, ',') && std::getline(values, v, ',');)
      if (n == name) return std::stod(v);
    return std::nan("");
  };
  CHECK(cell(lines[1], lines[0], "energy_error") == *c.methods[0].energy_error);
  CHECK(cell(lines[1], lines[0], "run_seconds") == *c.methods[0].run_seconds);
  const std::string text = comparison_text(c);
  CHECK(has(text, "reference: udwadia_kalaba\n"));
  CHECK(has(text, "not applied\n  nonsense"));
  std::istringstream out(text);
  for (std::string line; std::getline(out, line);) CHECK_FALSE(line.ends_with(' '));
}

TEST_CASE("conserved momenta: the error is that of p = (M + m) x' + m L cos(phi) phi' of a pendulum on a cart") {
  const char* text = R"(mbd 1
coord x = 0 rate 0.3
coord phi = 1
gravity (0, 0, -9.81)
particle cart(2) follows (x, 0, 0)
particle bob(0.5) follows (x + 0.8*sin(phi), 0, -0.8*cos(phi))
simulate { time = 0 .. 2 step 0.05; integrator = rk4 }
)";
  const Comparison c = look(text, of({"udwadia_kalaba", "augmented"}, {}, 5));
  REQUIRE(c.applied() == 2);
  const Run r = run(text);
  double energy = 0, change = 0;
  const auto momentum = [&](std::size_t k) {
    return 2.5 * r.at(k, "x'") + 0.5 * 0.8 * std::cos(r.at(k, "phi")) * r.at(k, "phi'");
  };
  for (std::size_t k = 0; k < r.rows(); ++k) {
    const double v = r.at(k, "x'"), w = 0.8 * r.at(k, "phi'"), phi = r.at(k, "phi");
    energy = std::max(energy, v * v + 0.25 * (v * v + w * w + 2 * v * w * std::cos(phi)));
    change = std::max(change, std::fabs(momentum(k) - momentum(0)));
  }
  const double wanted = change / std::sqrt(2 * energy * 2.5);
  CHECK(wanted > 1e-10);  // The steps are long enough for an error above round-off.
  for (const ComparedMethod& m : c.methods) CHECK(m.momentum_error.value() == doctest::Approx(wanted).epsilon(1e-4));
  CHECK(has(comparison_text(c), "momentum"));
  // With a force on the cart no momentum is conserved, and none is reported.
  const Comparison pushed = look(std::string(text) + "load push on x: 1\n", of({"augmented"}, {}, 0));
  CHECK_FALSE(pushed.methods.at(0).momentum_error);
  CHECK_FALSE(has(comparison_text(pushed), "momentum"));
}

TEST_CASE("conserved momenta of a kinetic energy that is not quadratic in the rates") {
  // The momentum is p = dT/dx' = x' + 0.8 (x' + y'/2)^3.
  const Comparison c = look(R"(mbd 1
coord x = 0 rate 1
coord y = 1
particle a(1) follows (x, 0, 0)
particle b(2) follows (0, y, 0)
kinetic hard: 0.2*(x' + 0.5*y')^4
potential spring: 3*y^2
simulate { time = 0 .. 2 step 0.01; integrator = rk4 }
)",
                            of({"udwadia_kalaba", "augmented"}, {}, 0));
  REQUIRE(c.applied() == 2);
  for (const ComparedMethod& m : c.methods) {
    CHECK(m.momentum_error.value() < 1e-7);
    CHECK(m.energy_error.value() < 1e-7);
  }
}
