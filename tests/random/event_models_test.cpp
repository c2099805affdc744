// SPDX-License-Identifier: Apache-2.0
// Tests random models with events: relays, machines, samples, kicks, jumps, rows and loads that are switched,
// conditions that stay at their limit, piecewise loads with located discontinuities, forces and input signals given by
// points, and stiff loads. The bits must be the same for both engines, for a run that is saved and continued, for one
// that continues from a checkpoint, and for the members of a sweep.
// MBC_RANDOM_MODELS=n tests n/4 models.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/physics/run.h"
#include "tests/random/comparisons.h"
#include "tests/random/event_text.h"
#include "tests/random/how_many.h"

using namespace mbc;
using namespace mbc::test;

namespace {

int models() { return random_models(500, 4); }

void resume(const std::string& text, const Run& whole) {
  const bool adaptive = whole.result.adaptive;
  Simulation one = compile_text(text, Engine::interpreter);
  const int middle = kEventSteps / 3;
  for (int k = 1; k <= middle; ++k) REQUIRE(one.step(kEventStep).ok());
  Simulation other = compile_text(text, Engine::interpreter);
  REQUIRE(other.restore(one.save()).ok());
  for (int k = middle + 1; k <= kEventSteps; ++k) {
    REQUIRE(one.step(kEventStep).ok());
    REQUIRE(other.step(kEventStep).ok());
  }
  CHECK(one.state() == other.state());
  if (!adaptive) CHECK(one.state()[0] == whole.last("p1.x"));
}

}  // namespace

TEST_CASE("random models with events: the same bits by both engines, resumed, and in a sweep") {
  int complete = 0;
  std::uint64_t fired = 0, turned = 0, together = 0;
  for (int seed = 1; seed <= models(); ++seed) {
    const std::string text = EventText(static_cast<std::uint64_t>(seed)).text();
    CAPTURE(seed);
    CAPTURE(text);
    const Run r = run_both(text);
    fired += r.result.events;
    if (r.result.status != Status::complete) continue;
    ++complete;
    CHECK(r.result.balance_error < 1e-3);
    if (r.result.kinks > 0 && r.result.integrator.find(", bdf from") != std::string::npos) ++turned;
    if (seed % 5 == 0) resume(text, r);
    if (seed % 5 == 1) from_checkpoint(text, r, static_cast<std::uint64_t>(seed) % 97 + 1);
    SweepOptions options;
    options.vary = {"k = 1 .. 1.5 count 3"};
    options.record = {"final(p1.x)"};
    options.jobs = 2;
    options.compile.interpret = seed % 2 == 0;
    const SweepResult swept = sweep_text(text, "random.mbd", options);
    REQUIRE(swept.rows.size() == 3);
    together += swept.steps_together;
    for (const std::size_t k : {0, 2}) {
      const Run alone = k == 0 ? r : run(text, Engine::interpreter, {"k = 1.5"});
      const std::vector<double>& recorded = swept.rows[k].recorded;
      CHECK(recorded.size() == (alone.result.status == Status::complete ? 1 : 0));
      if (!recorded.empty()) CHECK(recorded[0] == alone.last("p1.x"));
    }
  }
  CHECK(complete >= 0.95 * models());
  CHECK(turned >= static_cast<std::uint64_t>(models() / 100));
  CHECK(fired > static_cast<std::uint64_t>(3 * models()));
  CHECK(together > static_cast<std::uint64_t>(5 * models()));  // The members are in lanes.
}
