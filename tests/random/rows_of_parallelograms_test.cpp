// SPDX-License-Identifier: Apache-2.0
// Rows of parallelograms at random, by all formulations and methods, through many singular positions: every run is
// complete, and neither a step nor the whole run changes the energy. MBC_RANDOM_MODELS=n: n/100 rows of up to 6
// parallelograms, 5 s each; else 40 of up to 3, 2 s each.
#include "tests/random/rows_of_parallelograms.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

constexpr std::uint64_t kFirstSeed = 1;
constexpr std::uint32_t kUsual = 40;

bool long_models() { return std::getenv("MBC_RANDOM_MODELS") != nullptr; }

std::uint32_t models() {
  const char* asked = std::getenv("MBC_RANDOM_MODELS");
  double count = asked != nullptr ? std::atof(asked) / 100 : kUsual;
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
  count /= 10;
#endif
  return static_cast<std::uint32_t>(std::ceil(count));
}

// Of the energy, relative to its largest value.
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

}  // namespace

TEST_CASE("rows of parallelograms go through their flat positions and keep their energy") {
  const std::uint32_t count = models();
  EnergyLimits worst;  // in units of what is allowed
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + count; ++seed) {
    const ParallelogramRow row = long_models() ? random_row(seed, 6, 5) : random_row(seed, 3, 2);
    const std::string text = row_text(row);
    CAPTURE(seed);
    CAPTURE(text);
    const Run found = run(text);
    CHECK_MESSAGE(found.result.status == Status::complete, found.result.rendered);
    if (found.result.status != Status::complete) continue;
    const EnergyLimits changed = changes(found), allowed = energy_limits(row);
    CHECK(changed.drift < allowed.drift);
    CHECK(changed.jump < allowed.jump);
    worst.drift = std::max(worst.drift, changed.drift / allowed.drift);
    worst.jump = std::max(worst.jump, changed.jump / allowed.jump);
  }
  if (long_models())
    std::printf("%u rows of parallelograms: at most %.2g of the drift and %.2g of the jump that are allowed\n", count,
                worst.drift, worst.jump);
}
