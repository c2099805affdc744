// SPDX-License-Identifier: Apache-2.0
// Tests models of more than kManyCoordinates coordinates. Their tree, model and system are dropped before the run
// without a visible effect.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "compiler/pipeline.h"
#include "mbc/mbc.h"

namespace mbc::test {
namespace {

constexpr std::size_t kParticles = kManyCoordinates / 3 + 10;

Simulation large(const std::string& more) {
  CompileOptions options;
  options.interpret = true;
  const std::string n = std::to_string(kParticles);
  Simulation program =
      Simulation::create(
          Model::from_string(
              "mbd 1\nparam L = 1\nparam h = 2\nparam twice = 2*L\ninput push = 3*L\ngravity (0, 0, -10)\n"
              "particle p[i in 1.." +
                  n + "](1) at (i*L, 0, h) moving (twice, 0, 0)\n" + more,
              "large.mbd", options))
          .value();
  REQUIRE_MESSAGE(program.model().ok(), program.model().render_diagnostics());
  REQUIRE(program.model().coordinate_count() > kManyCoordinates);
  return program;
}

// Returns the code of the diagnostic that a short text with this line has.
std::string first_code(const std::string& line) {
  const Model program = Model::from_string("mbd 1\nparticle p(1) at (0, 0, 0)\n" + line + "\n", "short.mbd");
  return program.diagnostics().at(0).code;
}

bool analysed_again(const Simulation& program) {
  for (const StageTime& t : program.model().stage_times())
    if (t.name == "analyse again") return true;
  return false;
}

TEST_CASE("parameters, inputs and initial values of a large model follow what is set, without the model") {
  Simulation program = large("");
  const std::size_t n = program.model().coordinate_count();
  const auto expect = [&](double length, double height) {
    const std::vector<double> y = program.initial_state();
    for (std::size_t i = 0; i < kParticles; i += 117) {
      CHECK(y[3 * i] == static_cast<double>(i + 1) * length);
      CHECK(y[3 * i + 2] == height);
      CHECK(y[n + 3 * i] == 2 * length);
    }
    CHECK(program.parameter(2).value() == 2 * length);
  };
  expect(1, 2);
  CHECK(program.input(0).value() == 3);
  REQUIRE(program.set_parameter("L", 0.25));
  expect(0.25, 2);
  CHECK(program.input(0).value() == 0.75);
  REQUIRE(program.set_input("push", 7));
  REQUIRE(program.set_parameter("h", -1));
  expect(0.25, -1);
  CHECK(program.input(0).value() == 7);
  CHECK_FALSE(program.set_parameter("push", 1));
  CHECK_FALSE(program.set_input("L", 1));
  CHECK_FALSE(analysed_again(program));
  // A request for the model rebuilds it with the values that were set.
  CHECK(program.value("p[8].x + L", 0, program.initial_state()).value().at(0) == 2.25);
  CHECK(analysed_again(program));
  expect(0.25, -1);
}

TEST_CASE("what the stages of a large model print is what it would print if it had been kept") {
  Simulation program = large("constraint rod[i in 2..40]: dist(p[i-1], p[i]) == L\n");
  const std::string text = program.model().source_text();
  const Compilation kept = compile("large.mbd", text, {});
  REQUIRE(kept.ok());
  CHECK(program.model().emit(Stage::kernel).value() == kernel::print(kept.formulated.kernel));
  CHECK_FALSE(analysed_again(program));
  CHECK(program.model().emit(Stage::system).value() == lower::print(kept.system, kept.model));
  CHECK(program.model().emit(Stage::model).value() == sema::print(kept.model));
  CHECK(program.model().info(false).value().entities.size() == kParticles);
  CHECK(program.model().constraint_row_count() == 39);
}

TEST_CASE("a failure in a large model names what failed and where") {
  Simulation program = large("force f on p[7]: (sqrt(p[7].pos.z - 1), 0, 0)\nsimulate { time = 0 .. 1 step 0.01 }\n");
  const RunResult result = program.run({}, {});
  CHECK(result.status == Status::stopped);
  REQUIRE(result.diagnostic);
  CHECK(result.diagnostic->kind == "undefined_value");
  CHECK(result.diagnostic->place.line == 8);
  CHECK(result.diagnostic->time.value_or(0) > 0.4);
  CHECK(result.rendered.find("sqrt(p[7].pos.z - 1)") != std::string::npos);
  CHECK_FALSE(analysed_again(program));
}

TEST_CASE("a block of a large model that needs other equations gets them, and the first its own again") {
  Simulation program = large(
      "constraint drive: p[1].pos.x == L + 0.1*t\nconstraint rod[i in 2..60]: dist(p[i-1], p[i]) == L\n"
      "simulate one { time = 0 .. 0.01 step 0.005; integrator = rk4 }\n"
      "simulate two { time = 0 .. 0.01 step 0.005; integrator = rk4\n stabilise = baumgarte(alpha = 5, beta = 5) }\n"
      "init { p[1].vx = 0.1 }\n");
  REQUIRE(program.set_parameter("L", 1));
  const auto run = [&](const char* block) {
    RunOptions options;
    options.simulation = block;
    options.assemble = true;
    RunResult result = program.run(options, {});
    CHECK_MESSAGE(result.status == Status::complete, result.rendered);
    REQUIRE(result.works.size() == 1);
    CHECK(result.works[0].first == "drive");
    return result.state;
  };
  const std::vector<double> first = run("one"), second = run("two"), again = run("one");
  CHECK(analysed_again(program));
  CHECK(first == again);
  REQUIRE(first.size() == second.size());
  CHECK(std::fabs(first[0] - second[0]) < 1e-6);
}

// A text with so many lines is parsed in pieces (compiler/parse/parse.cpp). `other` replaces one of them.
std::string long_text(std::size_t lines, std::size_t at = 0, const std::string& other = "") {
  std::string text = "mbd 1\nparticle p(1) at (0, 0, 0)\n";
  for (std::size_t k = 3; k <= lines; ++k)
    text += k == at ? other + "\n" : "param a" + std::to_string(k) + " = " + std::to_string(k) + "  /// line\n";
  return text;
}

TEST_CASE("a long text is parsed in pieces as it would be at once: the same places, mistakes told once") {
  constexpr std::size_t kLines = 8000;
  CompileOptions options;
  options.interpret = true;
  const auto compiled = [&](const std::string& text) { return Model::from_string(text, "long.mbd", options); };
  const Model good = compiled(long_text(kLines));
  REQUIRE_MESSAGE(good.ok(), good.render_diagnostics());
  REQUIRE(good.parameters().size() == kLines - 2);
  const std::vector<Quantity> parameters = good.parameters();
  const ModelInfo values = good.info(false).value();
  for (std::size_t k = 3; k <= kLines; ++k) {
    CHECK(parameters[k - 3].name == "a" + std::to_string(k));
    CHECK(values.parameters[k - 3].value == static_cast<double>(k));
  }
  const auto told = [&](std::size_t line, const std::string& other, const std::string& code) {
    const std::vector<DiagnosticInfo> list = compiled(long_text(kLines, line, other)).diagnostics();
    REQUIRE(list.size() == 1);
    CHECK(list[0].place.line == line);
    CHECK(list[0].code == code);
  };
  // The errors are in the first piece and in a later one. They are errors of the grammar, of the checks after it, and
  // of names.
  for (const std::size_t line : {std::size_t{10}, kLines - 10}) {
    told(line, "param b = 1 +", first_code("param b = 1 +"));
    told(line, "let b = 1 < 2 < 3", first_code("let b = 1 < 2 < 3"));
    told(line, "let b = nothing", "E0201");
  }
  // The header is allowed only at the beginning, even if a piece begins at its line: 1,000 tokens are about 166 lines.
  for (std::size_t line = 158; line < 182; ++line) told(line, "mbd 1", first_code("mbd 1"));
}

}  // namespace
}  // namespace mbc::test

TEST_CASE("a block whose equations cannot be had says why when it is run") {
  mbc::Simulation program = mbc::Simulation::create(mbc::Model::from_string(R"(mbd 1
let n = 2100
particle p[i in 1..n](1) at (i, 0, 0)
for i in 2..n { constraint rod[i]: dist(p[i-1], p[i]) == 1 }
simulate a { time = 0 .. 0.002 step 0.001; integrator = rk4 }
simulate b { time = 0 .. 0.002 step 0.001; formulation = augmented; integrator = rk4 }
)",
                                                                            "a.mbd"))
                                .value();
  REQUIRE(program.model().ok());
  mbc::RunOptions run;
  run.simulation = "b";
  const mbc::RunResult result = program.run(run, {});
  CHECK(result.status == mbc::Status::model_error);
  REQUIRE(result.diagnostic);
  CHECK(result.diagnostic->code == "E0609");
  CHECK(result.rendered.find("a.mbd:4:") != std::string::npos);
}
