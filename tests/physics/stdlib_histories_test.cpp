// SPDX-License-Identifier: Apache-2.0
// Compares running norms with those of the recorded rows, also of a run that begins late.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

Run oscillator(const std::string& simulate) {
  return run_both(R"(mbd 1
use histories
param h = 10 [ms]
particle p(1 [kg]) at (0.5, 0, 0) [m]
force spring on p: -(4 [N/m])*p.pos
let E = (1 [kg])*dot(p.vel, p.vel)/2 + (4 [N/m])*dot(p.pos, p.pos)/2
let error = E - initial(E)
RunningRms rms(p.x, h)
RunningMean mean(p.x, h)
RunningMaximum fastest(p.vx, h)
RunningRms drift(error, h)
output error
simulate { time = )" +
                  simulate + " }\n");
}

}  // namespace

TEST_CASE("histories: running norms are those of the rows so far, and of accepted states only") {
  for (const char* simulate :
       {"0 [s] .. 4 [s] step 10 [ms]; integrator = rk4", "2 [s] .. 5 [s] step 10 [ms]; integrator = rk4",
        "0 [s] .. 4 [s] step 10 [ms]; integrator = auto"}) {
    CAPTURE(simulate);
    const Run r = oscillator(simulate);
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    double squares = 0, total = 0, errors = 0, fastest = 0;
    for (std::size_t row = 0; row < r.rows(); ++row) {
      const double x = r.at(row, "p.x"), error = r.at(row, "error"),
                   n = static_cast<double>(std::max<std::size_t>(row, 1));
      if (row == 0) CHECK(error == 0);
      if (row > 0) squares += x * x, total += x, errors += error * error;
      fastest = std::max(fastest, std::fabs(r.at(row, "p.vx")));
      CHECK(r.at(row, "rms.value") == doctest::Approx(row == 0 ? x : std::sqrt(squares / n)).epsilon(1e-13));
      CHECK(r.at(row, "mean.value") == doctest::Approx(row == 0 ? x : total / n).epsilon(1e-12));
      CHECK(r.at(row, "fastest.value") == fastest);
      CHECK(std::fabs(r.at(row, "drift.value") - std::sqrt(errors / n)) <= 1e-20 + 1e-12 * std::sqrt(errors / n));
    }
  }
}
