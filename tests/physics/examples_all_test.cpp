// SPDX-License-Identifier: Apache-2.0
// Tests that every file of examples/ compiles, has a `simulate` block and gives the source of its number. It also runs
// the files of examples whose systems other tests examine in other forms.
#include <filesystem>
#include <fstream>

#include "tests/physics/example_checks.h"

using namespace mbc;
using namespace mbc::test;
using oracle::Real;

TEST_CASE("every example compiles, and names its source and what is to be expected") {
  int count = 0;
  const std::filesystem::path folder = MBC_SOURCE_DIR "/examples";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".mbd") continue;
    ++count;
    CAPTURE(entry.path().string());
    CompileOptions options;
    options.interpret = true;
    const Model program = Model::from_file(entry.path().string(), options);
    CHECK_MESSAGE(program.ok(), program.render_diagnostics());
    if (program.ok()) CHECK(!program.simulations().empty());
    const std::string text = example(entry.path().lexically_relative(folder).replace_extension().generic_string());
    CHECK(text.rfind("mbd 1\n/// ", 0) == 0);
    CHECK(text.find("Source:") != std::string::npos);
    CHECK(text.find("Expected") != std::string::npos);
  }
  CHECK(count >= 37);
}

TEST_CASE("example: the cart with two links and a wheel, in the vertical plane and laid flat") {
  const Run r = complete("seeds/000_volterra/cart_double_pendulum", {}, "swing");
  const std::array<std::pair<const char*, std::array<double, 3>>, 5> wanted{
      {{"th1", {-0.816093398878827, -0.791080730565972, -0.51789437404093}},
       {"th2", {1.153639359446648, 1.163177212390655, 1.24120715366480}},
       {"x", {0.620894023057143, 3.612160290020290, 16.8778500399896}},
       {"th1'", {0.380888335382541, -0.75360460152206, -2.1414231630795}},
       {"x'", {0.276360355172189, 0.44676265631914, 0.7178140929117}}}};
  for (const auto& [column, value] : wanted) {
    CAPTURE(column);
    CHECK(std::fabs(r.at(100, column) - value[0]) < 1e-10);
    CHECK(std::fabs(r.at(1000, column) - value[1]) < 1e-9);
    CHECK(std::fabs(r.last(column) - value[2]) < 1e-7);
  }
  const Run flat = complete("seeds/000_volterra/cart_double_pendulum", {"g=0"}, "swing");
  const std::array<std::pair<const char*, double>, 5> at_50{{{"th1", 28.541348037271596},
                                                             {"th2", 25.471536068178090},
                                                             {"x", 16.866524107925313},
                                                             {"th1'", 0.596223012425131},
                                                             {"x'", 0.416949854126688}}};
  for (const auto& [column, value] : at_50) {
    CAPTURE(column);
    CHECK(std::fabs(flat.last(column) - value) < 1e-9);
  }
  CHECK(std::fabs(r.at(0, "th1''") + 11.908391086291) < 1e-11);
  CHECK(std::fabs(r.at(0, "th2''") - 10.0860847838836) < 1e-11);
  CHECK(std::fabs(r.at(0, "reaction") - 2.06774100075114) < 1e-11);
  CHECK(std::fabs(r.at(0, "E") + 21.086781364078) < 1e-11);
  CHECK(spread(r, "px") < 1e-8);
  CHECK(r.result.balance_error < 1e-9);
}

TEST_CASE("example: the rotary pendulum") {
  const Run r = complete("seeds/001_projection/rotary_pendulum");
  expect(r, "th", 1.28625583159479L, 1.2862558316, 1e-8);
  expect(r, "al", 3.22383442490104L, 3.2238344249, 1e-8);
  CHECK(r.result.balance_error < 1e-9);
}

TEST_CASE("example: the triple pendulum in space") {
  const Run r = complete("seeds/004_bodies/triple_pendulum", {}, "fall");
  expect(r, "tip.pos.x", 2.51608792812760L, 2.516087928, 2e-8);
  expect(r, "tip.pos.y", -0.90330932230678L, -0.903309322, 2e-8);
  expect(r, "tip.pos.z", -9.69307257255384L, -9.693072573, 2e-8);
  CHECK(r.result.balance_error < 1e-6);
}

TEST_CASE("example: the body on its intermediate axis, by Euler's equations") {
  const Run r = complete("intermediate_axis");
  const auto w = oracle::integrate<3>(
      [](const std::array<Real, 3>& s) -> std::array<Real, 3> {
        return {(2 - 3) * s[1] * s[2], (3 - 1) * s[2] * s[0] / 2, (1 - 2) * s[0] * s[1] / 3};
      },
      {0.01L, 3, 0.02L}, 20, 40000);
  expect(r, "b.omega.x", w[0], 1e-5);
  expect(r, "b.omega.y", w[1], 1e-5);
  expect(r, "b.omega.z", w[2], 1e-5);
  CHECK(lowest(r, "b.omega.y") < -2.9);
  for (const char* column : {"energy.total", "L.x", "L.y", "L.z"}) CHECK_MESSAGE(spread(r, column) < 1e-6, column);
}

TEST_CASE("example: the double four-bar keeps its energy and its branch through the flat positions") {
  const Run r = complete("double_four_bar");
  CHECK(r.at(0, "energy.total") == doctest::Approx(35.835).epsilon(1e-12));
  CHECK(spread(r, "energy.total") < 1e-3);
  CHECK(spread(r, "apart") < 1e-6);
  CHECK(highest(r, "B0.x") > 0.99);
}
