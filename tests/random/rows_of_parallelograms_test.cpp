// SPDX-License-Identifier: Apache-2.0
// Tests random rows of parallelograms with all formulations and methods through many singular positions: every run is
// complete, and neither a step nor the whole run changes the energy. The suite has 40 rows of up to 6 parallelograms
// for 5 s each. MBC_RANDOM_MODELS=n has n/100 rows, some of up to 40, and prints a table of counts. Seeds start at
// MBC_RANDOM_SEED, or at 1.
#include "tests/random/rows_of_parallelograms.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "tests/physics/run.h"
#include "tests/random/how_many.h"

using namespace mbc;
using namespace mbc::test;

namespace {

constexpr std::uint32_t kUsual = 40;

std::uint32_t models() { return static_cast<std::uint32_t>(random_models(kUsual, 100)); }

// Returns the changes of energy relative to its largest value.
EnergyLimits changes(const Run& run) {
  double largest = 0;
  EnergyLimits found;
  for (std::size_t row = 0; row < run.rows(); ++row) largest = std::max(largest, std::fabs(run.at(row, "E")));
  for (std::size_t row = 1; row < run.rows(); ++row) {
    found.drift = std::max(found.drift, std::fabs(run.at(row, "E") - run.at(0, "E")) / largest);
    found.jump = std::max(found.jump, std::fabs(run.at(row, "E") - run.at(row - 1, "E")) / largest);
  }
  return found;
}

// Counts holds the outcomes of the rows of one kind.
struct Counts {
  const char* sort = "";
  unsigned rows = 0, complete = 0, stopped = 0, drifted = 0, jumped = 0;
  std::uint64_t positions = 0;
  EnergyLimits worst{};  // relative to the allowed values

  void print() const {
    std::printf("| %s | %u | %u | %u | %u | %u | %llu | %.2g | %.2g |\n", sort, rows, complete, stopped, drifted,
                jumped, static_cast<unsigned long long>(positions), worst.drift, worst.jump);
  }
};

Counts& counts_of(std::array<Counts, 3>& all, const ParallelogramRow& row) {
  return is_adaptive(row) ? all[2] : is_fine(row) ? all[0] : all[1];
}

}  // namespace

TEST_CASE("rows of parallelograms go through their flat positions and keep their energy") {
  const std::uint32_t count = models();
  std::array<Counts, 3> all = {Counts{"1 ms and finer"}, Counts{"coarser"}, Counts{"dopri5"}};
  const std::uint64_t first = first_random_seed();
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const ParallelogramRow row = random_row(seed, 6, 5, long_run_of_models());
    const std::string text = row_text(row);
    Counts& c = counts_of(all, row);
    CAPTURE(seed);
    CAPTURE(text);
    const Run found = run(text);
    ++c.rows;
    CHECK_MESSAGE(found.result.status == Status::complete, found.result.rendered);
    if (found.result.status != Status::complete) {
      ++c.stopped;
      continue;
    }
    ++c.complete;
    c.positions += found.result.singular_positions;
    const EnergyLimits changed = changes(found), allowed = energy_limits(row);
    CHECK(changed.drift < allowed.drift);
    CHECK(changed.jump < allowed.jump);
    c.drifted += changed.drift < allowed.drift ? 0 : 1;
    c.jumped += changed.jump < allowed.jump ? 0 : 1;
    c.worst.drift = std::max(c.worst.drift, changed.drift / allowed.drift);
    c.worst.jump = std::max(c.worst.jump, changed.jump / allowed.jump);
  }
  if (!long_run_of_models()) return;
  std::printf("| steps | rows | complete | stopped | energy drifts | energy jumps | positions | drift | jump |\n");
  std::printf("|---|---|---|---|---|---|---|---|---|\n");
  for (const Counts& c : all) c.print();
}
