// SPDX-License-Identifier: Apache-2.0
// `rows = (t1, t2, ...)`: rows at listed times, by every method that chooses its steps.
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
