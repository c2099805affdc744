// SPDX-License-Identifier: Apache-2.0
// Assembles linkages that are known to close after a disturbance, and counts the successes. MBC_RANDOM_MODELS=n
// assembles n/10000 of each kind, size and disturbance and prints the table of docs/numerics.md.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdio>
#include <string>

#include "tests/physics/run.h"
#include "tests/random/how_many.h"
#include "tests/random/linkage.h"

using namespace mbc;
using namespace mbc::test;

namespace {

constexpr const char* kNames[] = {"points in the plane", "parallel hinges", "ball joints", "mixed joints"};

int each() { return random_models(1, 10000); }

}  // namespace

TEST_CASE("assembly: linkages that close are put together from disturbed places") {
  for (int kind = 0; kind < 4; ++kind)
    for (const double disturbed : {0.1, 0.3, 1.0, 0.0}) {
      int found = 0, tried = 0;
      double slowest = 0, all = 0;
      for (int bodies = 3; bodies <= 8; ++bodies)
        for (int k = 0; k < each(); ++k) {
          const Linkage linkage{static_cast<LinkageKind>(kind), bodies, disturbed,
                                static_cast<std::uint64_t>(1000 * k + bodies)};
          const std::string text = linkage_text(linkage);
          INFO(text);
          Simulation p = compile_text(text, Engine::interpreter);
          const auto begin = std::chrono::steady_clock::now();
          const Result<InitialState> made = p.initial(0, true);
          const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
          REQUIRE(made);
          ++tried;
          found += made.value().consistent ? 1 : 0;
          slowest = std::max(slowest, took);
          all += took;
          if (!long_run_of_models()) CHECK_MESSAGE(made.value().consistent, made.value().rendered);
        }
      if (long_run_of_models())
        std::printf("%-20s %4g: %d of %d, %.1f ms, slowest %.0f ms\n", kNames[kind], disturbed, found, tried,
                    1e3 * all / tried, 1e3 * slowest);
    }
}
