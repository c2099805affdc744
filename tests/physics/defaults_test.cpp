// SPDX-License-Identifier: Apache-2.0
// Tests the default for a user who chooses no method. Every example, and models whose motion was silently wrong with
// fixed steps, run by default and are compared with a second run with a hundredth of the tolerance.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>

#include "tests/physics/findings.h"
#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

constexpr double kAsked = 1e-5, kUnnoticed = 1e-6;

// Neighbouring motions of these models diverge, and they are compared until the given time. Errors of 1e-10 per step
// grow by a factor of a hundred thousand in the spatial triple pendulum in 20 s. The same happens to the coin in 2 s,
// because it comes near to lying flat again and again.
const std::map<std::string, double> kChaotic = {{"seeds/004_bodies/triple_pendulum", 10}, {"coin_slips", 1}};

std::string without_method(const std::string& text) {
  return std::regex_replace(text, std::regex(R"([;,]?[ \t]*integrator[ \t]*=[ \t]*[a-z0-9]+(\([^)]*\))?)"), "");
}

void check(const std::string& name, const std::string& text, const std::string& folder) {
  CompileOptions compile;
  compile.native_at_once = true;
  compile.interpret = !have_native();
  compile.cache = false;
  compile.folder = folder;
  const Model model = Model::from_string(without_method(text), name + ".mbd", compile);
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  for (const std::string& block : model.simulations()) {
    CAPTURE(name);
    CAPTURE(block);
    RunOptions options;
    options.simulation = block;
    options.global_error = true;
    if (const auto end = kChaotic.find(name); end != kChaotic.end()) options.span = {0, end->second};
    Simulation simulation = Simulation::create(model, block).value();
    const RunResult r = simulation.run(options);
    CHECK(r.methods.integrator == Integrator::automatic);
    CHECK_MESSAGE(r.status == Status::complete, r.rendered);
    if (r.status != Status::complete || r.time_stepping) continue;  // These steps are chosen and of order 1.
    REQUIRE(r.global_error);
    const GlobalError& g = *r.global_error;
    CHECK_MESSAGE(!g.diagnostic, g.diagnostic->message);
    CHECK_MESSAGE(g.largest < kAsked, g.name, " at t = ", g.time);
    const bool warned =
        std::any_of(r.warnings.begin(), r.warnings.end(), [](const auto& w) { return w.code == "W0652"; });
    CHECK_MESSAGE((!warned || g.largest > kUnnoticed), r.rendered);
  }
}

}  // namespace

TEST_CASE("by default every example is within 1e-5 of a run with a hundredth of the tolerance") {
  const std::filesystem::path root = MBC_SOURCE_DIR "/examples";
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
    if (entry.path().extension() == ".mbd")
      names.push_back(entry.path().lexically_relative(root).replace_extension().generic_string());
  std::sort(names.begin(), names.end());
  CHECK(names.size() > 55);
  for (const std::string& name : names) check(name, example(name), (root / name).parent_path().string());
}

TEST_CASE("by default what large steps got wrong comes out right") {
  for (const char* name : {"leg", "slider_crank_friction", "coin_slips", "energy_lost"}) check(name, finding(name), "");
}
