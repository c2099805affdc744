// SPDX-License-Identifier: Apache-2.0
// Compares two ways of writing the hinges of one mechanism: five independent rows (the library's), and six of rank five
// (a cross product set to zero), whose third singular value is nonzero at states off the constraints. The motion must
// be the same, and the second form must not lock, for any tolerance of the rank decision.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

std::string with_crosses() {
  return replaced(example("hinge_four_bar"), "use joints, bodies",
                  "use bodies\njoint Revolute(a: frame, b: frame, axis: vector) {\n"
                  "  constraint pos: a.pos == b.pos\n"
                  "  constraint ax: cross(a.rot*axis, b.rot*axis) == (0, 0, 0)\n}");
}

// Returns the largest difference of the places and quaternions of the three bars.
double apart(const Run& a, const Run& b) {
  double worst = 0;
  for (std::size_t row = 0; row < a.rows(); ++row)
    for (const char* bar : {"crank", "coupler", "rocker"})
      for (const char* part : {"x", "y", "z", "p0", "p1", "p2", "p3"}) {
        const std::string name = std::string(bar) + ".rod." + part;
        worst = std::max(worst, std::fabs(a.at(row, name) - b.at(row, name)));
      }
  return worst;
}

}  // namespace

TEST_CASE("hinges of 20 and of 24 rows: rank 17 and one freedom both, the redundant rows by name") {
  Simulation hinges = compile_text(example("hinge_four_bar"), Engine::interpreter);
  Simulation crosses = compile_text(with_crosses(), Engine::interpreter);
  const DoctorReport a = hinges.doctor().value(), b = crosses.doctor().value();
  CHECK(a.rows.size() == 20);
  CHECK(b.rows.size() == 24);
  for (const DoctorReport* d : {&a, &b}) {
    CHECK(d->rank == 17);
    CHECK(d->usual_rank == 17);
    CHECK(d->freedoms == 1);
    CHECK(d->conflicting.empty());
    const auto redundant = std::count_if(d->rows.begin(), d->rows.end(), [](const auto& r) { return !r.independent; });
    CHECK(static_cast<std::size_t>(redundant) == d->rows.size() - 17);
  }
}

TEST_CASE("hinges of cross products do not lock, whatever the tolerance of the rank") {
  // Steps near singular positions are finer and may differ between the two, so that the integration errors must be
  // small.
  const std::vector<std::string> span{"time.end=10", "time.step=0.02", "integrator=dop853(rtol = 1e-13, atol = 1e-14)"};
  const Run hinges = run(example("hinge_four_bar"), Engine::native, span);
  REQUIRE(hinges.result.status == Status::complete);
  for (const char* tolerance : {"1e-12", "1e-9", "1e-6"}) {
    CAPTURE(tolerance);
    std::vector<std::string> set = span;
    set.push_back("formulation=udwadia_kalaba(rank_tol = " + std::string(tolerance) + ")");
    const Run crosses = run(with_crosses(), Engine::native, set);
    REQUIRE(crosses.result.status == Status::complete);
    CHECK(crosses.result.rank == 17);
    CHECK(crosses.result.rank_changes.empty());
    REQUIRE(crosses.rows() == hinges.rows());
    CHECK(apart(hinges, crosses) < 1e-10);
  }
}
