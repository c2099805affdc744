// SPDX-License-Identifier: Apache-2.0
// Compares the state of a motion in three representations of its bodies with the initial states that the compiler makes
// from one text with expressions of their own.
#include "runtime/equations/representation_state.h"

#include <doctest/doctest.h>

#include <cmath>

#include "compiler/lower/describe.h"
#include "compiler/pipeline.h"
#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

// A particle and a coordinate are before, between and after the bodies. A state and the work integrals are at the end.
std::string model(double angle, const std::string& bodies) {
  return "mbd 1\nstate s = 3 where s' = -s\nparticle p(1) at (1, 2, 3) moving (4, 5, 6)\n"
         "body a(mass = 2, inertia = diag(1, 2, 3)) at (7, 8, 9) rotated rotx(0.3)*rotz(" +
         number(angle) +
         ") moving (0.1, 0.2, 0.3) spinning (1, -2, 3)\n"
         "coord x = 0.5 rate 0.25\nparticle r(1) follows (x, 0, 0)\n"
         "body b(mass = 1, inertia = diag(1, 1, 1)) at (0, 1, 0) rotated roty(" +
         number(-angle) + ") spinning (-0.5, 0.25, 4)\nsimulate { time = 0 .. 1 step 0.1; bodies = " + bodies + " }\n";
}

problem::Problem info_of(const std::string& text) {
  const Compilation c = compile("a.mbd", text, {});
  REQUIRE(c.ok());
  return lower::describe(c.model);
}

double distance(const std::vector<double>& x, const std::vector<double>& y) {
  REQUIRE(x.size() == y.size());
  double most = 0;
  for (std::size_t k = 0; k < x.size(); ++k) most = std::max(most, std::fabs(x[k] - y[k]));
  return most;
}

}  // namespace

TEST_CASE("a state in another representation is the one the compiler would begin with") {
  const std::string names[] = {"quaternion", "euler_parameters", "natural"};
  for (double angle : {0.0, 0.7, 2.0, 3.0, -2.9})  // The trace of the rotation is negative for some of these angles.
    for (const std::string& from : names)
      for (const std::string& to : names) {
        CAPTURE(angle);
        CAPTURE(from);
        CAPTURE(to);
        const std::string a = model(angle, from), b = model(angle, to);
        const std::vector<double> y = compile_text(a, Engine::interpreter).initial_state();
        const std::vector<double> wanted = compile_text(b, Engine::interpreter).initial_state();
        const problem::Problem info_a = info_of(a), info_b = info_of(b);
        const std::vector<double> found = runtime::in_representation(info_a, y, info_b);
        if (from != "natural" || to == "natural") {
          CHECK(distance(found, wanted) < 1e-14);
          continue;
        }
        // Euler parameters from a matrix may have the other sign, but converting back must give the original state.
        CHECK(found.size() == wanted.size());
        CHECK(distance(runtime::in_representation(info_b, found, info_a), y) < 1e-14);
      }
}
