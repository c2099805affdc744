// SPDX-License-Identifier: Apache-2.0
// Tests more contact forces than are necessary: outputs show the minimum-norm forces, which carry the same load and
// pull nowhere, the summary names them, and the doctor tells which row depends on which.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

// Returns a bar on posts at -1, 0 and 1 that carries a load of F at x.
std::string bar(double x, double F) {
  return "mbd 1\nspace 2\ngravity (0, -10)\nparam x = " + std::to_string(x) + ", F = " + std::to_string(F) + R"(
body bar(mass = 2, inertia = 2*2^2/12) at (0, 0)
constraint a: bar.at(-1, 0).pos.y >= 0
constraint b: bar.at(0, 0).pos.y >= 0
constraint c: bar.at(1, 0).pos.y >= 0
force press on bar.at(x, 0): (0, -F)
output a.lambda, b.lambda, c.lambda, N = a.lambda + b.lambda + c.lambda
simulate { time = 0 .. 0.2 step 0.1 }
)";
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a bar on three posts: the least squares of pushes, none of which is negative") {
  // Among the contact forces with N = 26 and the moment F x, the expected ones are those of three equal springs, which
  // lie on a straight line over the posts. If one of these is negative, they are those of two posts.
  const Run middle = run_both(bar(0.2, 6));
  REQUIRE(middle.result.status == Status::complete);
  CHECK(middle.result.reactions_not_unique == Names{"a.lambda", "b.lambda", "c.lambda"});
  for (std::size_t k = 0; k < middle.rows(); ++k) {
    CHECK(std::fabs(middle.at(k, "a.lambda") - (26.0 / 3 - 0.6)) < 1e-12);
    CHECK(std::fabs(middle.at(k, "b.lambda") - 26.0 / 3) < 1e-12);
    CHECK(std::fabs(middle.at(k, "c.lambda") - (26.0 / 3 + 0.6)) < 1e-12);
    CHECK(std::fabs(middle.at(k, "N") - 26) < 1e-12);
  }
  const Run end = run_both(bar(0.9, 60));
  REQUIRE(end.result.status == Status::complete);
  CHECK(std::fabs(end.last("a.lambda")) < 1e-12);
  CHECK(std::fabs(end.last("b.lambda") - 26) < 1e-11);
  CHECK(std::fabs(end.last("c.lambda") - 54) < 1e-11);
}

TEST_CASE("a table on four legs: a quarter each, more where the load stands; two legs are unique") {
  const std::string table = R"(mbd 1
gravity (0, 0, -10)
body top(mass = 2, inertia = diag(1, 1, 2)) at (0, 0, 0.5)
point leg[i in 1..4] on top at (if i < 3 then 0.6 else -0.6, if i == 1 or i == 4 then 0.4 else -0.4, -0.5)
constraint foot[i in 1..4]: leg[i].z >= 0
param x = 0, y = 0
force vase on top.at(x, y, 0): (0, 0, -8)
output foot[1].lambda, foot[2].lambda, foot[3].lambda, foot[4].lambda
simulate { time = 0 .. 0.2 step 0.1 }
)";
  for (const auto& [x, y] : {std::pair{0.0, 0.0}, {0.3, 0.0}, {0.3, -0.1}}) {
    const Run r = run_both(table, {"x=" + std::to_string(x), "y=" + std::to_string(y)});
    REQUIRE(r.result.status == Status::complete);
    CHECK(r.result.reactions_not_unique.size() == 4);
    for (int i = 1; i <= 4; ++i) {
      const double at_x = i < 3 ? 0.6 : -0.6, at_y = i == 1 || i == 4 ? 0.4 : -0.4;
      const double push = 7 + 8 * x * at_x / (4 * 0.36) + 8 * y * at_y / (4 * 0.16);
      CHECK(std::fabs(r.last("foot[" + std::to_string(i) + "].lambda") - push) < 1e-11);
    }
  }
}

TEST_CASE("pushes that are shared beside friction are named, and left as its limits hold them") {
  std::string text = bar(0.2, 6);
  text.insert(text.find("force press"), "friction rub on bar.vx: 0.3*b.lambda + 0.3*a.lambda + 0.3*c.lambda\n");
  const Run r = run_both(text);
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  CHECK(r.result.reactions_not_unique == Names{"a.lambda", "b.lambda", "c.lambda"});
  CHECK(std::fabs(r.last("N") - 26) < 1e-12);
}

TEST_CASE("the doctor looks at sides that are together at the start") {
  Simulation simulation = compile_text(bar(0.2, 6), Engine::interpreter);
  const DoctorReport d = simulation.doctor().value();
  CHECK(d.sound());
  CHECK(d.rank == 0);
  CHECK(d.freedoms == 3);
  REQUIRE(d.rows.size() == 3);
  int dependent = 0;
  for (const DoctorRow& row : d.rows) {
    CHECK(row.touching);
    CHECK(!row.off);
    CHECK(!row.multiplier_unique);
    CHECK(row.times_dependent == 0);
    dependent += row.independent ? 0 : 1;
    if (!row.independent) CHECK(row.depends_on.size() == 2);
  }
  CHECK(dependent == 1);
  // A violated constraint is not in contact.
  std::string below = bar(0.2, 6);
  below.replace(below.find("at (0, 0)"), 9, "at (0, -1)");
  Simulation violated = compile_text(below, Engine::interpreter);
  for (const DoctorRow& row : violated.doctor().value().rows) CHECK(!row.touching);
}
