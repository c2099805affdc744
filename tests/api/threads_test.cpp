// SPDX-License-Identifier: Apache-2.0
// Runs simulations of one model on sixteen threads at once, by the interpreter and by native code, and compares the
// results with single runs bit for bit. The test also runs under ThreadSanitizer.
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "mbc/mbc.h"

using namespace mbc;

namespace {

constexpr unsigned kThreads = 16;

constexpr const char* kText = R"(mbd 1
param damp = 0.1
input push = 0.2
gravity (0, 0, -9.81)
body rod(mass = 2, inertia = diag(0.1, 0.2, 0.2)) at (0.5, 0, 0)
particle bob(1) at (1, 0.5, 0)
point a on rod at (-0.5, 0, 0)
point b on rod at (0.5, 0, 0)
constraint pin: a.pos == (0, 0, 0)
constraint string: dist(b, bob) == 0.5
force drag on bob: -damp*bob.vel + (push, 0, 0)
init { bob.vz ~ 0.1 }
output height = bob.z
simulate one { time = 0 .. 0.5 step 0.001; formulation = udwadia_kalaba; integrator = rk4 }
simulate other { time = 0 .. 0.2 step 0.001; formulation = kane; integrator = rk4 }
)";

// Uses every function that a thread may call. The number selects the block and the values.
std::vector<double> moved(const Model& model, unsigned number) {
  Simulation s = Simulation::create(model, number % 3 == 0 ? "other" : "one").value();
  s.set_parameter("damp", 0.01 * number).value();
  s.set_input("push", 0.1 * number).value();
  std::vector<double> out = s.run().state;
  s.reset();
  for (int k = 0; k < 50; ++k) s.step(0.001).value();
  out.insert(out.end(), s.state().begin(), s.state().end());
  out.push_back(s.value("energy.total").value().at(0));
  const RowSet rows = s.rows(s.time(), s.state()).value();
  out.insert(out.end(), rows.A.begin(), rows.A.end());
  return out;
}

void compare(const CompileOptions& options) {
  std::vector<std::vector<double>> alone, together(kThreads);
  for (unsigned k = 0; k < kThreads; ++k) alone.push_back(moved(Model::from_string(kText, "model.mbd", options), k));
  const Model model = Model::from_string(kText, "model.mbd", options);
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  {
    std::vector<std::jthread> threads;
    for (unsigned k = 0; k < kThreads; ++k) threads.emplace_back([&, k] { together[k] = moved(model, k); });
  }
  for (unsigned k = 0; k < kThreads; ++k) {
    CAPTURE(k);
    REQUIRE(together[k].size() == alone[k].size());
    CHECK(std::memcmp(together[k].data(), alone[k].data(), alone[k].size() * sizeof(double)) == 0);
  }
}

}  // namespace

TEST_CASE("sixteen threads over one model, interpreted") {
  CompileOptions options;
  options.interpret = true;
  compare(options);
}

TEST_CASE("sixteen threads over one model, by native code at once and as it comes") {
  if (back_end_version().empty()) return;
  CompileOptions options;
  options.cache = false;
  compare(options);
  options.native_at_once = true;
  compare(options);
}
