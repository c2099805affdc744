// SPDX-License-Identifier: Apache-2.0
// Tests the limits of a model at their value and one above, from the text to the run, and pins their messages.
// parse_limits_test.cpp tests the limits of the text alone with more constructs.
#include <doctest/doctest.h>
#include <pthread.h>

#include <cmath>
#include <csignal>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "mbc/mbc.h"

namespace {

using mbc::Model;
using mbc::RunResult;
using mbc::Simulation;

const std::string kParticle = "particle p(1) at (1, 0, 0)\n";

std::string times(std::size_t n, std::string_view text) {
  std::string out;
  out.reserve(n * text.size());
  for (std::size_t i = 0; i < n; ++i) out += text;
  return out;
}

Model compiled(const std::string& text) {
  mbc::CompileOptions options;
  options.interpret = true;
  return Model::from_string("mbd 1\n" + text, "limits.mbd", options);
}

// Returns "" if the model is accepted, and otherwise its first diagnostic as `LINE:COLUMN CODE message`.
std::string first_error(const Model& model) {
  const auto list = model.diagnostics();
  if (list.empty()) return "";
  const mbc::DiagnosticInfo& d = list.front();
  return std::to_string(d.place.line) + ":" + std::to_string(d.place.column) + " " + d.code + " " + d.message;
}

std::string first_error(const std::string& text) { return first_error(compiled(text)); }

double value_of(const Model& model, const std::string& expression) {
  return Simulation::create(model).value().value(expression).value().at(0);
}

RunResult run(const Model& model, const mbc::RunOptions& options = {}, const mbc::Observer& observer = {}) {
  return Simulation::create(model).value().run(options, observer);
}

TEST_CASE("nesting: 256 levels are understood, the 257th is refused") {
  const auto brackets = [](std::size_t n) {
    return kParticle + "let a = " + times(n, "(") + "2" + times(n, ")") + "*p.x\n";
  };
  const Model deepest = compiled(brackets(256));
  REQUIRE(first_error(deepest).empty());
  CHECK(value_of(deepest, "a") == 2);
  CHECK(first_error(brackets(257)) == "3:265 E0110 brackets and operators are nested more than 256 deep");
  const auto calls = [](std::size_t n) {
    return kParticle + "let a = " + times(n, "sin(") + "t" + times(n, ")") + "\n";
  };
  CHECK(first_error(calls(128)).empty());  // A call counts as a name and a bracket.
  CHECK(first_error(calls(129)).ends_with("E0110 brackets and operators are nested more than 256 deep"));
  const Model powers = compiled(kParticle + "let a = " + times(255, "1^") + "p.x\n");
  CHECK(first_error(powers).empty());
}

// A thread of a host may have a small stack. Deep texts are then refused with the message of the limit and never end
// the process.
TEST_CASE("nesting in threads with little stack") {
  struct Job {
    std::string text;
    std::string error;
  };
  const auto on_stack = [](std::size_t bytes, Job& job) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    REQUIRE(pthread_attr_setstacksize(&attributes, bytes) == 0);
    pthread_t thread{};
    const auto work = [](void* data) -> void* {
      auto* given = static_cast<Job*>(data);
      given->error = first_error(compiled(given->text));
      return nullptr;
    };
    REQUIRE(pthread_create(&thread, &attributes, work, &job) == 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
  };
#ifdef __SANITIZE_ADDRESS__
  const std::initializer_list<std::size_t> stacks = {1024, 4096};
#else
  const std::initializer_list<std::size_t> stacks = {192, 256, 512, 1024};
#endif
  const std::string shapes[][2] = {
      {"(", ")"}, {"(1+p.y*", ")"}, {"2^(", ")"}, {"-", ""}, {"if t > 0 then 1 else ", ""}, {"(", ",1).x"}, {"1^", ""}};
  for (const std::size_t kilobytes : stacks)
    for (const auto& [open, close] : shapes)
      for (const std::size_t depth : {4, 60, 120, 250}) {
        Job job{kParticle + "output a = " + times(depth, open) + "p.x" + times(depth, close) + "\n", ""};
        on_stack(kilobytes * 1024, job);
        CAPTURE(kilobytes);
        CAPTURE(open);
        CHECK((job.error.empty() ||
               job.error.find("E0110 brackets and operators are nested more than") != std::string::npos));
        if (depth == 4) CHECK(job.error.empty());
      }
  Job deep{kParticle + "output a = " + times(250, "(") + "p.x" + times(250, ")") + "\n", ""};
  on_stack(std::size_t{8} << 20, deep);
  CHECK(deep.error.empty());
}

TEST_CASE("a megabyte of `(` is refused at once") {
  const Model program = compiled("let a = " + times(1'000'000, "("));
  CHECK(program.diagnostics().size() == 1);
  CHECK(first_error(program) == "2:265 E0110 brackets and operators are nested more than 256 deep");
}

TEST_CASE("names have 255 bytes") {
  const auto named = [](std::size_t n) { return "particle " + times(n, "q") + "(1) at (0, 0, 0)\n"; };
  CHECK(first_error(named(255)).empty());
  CHECK(first_error(named(256)) == "2:10 E0111 a name has 256 bytes, more than the limit of 255");
}

TEST_CASE("a file has 8 MiB") {
  const std::string head = "mbd 1\n" + kParticle + "//";
  const auto sized = [&](std::size_t bytes) {
    return Model::from_string(head + times(bytes - head.size(), "x"), "limits.mbd");
  };
  CHECK(first_error(sized(8u << 20)).empty());
  CHECK(sized((8u << 20) + 1).diagnostics().at(0).code == "E0101");
  CHECK(first_error(Model::from_file("/dev/zero")) == "1:1 E0101 the file has more bytes than the limit of 8388608");
}

TEST_CASE("equal mistakes without number take no longer than they are many") {
  const Model model = compiled(kParticle + times(20'000, "simulate { time = 0 .. 1 step 0.1; integrator = rk4 }\n"));
  CHECK(first_error(model) == "4:1 E0420 `simulate` is given twice");
  CHECK(model.render_diagnostics().find("20 errors shown, 19979 more") != std::string::npos);
}

TEST_CASE("20 errors are shown, the others counted") {
  std::string text;
  for (int i = 0; i < 25; ++i) text += "let a" + std::to_string(i) + " = b" + std::to_string(i) + "\n";
  const Model program = compiled(text + kParticle);
  CHECK(program.diagnostics().size() == 20);
  CHECK(program.render_diagnostics().find("20 errors shown, possibly more") != std::string::npos);
}

TEST_CASE("a sum of 100,000 terms") {
  std::string text = "let a = 0";
  for (int i = 1; i <= 100'000; ++i) text += (i % 2 != 0 ? " + p.x*" : " - p.x*") + std::to_string(i);
  const Model program = compiled(kParticle + text + "\noutput a\n");
  REQUIRE(first_error(program).empty());
  CHECK(value_of(program, "a") == -50'000);
}

TEST_CASE("100,000 definitions, each by the one before, in the order of need and against it") {
  const auto definition = [](int i) {
    return "let a" + std::to_string(i) + " = a" + std::to_string(i - 1) + " + p.x\n";
  };
  std::string forward = kParticle + "let a0 = p.x\n", backward = kParticle;
  for (int i = 1; i <= 100'000; ++i) forward += definition(i);
  for (int i = 100'000; i >= 1; --i) backward += definition(i);
  backward += "let a0 = p.x\n";
  for (const std::string& text : {forward, backward}) {
    const Model program = compiled(text);
    REQUIRE(first_error(program).empty());
    CHECK(value_of(program, "a100000") == 100'001);
  }
  CHECK(first_error(forward.replace(kParticle.size() + 9, 3, "a9 "))
            .starts_with("3:5 E0206 `a0` is defined by itself: a0 -> a9 -> "));
}

TEST_CASE("what grows by itself: 2,000,000 terms and calls") {
  CHECK(first_error(kParticle + "let a = sum(i for i in 1..1000000)\n").empty());
  CHECK(first_error(kParticle + "let a = sum(i for i in 1..1000001)\n") ==
        "3:27 E0305 a bound of `sum` must be a whole number up to 1000000, found 1000001");
  CHECK(
      first_error(kParticle + "let a = sum(i for i in -500000..500000)\nlet b = sum(i for i in 1..999999)\n").empty());
  CHECK(first_error(kParticle + "let a = sum(i for i in -500000..500000)\nlet b = sum(i for i in 1..1000000)\n") ==
        "4:9 E0217 this sum makes the model too large: more than 2,000,000 terms and calls");
  std::string doubling = kParticle + "def f0(x) = x + 1\n";
  for (int i = 1; i <= 60; ++i) {
    const std::string inner = "f" + std::to_string(i - 1);
    doubling += "def f" + std::to_string(i) + "(x) = " + inner + "(x) + " + inner + "(2*x)\n";
  }
  CHECK(first_error(doubling + "output f60(p.x)\n").find("E0217") != std::string::npos);
}

TEST_CASE("calls are nested 64 deep") {
  std::string text = kParticle + "def f1(x) = x + 1\n";
  for (int i = 2; i <= 65; ++i) text += "def f" + std::to_string(i) + "(x) = f" + std::to_string(i - 1) + "(x)\n";
  CHECK(first_error(text + "output f64(p.x)\n").empty());
  CHECK(first_error(text + "output f65(p.x)\n") == "4:13 E0216 calls of functions are nested more than 64 deep");
}

TEST_CASE("derivatives of derivatives end") {
  CHECK(first_error(kParticle + "output (exp(sin(t^2)))" + times(30, "'") + "\n").empty());
  CHECK(first_error(kParticle + "output (exp(sin(t^2)))" + times(5000, "'") + "\n") ==
        "3:8 E0217 this derivative makes the model too large: more than 20,000,000 operations");
}

TEST_CASE("many constraint rows, which may all say the same; 2000 for what needs full matrices") {
  const auto rows = [](int n, const std::string& formulation) {
    std::string text = "particle p(1) at (0, 0, 0)\n";
    for (int i = 0; i < n; ++i) text += "constraint c" + std::to_string(i) + ": p.x == 0\n";
    return text + "simulate { time = 0 .. 0.002 step 0.001; integrator = rk4\nformulation = " + formulation + " }\n";
  };
  REQUIRE(first_error(compiled(rows(2000, "augmented")))
              .empty());  // This test uses fewer rows in the run because the dense certification is slow.
  const Model many = compiled(rows(400, "udwadia_kalaba"));
  REQUIRE(first_error(many).empty());
  const mbc::RunResult result = run(many);
  CHECK(result.status == mbc::Status::complete);
  CHECK(result.rank == 1);
  CHECK(result.dependent_rows.size() == 399);
  const Model more = compiled(rows(2001, "udwadia_kalaba"));
  REQUIRE(first_error(more).empty());
  CHECK(run(more).rank == 1);
  const Model augmented = compiled(rows(2001, "augmented"));
  CHECK_FALSE(Simulation::create(augmented));
  CHECK(
      first_error(augmented) ==
      "2003:19 E0609 the model has 2001 constraint rows: this formulation solves a full matrix, of at most 2000 rows");
}

TEST_CASE("inequalities beside more rows than full matrices have are refused when the run begins") {
  const std::string text =
      "mbd 1\nparticle p[i in 1..2100](1) at (i, 0, 0)\nconstraint rod[i in 2..2100]: dist(p[i-1], p[i]) == 1\n"
      "constraint deck: p[1].y >= -1\nsimulate { time = 0 .. 0.01 step 0.001; integrator = rk4 }\n";
  const Model program = Model::from_string(text, "rods.mbd", {});
  REQUIRE(first_error(program).empty());
  const mbc::RunResult result = run(program);
  REQUIRE(result.diagnostic);
  CHECK(result.diagnostic->code == "E0693");
  CHECK(result.diagnostic->place.line == 4);
}

TEST_CASE("3000 rods: native code and interpreter agree bit for bit, what needs full matrices is refused") {
  const std::string text =
      "mbd 1\ngravity (0, 0, -9.81)\nparticle p[i in 1..3000](1) at (i, 0.3*(i - 2*floor(i/2)), 0)\n"
      "constraint first: dist(ground, p[1]) == sqrt(1.09)\n"
      "constraint rod[i in 2..3000]: dist(p[i-1], p[i]) == sqrt(1.09)\n"
      "constraint again: dist(p[9], p[10])^2 == 1.09\n"
      "simulate { time = 0 .. 0.01 step 0.001; integrator = rk4 }\n";
  const auto rods = [&](bool interpret) {
    mbc::CompileOptions options;
    options.interpret = interpret;
    options.native_at_once = true;
    const Model program = Model::from_string(text, "rods.mbd", options);
    REQUIRE(first_error(program).empty());
    return run(program);
  };
  const mbc::RunResult x = rods(false), y = rods(true);
  CHECK(x.status == mbc::Status::complete);
  CHECK(x.rank == 3000);
  CHECK(x.dependent_rows == std::vector<std::string>{"again"});
  CHECK(x.state == y.state);
  CHECK(std::fabs(x.balance_error) < 1e-9);
  const Model program = Model::from_string(text, "rods.mbd", {});
  const mbc::DoctorReport none = Simulation::create(program).value().doctor().value();
  REQUIRE(none.diagnostic);
  CHECK(none.diagnostic->code == "E0609");
  CHECK(none.rendered.find("the doctor") != std::string::npos);
  CHECK(first_error(Model::from_string(text + "init { p[3000].x ~ 3000 }\n", "rods.mbd", {}))
            .find("soft initial values are assembled with a full matrix") != std::string::npos);
}

TEST_CASE("2000 particles") {
  std::string text;
  for (int i = 0; i < 2000; ++i)
    text += "particle p" + std::to_string(i) + "(1) at (" + std::to_string(i) + ", 0, 0) moving (1, 0, 0)\n";
  const Model program = compiled(text + "simulate { time = 0 .. 1 step 0.5; integrator = rk4 }\n");
  REQUIRE(first_error(program).empty());
  const mbc::RunResult result = run(program);
  CHECK(result.status == mbc::Status::complete);
  CHECK(result.state.at(0) == 1);
}

TEST_CASE("1e9 steps are taken on, and can be interrupted") {
  const auto steps = [](const std::string& n) {
    return kParticle + "simulate { time = 0 .. 1 count " + n + "; integrator = rk4 }\n";
  };
  CHECK(first_error(steps("1000000001")) == "3:19 E0417 the time span has 1000000001 steps; at most 1e9 are possible");
  const Model program = compiled(steps("1000000000"));
  REQUIRE(first_error(program).empty());
  volatile std::sig_atomic_t stop = 0;
  mbc::RunOptions options;
  options.stop = &stop;
  options.output_every = 1'000'000;
  int seen = 0;
  options.progress = [&](double) { stop = ++seen == 1000; };
  const mbc::RunResult result = run(program, options);
  CHECK(result.status == mbc::Status::interrupted);
  CHECK(result.steps == 999);
}

TEST_CASE("a run is interrupted within an instant that does not end, and the rows before are kept") {
  const Model program = compiled(kParticle + R"(state a = 0, b = 0, c = 0
when first: t > 0.45 { a = 1 }
when second: a > 0.5 { b = 1 }
when third: b > 0.5 { c = 1 }
simulate { time = 0 .. 1 step 0.1; integrator = rk4 }
)");
  REQUIRE(first_error(program).empty());
  volatile std::sig_atomic_t stop = 0;
  mbc::RunOptions options;
  options.stop = &stop;
  std::vector<std::string> fired;
  options.on_event = [&](double, const std::string& event) {
    fired.push_back(event);
    stop = 1;
    // After the second event the flag has been set for longer than a run may go on without reading it.
    const std::clock_t begin = std::clock();
    while (fired.size() == 2 && std::clock() - begin < 2 * CLOCKS_PER_SEC / 5) continue;
  };
  Simulation simulation = Simulation::create(program).value();
  int rows = 0;
  const mbc::RunResult result = simulation.run(options, [&](const mbc::Row&) { return ++rows > 0; });
  CHECK(result.status == mbc::Status::interrupted);
  CHECK(fired == std::vector<std::string>{"first", "second"});
  CHECK(rows == 5);
  CHECK(simulation.time() == 0);  // The state within an instant is none to go on from.
  CHECK(simulation.run().status == mbc::Status::complete);
}

TEST_CASE("numbers are doubles") {
  CHECK(first_error(kParticle + "let a = 1.7976931348623157e308, b = 4.9e-324\n").empty());
  CHECK(first_error(kParticle + "let a = 1.8e308\n") == "3:9 E0120 the number `1.8e308` does not fit a double");
  CHECK(first_error(kParticle + "let a = 1e-400\n") == "3:9 E0120 the number `1e-400` does not fit a double");
}

TEST_CASE("a contradiction that begins at t = 1.5 is seen there, and the rows before are kept") {
  const Model program = compiled(
      "particle p(1) at (0, 0, 0) moving (1, 0, 0)\nconstraint one: p.x == t\nconstraint two: p.x == min(t, 1.5)\n"
      "simulate { time = 0 .. 3 step 0.05; integrator = rk4 }\n");
  REQUIRE(first_error(program).empty());
  int rows = 0;
  const mbc::RunResult result = run(program, {}, [&](const mbc::Row&) { return ++rows > 0; });
  CHECK(result.status == mbc::Status::stopped);
  REQUIRE(result.diagnostic);
  CHECK(result.diagnostic->code == "E0602");
  CHECK(std::fabs(result.diagnostic->time.value_or(0) - 1.5) < 0.051);
  CHECK(rows >= 30);
}

}  // namespace
