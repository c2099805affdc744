// SPDX-License-Identifier: Apache-2.0
// Tests random models with unilateral constraints: polygons, rods and balls that fall on a floor, against walls and on
// each other, held by ropes. Both engines and the members of a sweep must give the same bits. Contact forces add no
// energy, and no gap is negative. Another formulation gives the same motion through all impacts.
// MBC_RANDOM_MODELS=n tests n/20 models.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/physics/run.h"
#include "tests/random/comparisons.h"
#include "tests/random/contact_text.h"
#include "tests/random/how_many.h"

using namespace mbc;
using namespace mbc::test;

namespace {

int models() { return random_models(100, 20); }

constexpr const char* kPushingFormulations[] = {"augmented", "projection", "lagrange",       "maggi",
                                                "kane",      "volterra",   "boltzmann_hamel"};

std::string exactly(const std::string& text) {
  return text.substr(0, text.find("integrator = ")) + "integrator = auto(tol = 1e-12) }\n";
}

}  // namespace

TEST_CASE("random models with contact: bits of both engines, in a sweep, energy, gaps, other formulations") {
  std::map<std::string, int> ends;
  std::uint64_t events = 0;
  double most_apart = 0;
  for (int seed = 0; seed < models(); ++seed) {
    ContactText made(static_cast<std::uint64_t>(seed) + 1);
    const std::string text = made.text();
    CAPTURE(seed);
    CAPTURE(text);
    const Run r = run_both(text);
    ++ends[r.code()];
    CAPTURE(r.code());
    CHECK(r.result.status == Status::complete);
    events += r.result.events;
    double most = 0, grown = 0, missing = 0;
    for (std::size_t k = 0; k < r.rows(); ++k) {
      const double e = r.at(k, "E");
      most = std::max(most, std::fabs(e));
      if (k > 0) grown = std::max(grown, e - r.at(k - 1, "E"));
      for (const std::string& name : made.rows()) missing = std::min(missing, r.at(k, "gap_" + name));
    }
    CHECK(grown < 1e-6 * most);
    CHECK(missing > -1e-7);
    const std::string other = kPushingFormulations[seed % 7];
    CAPTURE(other);
    // All columns are compared, including accelerations. Over 1000 models the difference is 1e-12 if the state contains
    // all speeds, and 5e-11 with independent speeds because of step errors.
    const ByFormulations both = by_formulations(exactly(text), other);
    CHECK(both.same());
    CHECK(both.one.result.status == Status::complete);
    most_apart = std::max(most_apart, both.apart);
    if (seed % 4 == 0) sweep_as_single_runs(text, r, r.names, seed % 8 == 0);
  }
  MESSAGE("by another formulation ", most_apart, " apart");
  CHECK(events > static_cast<std::uint64_t>(models()) * 5);
  CHECK(ends.size() == 1);
}
