// SPDX-License-Identifier: Apache-2.0
// Tests the reports on dependent, contradicting and badly scaled rows: a table of small models with their verdicts, at
// seven scales of rows, lengths and masses, by both engines and all formulations.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

struct Equation {
  const char* left;
  const char* right;
};

// L in the texts is the unit of length. Rows are named r1, r2, ...
struct Case {
  const char* name;
  const char* model;  // statements before the constraints
  std::vector<Equation> rows;
  Status status = Status::complete;
  int rank = 0;                        // rank of a run that starts
  std::vector<std::string> dependent;  // redundant rows
  std::size_t warnings = 0;
  std::string code;                // code of the diagnostic
  std::vector<std::string> named;  // exactly the rows that the diagnostic names
};

constexpr const char* kOne = "space 2\nparticle p(2*m) at (L, 0)\n";  // The particle is at rest.
constexpr const char* kMoving = "space 2\nparticle p(2*m) at (L, 0) moving (0, L)\n";
constexpr const char* kLeaving = "space 2\nparticle p(2*m) at (L, 0) moving (L, 0)\n";
constexpr const char* kSpace = "particle p(2*m) at (L, 0, 0)\n";

using Rows = std::vector<Equation>;
using Names = std::vector<std::string>;

Case fine(const char* name, const char* model, Rows rows, int rank, std::size_t warnings = 0) {
  return {name, model, std::move(rows), Status::complete, rank, {}, warnings, "", {}};
}
Case redundant(const char* name, const char* model, Rows rows, int rank, Names dependent, std::size_t warnings = 0) {
  return {name, model, std::move(rows), Status::complete, rank, std::move(dependent), warnings, "", {}};
}
Case conflict(const char* name, const char* model, Rows rows, Names named) {
  return {name, model, std::move(rows), Status::inconsistent, 0, {}, 0, "E0602", std::move(named)};
}
Case vanishing(const char* name, const char* model, Rows rows, Names named) {
  return {name, model, std::move(rows), Status::inconsistent, 0, {}, 0, "E0613", std::move(named)};
}
Case off(const char* name, const char* model, Rows rows) {
  return {name, model, std::move(rows), Status::inconsistent, 0, {}, 0, "E0601", {"r1"}};
}
Case undefined(const char* name, const char* model, Rows rows) {
  return {name, model, std::move(rows), Status::stopped, 0, {}, 0, "E0603", {}};
}

