// SPDX-License-Identifier: Apache-2.0
// Tests runs that begin at a late time, as Unix seconds do: the state moves by what the clock shows, so that errors are
// those of a run from 0 and what a clock of that size cannot resolve.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

// Returns the largest |x - cos(t - t0)| of an oscillator over the rows of one unit of time.
double error_of(const std::string& integrator, const std::string& begin) {
  const Run r = run("mbd 1\nparam t0 = " + begin + R"(
coord x = 1
kinetic K: x'^2/2
potential V: x^2/2
output err = x - cos(t - t0)
simulate { time = t0 .. t0 + 1 step 0.015625; integrator = )" +
                    integrator + " }\n");
  CAPTURE(r.result.rendered);
  REQUIRE(r.result.status == Status::complete);
  double worst = 0;
  for (std::size_t k = 0; k < r.rows(); ++k) worst = std::max(worst, std::fabs(r.at(k, "err")));
  return worst;
}

}  // namespace

TEST_CASE("runs that begin at a late time are as good as the clock of that time") {
  for (const std::string integrator :
       {"auto", "dopri5(rtol = 1e-10, atol = 1e-12)", "dop853(rtol = 1e-10, atol = 1e-12)", "taylor(tol = 1e-12)",
        "bdf(rtol = 1e-9, atol = 1e-11)", "rk4", "ab4", "gauss6"}) {
    CAPTURE(integrator);
    const double at_zero = error_of(integrator, "0");
    for (const double begin : {1e3, 1e6, 1.7e9}) {
      CAPTURE(begin);
      const double clock = begin * std::numeric_limits<double>::epsilon();
      CHECK(error_of(integrator, std::to_string(static_cast<long long>(begin))) <= 2 * at_zero + 4 * clock);
    }
    // Rows at Unix seconds are exact doubles here, so that only the clock inside of a step is rounded.
    CHECK(error_of(integrator, "1700000000") <= 10 * at_zero + 1e-11);
  }
}
