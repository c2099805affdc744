// SPDX-License-Identifier: Apache-2.0
// Simulations are made and dropped: what they took comes back.
#include <doctest/doctest.h>
#include <malloc.h>

#include "mbc/mbc.h"

using namespace mbc;

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
  const auto before = mallinfo2();
  use(1000);
  const auto after = mallinfo2();
  CHECK(after.uordblks + after.hblkhd <= before.uordblks + before.hblkhd + (1 << 20));
}