// The numbers are the kinds of row sets that certification must distinguish.
const Case kCases[] = {
    fine("1 independent rows", kOne, {{"p.x", "L"}, {"p.y", "0"}}, 2),
    redundant("2 duplicate, position", kMoving, {{"dist(p, ground)", "L"}, {"dist(p, ground)", "L"}}, 1, {"r2"}),
    redundant("2 duplicate, velocity", kMoving, {{"p.vx", "0"}, {"p.vx", "0"}}, 1, {"r2"}),
    redundant("2 duplicate, acceleration", kMoving, {{"p.ax", "L"}, {"p.ax", "L"}}, 1, {"r2"}),
    redundant("2 across levels", kMoving, {{"p.x", "L"}, {"p.vx", "0"}, {"p.ax", "0"}}, 1, {"r2", "r3"}),
    redundant("2 in another form", kMoving, {{"dist(p, ground)", "L"}, {"dot(p.pos, p.pos)", "L^2"}}, 1, {"r2"}),
    redundant("3 twice a row", kMoving, {{"dist(p, ground)", "L"}, {"2*dist(p, ground)", "2*L"}}, 1, {"r2"}),
    conflict("4 position", kOne, {{"p.x", "L"}, {"p.x", "2*L"}}, {"r1", "r2"}),
    conflict("4 velocity", kOne, {{"p.vx", "0"}, {"p.vx", "L"}}, {"r1", "r2"}),
    conflict("4 acceleration", kOne, {{"p.ax", "0"}, {"p.ax", "L"}}, {"r1", "r2"}),
    conflict("4 among others", kSpace, {{"p.z", "0"}, {"p.ax", "0"}, {"p.y", "0"}, {"p.ax", "L"}}, {"r2", "r4"}),
    conflict("4 of three", kOne, {{"p.ax", "L"}, {"p.ay", "L"}, {"p.ax + p.ay", "L"}}, {"r1", "r2", "r3"}),
    redundant("5 rounded combination", kSpace,
              {{"p.x + 2*p.y", "L"}, {"p.y - 0.7*p.z", "0"}, {"(p.x + 2*p.y)/3 + 0.1*(p.y - 0.7*p.z)", "L/3"}}, 2,
              {"r3"}),
    fine("6 near duplicate 1e-6", kOne, {{"p.x", "L"}, {"p.x + 1e-6*p.y", "L"}}, 2),
    fine("7 near duplicate 1e-9", kOne, {{"p.x", "L"}, {"p.x + 1e-9*p.y", "L"}}, 2, 1),
    redundant("8 near duplicate 1e-12", kOne, {{"p.x", "L"}, {"p.x + 1e-12*p.y", "L"}}, 1, {"r2"}, 1),
    redundant("8 near duplicate 1e-13", kOne, {{"p.x", "L"}, {"p.x + 1e-13*p.y", "L"}}, 1, {"r2"}, 1),
    redundant("9 near duplicate 1e-15", kOne, {{"p.x", "L"}, {"p.x + 1e-15*p.y", "L"}}, 1, {"r2"}),
    redundant("9 near duplicate 1e-16", kOne, {{"p.x", "L"}, {"p.x + 1e-16*p.y", "L"}}, 1, {"r2"}),
    fine("10 a row of size 1e-12", kMoving, {{"p.x", "L"}, {"1e-12*(p.y - L*t)", "0"}}, 2),
    fine("10 a row of size 1e-17", kMoving, {{"p.x", "L"}, {"1e-17*(p.y - L*t)", "0"}}, 2),
    fine("11 rows of sizes 1e12, 1, 1e-6", kSpace,
         {{"1e12*p.x", "1e12*L"}, {"p.y + 0.5*p.x", "0.5*L"}, {"1e-6*p.z", "0"}}, 3),
    redundant("12 zero row", kOne, {{"p.x", "L"}, {"p.y^2", "0"}}, 1, {"r2"}),
    redundant("12 zero row, acceleration", kOne, {{"p.y*p.ax", "0"}}, 0, {"r1"}),
    vanishing("13 zero row that cannot hold", kMoving, {{"p.x", "L"}, {"p.y^2", "0"}}, {"r2"}),
    vanishing("13 the same, acceleration", kOne, {{"p.y*p.ax", "L^2"}}, {"r1"}),
    redundant("14 more rows than coordinates", kOne,
              {{"p.x", "L"}, {"p.y", "0"}, {"p.x + p.y", "L"}, {"dist(p, ground)", "L"}}, 2, {"r3", "r4"}),
    conflict("15 the same, contradicting", kOne, {{"p.ax", "0"}, {"p.ay", "0"}, {"p.ax + p.ay", "L"}},
             {"r1", "r2", "r3"}),
    conflict("20 two lengths of one rod", kOne, {{"dist(p, ground)", "L"}, {"dist(p, ground)", "2*L"}}, {"r1", "r2"}),
    off("21 off at position level", kOne, {{"dist(p, ground)", "1.1*L"}}),
    off("21 off at velocity level", kLeaving, {{"dist(p, ground)", "L"}}),
    undefined("22 infinite entry of A", kOne, {{"sqrt(p.x - L)", "0"}}),
    undefined("22 not a number in b", kOne, {{"p.ax", "L*ln(p.y/L - 1)"}}),
    fine("23 no rows", kMoving, {}, 0),
};

std::string with_length(std::string text, const std::string& length) {
  for (std::size_t at = 0; (at = text.find('L', at)) != std::string::npos; at += length.size())
    text.replace(at, 1, length);
  return text;
}

// A Scale holds the ratios of the units of a model to those of its twin.
struct Scale {
  double rows = 1, length = 1, mass = 1;
};
constexpr Scale kScales[] = {{}, {1e6, 1, 1}, {1e-6, 1, 1}, {1, 1e6, 1}, {1, 1e-6, 1}, {1, 1, 1e6}, {1, 1, 1e-6}};

std::string model(const Case& c, const Scale& scale, const std::string& formulation) {
  const double factor = scale.rows;
  std::string text = "mbd 1\nparam m = " + number(scale.mass) + "\n" + c.model;
  for (std::size_t i = 0; i < c.rows.size(); ++i)
    text += "constraint r" + std::to_string(i + 1) + ": " + number(factor) + "*(" + c.rows[i].left +
            ") == " + number(factor) + "*(" + c.rows[i].right + ")\n";
  text += "simulate { time = 0 .. 0.05 step 0.01; integrator = rk4; stabilise = project; formulation = " + formulation +
          " }\n";
  return with_length(text, number(scale.length));
}

bool names(const std::string& message, const std::string& row) {
  return message.find("`" + row + "`") != std::string::npos;
}

