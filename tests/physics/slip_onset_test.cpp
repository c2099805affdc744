// SPDX-License-Identifier: Apache-2.0
// Tests slips that other rows begin at an acceleration of zero (x = t^3): what sticks at the instant itself cannot
// stick a moment later. The forces have closed forms.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

// Returns the complete run of a model in one dimension.
Run moved(const std::string& text, const std::string& settings = "") {
  const Run r = run_both("mbd 1\nspace 1\n" + text + "simulate { time = 0 .. 1 step 0.1; " + settings + " }\n");
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  return r;
}

}  // namespace

TEST_CASE("a slide is led from rest by any power of the time, with dry friction on its way") {
  for (const int power : {2, 3, 4, 5, 7})
    for (const double sign : {1.0, -1.0})
      for (const std::string still : {"", " static 8"})
        for (const std::string integrator : {"auto", "rk4", "bdf", "taylor"}) {
          CAPTURE(power);
          CAPTURE(sign);
          CAPTURE(still);
          CAPTURE(integrator);
          const Run r = moved("particle s(2) at 0\nconstraint drive: s.x == " + number(sign) + "*t^" +
                                  std::to_string(power) + "\nfriction rub on s.vx: 5" + still +
                                  "\noutput push = drive.lambda, f = rub.lambda, st = rub.sticks\n",
                              "integrator = " + integrator);
          for (std::size_t row = 0; row < r.rows(); ++row) {
            const double a = sign * power * (power - 1) * std::pow(r.time[row], power - 2);
            CHECK(r.at(row, "st") == 0);
            CHECK(std::fabs(r.at(row, "f") + 5 * sign) < 1e-9);
            CHECK(std::fabs(r.at(row, "push") - 2 * a - 5 * sign) < 1e-7);
          }
        }
}

TEST_CASE("of two frictions against a belt that starts the weaker one slips") {
  for (const double other : {4.0, 8.0}) {
    CAPTURE(other);
    const Run r = moved("particle b(1) at 0\nfriction left on b.vx: 5\nfriction right on b.vx - t^2: " + number(other) +
                        "\noutput f1 = left.lambda, f2 = right.lambda\n");
    for (std::size_t row = 0; row < r.rows(); ++row) {
      CHECK(std::fabs(r.at(row, "f2") - (other < 5 ? 4 : 5 + 2 * r.time[row])) < 1e-9);
      CHECK(std::fabs(r.at(row, "f1") + (other < 5 ? 4 : 5)) < 1e-9);
    }
  }
}

TEST_CASE("a rest ends where a drive of speeds begins smoothly, and is held before") {
  const Run r = moved(
      "particle s(2) at 0\nconstraint drive: s.vx == max(t - 0.5, 0)^2\nfriction rub on s.vx: 5\n"
      "output f = rub.lambda, st = rub.sticks\n");
  for (std::size_t row = 0; row < r.rows(); ++row) {
    CHECK(r.at(row, "st") == (r.time[row] < 0.45 ? 1 : 0));
    if (r.time[row] > 0.55) CHECK(std::fabs(r.at(row, "f") + 5) < 1e-9);
  }
}

TEST_CASE("a drive that begins between two rows lets go when it begins, and not at the row before") {
  for (const double begin : {0.0005, 0.03, 0.57}) {
    CAPTURE(begin);
    const Run r = moved("particle s(2) at 0\nconstraint drive: s.vx == max(t - " + number(begin) +
                        ", 0)^2\nfriction rub on s.vx: 5\noutput f = rub.lambda, st = rub.sticks\n");
    for (std::size_t row = 0; row < r.rows(); ++row) {
      CHECK(r.at(row, "st") == (r.time[row] < begin ? 1 : 0));
      CHECK(std::fabs(r.at(row, "f") + (r.time[row] < begin ? 0 : 5)) < 1e-9);
    }
  }
}

TEST_CASE("a block that presses on the ground is pulled from rest, as contacts decide") {
  for (const std::string formulation : {"udwadia_kalaba", "augmented", "maggi"}) {
    CAPTURE(formulation);
    const Run r = run_both(R"(mbd 1
gravity (0, 0, -10)
particle s(2) at (0, 0, 0)
constraint deck: s.z >= 0
constraint drive: s.x == t^3*(1 - t/2)
friction rub on (s.vx, s.vy): 0.3*deck.lambda
output fx = rub.lambda.x, push = drive.lambda
simulate { time = 0 .. 1 step 0.1; formulation = )" +
                           formulation + " }\n");
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    for (std::size_t row = 1; row < r.rows(); ++row) {
      const double t = r.time[row];
      CHECK(std::fabs(r.at(row, "fx") + 6) < 1e-8);
      CHECK(std::fabs(r.at(row, "push") - 2 * (6 * t - 6 * t * t) - 6) < 1e-8);
    }
  }
}
