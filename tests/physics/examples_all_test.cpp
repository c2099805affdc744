// Every file of examples/: it compiles, has a `simulate` block and says where its number is from. And the examples of
// bodies and coordinates whose systems other tests look at too: here each file as it stands.
#include <filesystem>
#include <fstream>

#include "tests/physics/example_checks.h"

using namespace mbc;
using namespace mbc::test;
using oracle::Real;

TEST_CASE("every example compiles, and names its source and what is to be expected") {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(MBC_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".mbd") continue;
    ++count;
    CAPTURE(entry.path().string());
    CompileOptions options;
    options.interpret = true;
    const Program program = Program::from_file(entry.path().string(), options);
    CHECK_MESSAGE(program.ok(), program.render_diagnostics());
    if (program.ok()) CHECK(!program.simulations().empty());
    const std::string text = example(entry.path().stem().string());
    CHECK(text.rfind("mbd 1\n/// ", 0) == 0);
    CHECK(text.find("Source:") != std::string::npos);
    CHECK(text.find("Expected") != std::string::npos);
  }
  CHECK(count >= 37);
}

TEST_CASE("example: the cart with two links and a wheel") {
  const Run r = complete("cart_two_link");
  const std::array<std::pair<const char*, std::array<double, 2>>, 5> wanted{
      {{"th1", {-0.816093398878827, -0.791080730565972}},
       {"th2", {1.153639359446648, 1.163177212390655}},
       {"x", {0.620894023057143, 3.612160290020290}},
       {"th1'", {0.380888335382541, -0.75360460152206}},
       {"x'", {0.276360355172189, 0.44676265631914}}}};
  for (const auto& [column, value] : wanted) {
    CAPTURE(column);
    CHECK(std::fabs(r.at(1000, column) - value[0]) < 1e-10);
    CHECK(std::fabs(r.last(column) - value[1]) < 1e-9);
  }
  CHECK(std::fabs(r.at(0, "th1''") + 11.908391086291) < 1e-11);
  CHECK(std::fabs(r.at(0, "th2''") - 10.0860847838836) < 1e-11);
  CHECK(std::fabs(r.at(0, "reaction") - 2.06774100075114) < 1e-11);
  CHECK(std::fabs(r.at(0, "E") + 21.086781364078) < 1e-11);
  CHECK(spread(r, "px") < 1e-8);
  CHECK(r.result.balance_error < 1e-9);
}

TEST_CASE("example: the rotary pendulum") {
  const Run r = complete("rotary_pendulum");
  expect(r, "th", -0.06821507448802L, -0.0682150745, 1e-8);
  expect(r, "al", 4.78289312136969L, 4.7828931214, 1e-8);
  CHECK(r.result.balance_error < 1e-9);
}

TEST_CASE("example: the triple pendulum in space") {
  const Run r = complete("triple_pendulum");
  expect(r, "tip.pos.x", -5.151936363921507L, -5.151936364, 2e-8);
  expect(r, "tip.pos.y", -1.205329624714145L, -1.205329625, 2e-8);
  expect(r, "tip.pos.z", -8.237451144073527L, -8.237451144, 2e-8);
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