void check(const Case& c, const Scale& scale, const std::string& formulation) {
  const std::string text = model(c, scale, formulation);
  const bool usual = formulation == "udwadia_kalaba";
  if (!usual && !Model::from_string(text, "model.mbd", {}).ok()) return;  // The formulation does not apply.
  const Run r = usual ? run_both(text) : run(text);
  INFO(c.name << ", rows times " << scale.rows << ", lengths times " << scale.length << ", masses times " << scale.mass
              << "\n"
              << text << r.result.rendered);
  CHECK(r.result.status == c.status);
  CHECK(r.code() == c.code);
  if (c.status == Status::complete) {
    CHECK(r.result.rank == c.rank);
    CHECK(r.result.dependent_rows == c.dependent);
    CHECK(r.rows() == 6);
  }
  CHECK(r.result.warnings.size() == c.warnings);
  if (!r.result.diagnostic) return;
  CHECK(r.result.diagnostic->time == 0.0);
  CHECK(r.result.diagnostic->place.line >= 5);  // The place is that of the constraint.
  if (c.named.empty()) return;
  for (std::size_t i = 0; i < c.rows.size(); ++i) {
    const std::string row = "r" + std::to_string(i + 1);
    const bool expected = std::find(c.named.begin(), c.named.end(), row) != c.named.end();
    CHECK_MESSAGE(names(r.result.diagnostic->message, row) == expected, row << ": " << r.result.diagnostic->message);
  }
}

}  // namespace

TEST_CASE("the verdict on a set of rows does not depend on their scale, on units or on the engine") {
  for (const Case& c : kCases)
    for (const Scale& scale : kScales) check(c, scale, "udwadia_kalaba");
}

TEST_CASE("nor does it depend on the formulation") {
  for (const char* formulation :
       {"augmented", "lagrange", "kane", "maggi", "projection", "volterra", "boltzmann_hamel"})
    for (const Case& c : kCases)
      for (const Scale& scale : kScales) check(c, scale, formulation);
}

namespace {

// With length L and mass m, this is a four-bar of bodies on hinges in space. Three of its twenty rows are redundant.
constexpr const char* kFourBarInSpace = R"(
use joints, bodies
gravity (0, 0, -9.81*L)
body crank(mass = m, inertia = cylinder_inertia(m, 0.1*L, L, axis = ez)) at (0, 0, 0.5*L)
body bar(mass = m, inertia = cylinder_inertia(m, 0.1*L, 2*L, axis = ex)) at (L, 0, L)
body rocker(mass = m, inertia = cylinder_inertia(m, 0.1*L, L, axis = ez)) at (2*L, 0, 0.5*L)
Revolute a(ground, crank.at(0, 0, -0.5*L), axis = ey)
Revolute b(crank.at(0, 0, 0.5*L), bar.at(-L, 0, 0), axis = ey)
Revolute c(bar.at(L, 0, 0), rocker.at(0, 0, 0.5*L), axis = ey)
Revolute d(ground.at(2*L, 0, 0), rocker.at(0, 0, -0.5*L), axis = ey)
)";
// The parallelogram starts in line with the velocities of one branch.
constexpr const char* kParallelogramInLine = R"(
space 2
particle a(m) at (L, 0) moving (0, L)
particle b(m) at (3*L, 0) moving (0, L)
constraint left: dist(ground, a) == L
constraint right: (b.x - 2*L)^2 + b.y^2 == L^2
constraint coupler: dist(a, b) == 2*L
)";
// Without the gear nothing gives s an inertia.
constexpr const char* kGeared = R"(
coord phi = 0.3 rate 0.4
coord s = 0.6*L rate 0.8*L
particle p(m) follows (L*sin(phi), 0, -L*cos(phi))
gravity (0, 0, -9.81*L)
constraint gear: s == 2*L*phi
)";

std::string scaled(const char* text, const Scale& scale, const char* formulation) {
  return "mbd 1\nparam L = " + number(scale.length) + ", m = " + number(scale.mass) + text +
         "simulate { time = 0 .. 0.05 step 0.01; integrator = rk4; formulation = " + formulation + " }\n";
}

}  // namespace

TEST_CASE("16, 17: loops in space and positions in line, whatever the units") {
  for (const Scale& scale : kScales)
    for (const char* formulation : {"udwadia_kalaba", "augmented", "lagrange", "kane", "maggi"}) {
      const Run loop = run(scaled(kFourBarInSpace, scale, formulation));
      INFO(formulation << " " << scale.length << " " << scale.mass << "\n" << loop.result.rendered);
      CHECK(loop.result.status == Status::complete);
      CHECK(loop.result.rank == 17);
      CHECK(loop.result.dependent_rows.size() == 3);
      const Run line = run(scaled(kParallelogramInLine, scale, formulation));
      INFO(line.result.rendered);
      CHECK(line.result.status == Status::complete);
      CHECK(line.result.rank == 2);  // In line the rank is 2; near the line all three rows count.
      REQUIRE(line.result.rank_changes.size() == 1);
      CHECK(line.result.rank_changes[0].after == 3);
      CHECK(line.last("a.y") / scale.length == doctest::Approx(std::sin(0.05)).epsilon(1e-9));
    }
}

