// SPDX-License-Identifier: Apache-2.0
// Tests `rows = (t1, t2, ...)`: rows at listed times with every method that chooses its steps.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

const std::string kText =
    "mbd 1\ncoord x = 1\nkinetic T: x'^2/2\npotential V: x^2/2\nsimulate { time = 0 .. 10; rows = LIST; integrator = "
    "METHOD }\n";

Run listed(const char* list, const char* method = "auto") {
  return run(replaced(replaced(kText, "LIST", list), "METHOD", method));
}

}  // namespace

TEST_CASE("rows lie at the times that are listed, at the beginning and at the end") {
  for (const char* method : {"auto", "dop853(rtol = 1e-10, atol = 1e-10)", "dopri5(rtol = 1e-10, atol = 1e-10)",
                             "bdf(rtol = 1e-9, atol = 1e-9)", "taylor"}) {
    CAPTURE(std::string(method));
    const Run r = listed("(0.1, 0.25, sqrt(2), 7)", method);
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    const std::vector<double> wanted = {0, 0.1, 0.25, std::sqrt(2.0), 7, 10};
    CHECK(r.time == wanted);
    CHECK(r.result.row_times == wanted);
    for (std::size_t k = 0; k < r.rows(); ++k) CHECK(std::fabs(r.at(k, "x") - std::cos(r.time[k])) < 1e-6);
  }
}

TEST_CASE("a list may hold the ends, one time, and every other row of it may be kept") {
  CHECK(listed("(0, 3, 10)").time == std::vector<double>{0, 3, 10});
  CHECK(listed("4").time == std::vector<double>{0, 4, 10});
  Simulation s = compile_text(replaced(replaced(kText, "LIST", "(1, 2, 3)"), "METHOD", "auto"), Engine::interpreter);
  RunOptions options;
  options.output_every = 2;
  CHECK(run(s, options).time == std::vector<double>{0, 2, 10});
}

TEST_CASE("listed rows give the states of the same motion with equal steps") {
  const Run by_list = listed("(2.5, 5, 7.5)");
  const Run by_count =
      run(replaced(replaced(replaced(kText, "0 .. 10", "0 .. 10 count 4"), "rows = LIST; ", ""), "METHOD", "auto"));
  REQUIRE(by_list.time == by_count.time);
  for (std::size_t k = 0; k < by_list.rows(); ++k) CHECK(by_list.at(k, "x") == by_count.at(k, "x"));
}

TEST_CASE("tests of a model look at rows that are listed") {
  const std::string text =
      "mbd 1\ncoord x = 1\nkinetic T: x'^2/2\npotential V: x^2/2\n"
      "simulate s { time = 0 .. 2; rows = (0.3, 1.7) }\ntest \"cosine\" over s {\n  check x == cos(0.3) within 1e-7 at "
      "0.3\n}\n";
  const Run r = run(text, Engine::interpreter, {}, "s");
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.time == std::vector<double>{0, 0.3, 1.7, 2});
}

TEST_CASE("a row at the time of an event, but for rounding, is the one after it") {
  // 3*0.1 and 0.1 + 0.2 are one unit in the last place after 0.3, and 0.7 is one before 7*0.1.
  const std::string text = R"(mbd 1
input c = 0
state s = 0, n = 0
coord x = 0 rate 1
kinetic T: x'^2/2
every sample: 0.1 { s = sin(t) }
at once: 0.1 + 0.2 { n = 1 }
output signal = c
simulate { time = 0 .. 1 ROWS; integrator = METHOD; input.c = table(t, (0, 0.1 + 0.2, 3), (1, 2, 3)) }
)";
  for (const char* method : {"auto", "dop853(rtol = 1e-10, atol = 1e-10)", "dopri5(rtol = 1e-10, atol = 1e-10)",
                             "bdf(rtol = 1e-9, atol = 1e-9)", "taylor", "rk4"})
    for (const std::string rows : {"step 0.01", "step 0.05", "; rows = (0.3, 0.6, 0.7)"}) {
      if (std::string(method) == "rk4" && rows[0] == ';') continue;
      CAPTURE(std::string(method));
      CAPTURE(rows);
      const Run r = run_both(replaced(replaced(text, "ROWS", rows), "METHOD", method));
      REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
      for (std::size_t k = 0; k < r.rows(); ++k) {
        const double samples = std::floor(r.time[k] * 10 + 1e-9);
        CHECK(std::fabs(r.at(k, "s") - std::sin(samples / 10)) < 1e-12);
        CHECK(r.at(k, "n") == (r.time[k] > 0.3 - 1e-12 ? 1 : 0));
        CHECK(r.at(k, "signal") == (r.time[k] > 0.3 - 1e-12 ? 2 : 1));
        CHECK(std::fabs(r.at(k, "x") - r.time[k]) < 1e-12);
      }
    }
}

TEST_CASE("tests of a model see samples in the rows at their times") {
  const std::string text =
      "mbd 1\nuse control\nlet s = sin(t)\nZeroOrderHold z(s, period = 0.1)\ncoord x = 0 rate 1\nkinetic T: x'^2/2\n"
      "simulate own { time = 0 .. 1 step 0.01 }\ntest \"after\" over own {\n  check z.y == sin(0.3) within 1e-9 at "
      "0.3\n}\n";
  const Result<TestResult> made = compile_text(text, Engine::interpreter).run_test(0);
  REQUIRE(made.ok());
  CHECK(made->passed);
}
