// SPDX-License-Identifier: Apache-2.0
// Tests that the memory of simulations is freed when they are dropped, and that a longer run does not need more.
#include <doctest/doctest.h>
#include <malloc.h>

#include <algorithm>

#include "mbc/mbc.h"

using namespace mbc;

namespace {

std::size_t in_use() {
  const auto all = mallinfo2();
  return all.uordblks + all.hblkhd;
}

}  // namespace

TEST_CASE("1,000 simulations made and dropped leave the memory as it was") {
  CompileOptions options;
  options.interpret = true;
  const Model model = Model::from_string(R"(mbd 1
param L = 1
gravity (0, 0, -9.81)
body b(mass = 1, inertia = diag(1, 2, 3)) at (L, 0, 0)
particle p[i in 1..10](1) at (L, i, 0)
constraint pin: b.pos == (L, 0, 0)
constraint rod[i in 2..10]: dist(p[i-1], p[i]) == 1
simulate { time = 0 .. 0.01 step 0.001; integrator = rk4 }
)",
                                         "model.mbd", options);
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  const auto use = [&model](int count) {
    for (int k = 0; k < count; ++k) {
      Simulation s = Simulation::create(model).value();
      REQUIRE(s.set_parameter("L", 1));
      REQUIRE(s.step(0.001));
      if (k % 100 == 0) {
        const std::string bytes = s.save();
        REQUIRE(s.restore(bytes));
        CHECK(s.run().status == Status::complete);
      }
    }
  };
  use(100);
  const std::size_t before = in_use();
  use(1000);
  CHECK(in_use() <= before + (1 << 20));
}

TEST_CASE("1e6 samples of `every`, in long steps and in short ones, take no memory") {
#ifdef MBC_SLOW_BUILD
  constexpr int kSamples = 20000;
#else
  constexpr int kSamples = 1000000;
#endif
  CompileOptions options;
  options.interpret = true;
  const Model model = Model::from_string(R"(mbd 1
space 1
state n = 0, u = 0
particle p(1) at 1 moving 0
force f on p: u
every sample: 1e-6 { n = n + 1; u = -4*p.x - 3*p.vx }
when passes: p.x - 0.5 crossing { }
simulate long { time = 0 .. 1 step 0.1; integrator = rk4 }
simulate short { time = 0 .. 1 step 1e-6; integrator = rk4 }
simulate its_own { time = 0 .. 1 step 0.1; integrator = dopri5 }
)",
                                         "model.mbd", options);
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  for (const char* block : {"long", "short", "its_own"}) {
    CAPTURE(block);
    Simulation s = Simulation::create(model, block).value();
    RunOptions run;
    run.simulation = block;
    run.span = {0, 1e-6 * kSamples};
    std::size_t first = 0, most = 0, rows = 0;
    const RunResult r = s.run(run, [&](const Row&) {
      if (++rows % 1000 != 2) return true;
      (first == 0 ? first : most) = in_use();
      return true;
    });
    CHECK(r.status == Status::complete);
    CHECK(r.event_counts[0].count == kSamples + 1);
    CHECK(in_use() <= first + (1 << 16));
    CHECK(most <= first + (1 << 16));
  }
}