TEST_CASE("18, 19: what has no inertia is refused by its name, unless constraints hold it") {
  CHECK_THROWS_WITH(compile_text("mbd 1\nparticle p(0) at (0, 0, 0)\n", Engine::interpreter),
                    doctest::Contains("E0406"));
  for (const Scale& scale : kScales)
    for (const char* formulation : {"udwadia_kalaba", "augmented", "projection", "maggi"}) {
      const Run held = run(scaled(kGeared, scale, formulation));
      INFO(formulation << " " << scale.length << " " << scale.mass << "\n" << held.result.rendered);
      CHECK(held.result.status == Status::complete);
      CHECK(held.result.rank == 1);
      CHECK(held.last("s") / scale.length == doctest::Approx(2 * held.last("phi")).epsilon(1e-12));
      const std::string loose = replaced(scaled(kGeared, scale, formulation), "constraint gear: s == 2*L*phi\n", "");
      const Run refused = run(loose);
      INFO(refused.result.rendered);
      CHECK(refused.result.status != Status::complete);
      CHECK(refused.code() == "E0608");
      REQUIRE(refused.result.diagnostic);
      CHECK(refused.result.diagnostic->message.find("`s`") != std::string::npos);
    }
}

TEST_CASE("an initial state off the constraints: the offered correction can be accepted") {
  const std::string text =
      "mbd 1\nspace 2\nparticle p(2) at (1, 0) moving (0.5, 1)\nconstraint rod: dist(p, ground) == 1.1\n"
      "simulate { time = 0 .. 0.1 step 0.01; assemble; integrator = rk4 }\n";
  const Run r = run_both(text);
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.at(0, "p.x") == doctest::Approx(1.1).epsilon(1e-13));
  CHECK(std::fabs(r.at(0, "p.vx")) < 1e-13);
  CHECK(r.at(0, "p.vy") == 1.0);
  const Run refused = run_both(replaced(text, "; assemble", ""));
  CHECK(refused.code() == "E0601");
  CHECK(refused.result.diagnostic->help.find("assemble") != std::string::npos);
}

TEST_CASE("constraints that come to contradict each other stop the run there, and what was computed stays") {
  const struct {
    const char* level;
    const char* first;
    const char* second;
  } cases[] = {{"position", "p.x == 0", "p.x == max(0, t - 1.5)"},
               {"velocity", "p.vx == 0", "p.vx == max(0, t - 1.5)"},
               {"acceleration", "p.ax == 0", "p.ax == (if t < 1.5 then 0 else 1)"}};
  for (const auto& c : cases)
    for (const char* stabilise : {"project", "none"}) {
      CAPTURE(std::string(c.level));
      CAPTURE(std::string(stabilise));
      const std::string text = std::string("mbd 1\nspace 2\nparticle p(1) at (0, 0) moving (0, 1)\nconstraint a: ") +
                               c.first + "\nconstraint b: " + c.second +
                               "\nsimulate { time = 0 .. 3 step 0.01; integrator = rk4; stabilise = " + stabilise +
                               " }\n";
      const Run r = run_both(text);
      INFO(r.result.rendered);
      CHECK(r.result.status == Status::stopped);
      CHECK(r.code() == "E0602");
      REQUIRE(r.result.diagnostic->time);
      CHECK(std::fabs(*r.result.diagnostic->time - 1.5) <= 0.0100001);
      CHECK(names(r.result.diagnostic->message, "a"));
      CHECK(names(r.result.diagnostic->message, "b"));
      CHECK(r.rows() >= 150);
      CHECK(r.last("p.y") == doctest::Approx(r.time.back()).epsilon(1e-12));
    }
}

TEST_CASE("a value that stops being finite stops the run at its expression") {
  const std::string text =
      "mbd 1\nspace 1\nparticle p(1) at 1 moving (-1)\nforce f on p: 0.01*sqrt(p.x - 0.5)\n"
      "simulate { time = 0 .. 2 step 0.01; integrator = rk4 }\n";
  const Run r = run_both(text);
  CHECK(r.result.status == Status::stopped);
  CHECK(r.code() == "E0603");
  CHECK(r.result.diagnostic->place.line == 4);
  CHECK(*r.result.diagnostic->time == doctest::Approx(0.5).epsilon(0.03));
  CHECK(r.rows() >= 49);
  CHECK(r.result.diagnostic->message.find("square root of a negative number") != std::string::npos);
}

TEST_CASE("a model in which nothing moves is refused") {
  const Model p = Model::from_string("mbd 1\nparam a = 1\nsimulate { time = 0 .. 1 step 0.1 }\n", "model.mbd", {});
  REQUIRE_FALSE(p.ok());
  CHECK(p.diagnostics()[0].code == "E0412");
}
