// SPDX-License-Identifier: Apache-2.0
// Tests FMUs with a small importer: the bits of `mbc run`, the order of calls, states, threads, and memory.
#include <doctest/doctest.h>
#include <malloc.h>

#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "mbc/mbc.h"
#include "tests/tools/fmu/importer.h"
#include "tests/tools/program_runner.h"

namespace mbc::test {
namespace {

constexpr const char* kDriven =
    "mbd 1\n/// A cart & <its> spring.\nspace 1\nparam k = 4 [N/m], half = k/2\ninput u = 1 [N]\n"
    "particle cart(1 [kg]) at 0.5 [m]\nforce spring on cart: -k*cart.x + u\noutput F = k*cart.x, h = half\n"
    "simulate coarse { time = 0 [s] .. 1 [s] step 0.1 [s] }\nsimulate fine { time = 0 [s] .. 1 [s] step 0.01 [s] }\n";

std::string exported(const Folder& folder, const std::string& model, const std::vector<std::string>& more = {}) {
  std::string out = folder / "out.fmu";
  std::vector<std::string> arguments = {"compile", model, "-o", out};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Ran ran = run_mbc(arguments);
  REQUIRE_MESSAGE(ran.code == 0, ran.err);
  return out;
}

std::vector<double> numbers_in(const std::string& line) {
  std::vector<double> out;
  std::istringstream cells(line);
  for (std::string cell; std::getline(cells, cell, ',');) out.push_back(std::stod(cell));
  return out;
}

// Follows at most `most` rows of `mbc run`. Every column must be equal to the last bit.
void compare_rows(const std::string& model, const std::vector<std::string>& name, std::size_t most) {
  CAPTURE(model);
  const Folder folder;
  const Fmu fmu(exported(folder, model, name));
  std::vector<std::string> arguments = {"run", model, "-o", "-", "--quiet", "--interpret"};
  arguments.insert(arguments.end(), name.begin(), name.end());
  std::string text = run_mbc(arguments).out;
  std::erase(text, '\r');
  std::istringstream rows(text);
  std::string line;
  REQUIRE(std::getline(rows, line));
  std::vector<std::uint32_t> references;
  std::istringstream head(line);
  for (std::string column; std::getline(head, column, ',');) references.push_back(fmu.reference(column));
  Instance3 instance(fmu);
  REQUIRE_MESSAGE(instance.made(), instance.log);
  double time = 0;
  std::size_t count = 0;
  for (; count < most && std::getline(rows, line); ++count) {
    const std::vector<double> row = numbers_in(line);
    if (count == 0) REQUIRE_MESSAGE(instance.begin(row[0]) == 0, instance.log);
    if (count > 0) REQUIRE_MESSAGE(instance.step(time, row[0] - time) == 0, instance.log);
    time = row[0];
    std::vector<double> values;
    REQUIRE_MESSAGE(instance.get(references, values) == 0, instance.log);
    REQUIRE(values == row);
  }
  CHECK(count > 20);
}

}  // namespace

TEST_CASE("FMUs move as mbc run does, to the last bit") {
  const std::string examples = MBC_SOURCE "/examples/";
  compare_rows(examples + "double_four_bar.mbd", {}, 60);
  compare_rows(examples + "hinge_four_bar.mbd", {}, 460);  // The motion is near a singular position from row 444 on.
  compare_rows(examples + "sleigh.mbd", {}, 100);
  compare_rows(examples + "relay.mbd", {}, 201);
  compare_rows(examples + "sampled_pendulum.mbd", {}, 200);
  compare_rows(examples + "hopper.mbd", {}, 500);
  const Folder folder;  // This model has a block that is selected by name, and a table.
  write_file(folder / "w.csv", "t [s],f [N]\n0,0\n0.3,2\n1,-1\n");
  write_file(folder / "table.mbd",
             "mbd 1\nspace 1\nparticle p(1 [kg]) at 0 [m]\n"
             "force push on p: table(t, \"w.csv\", method = cubic)\noutput f = table(t, \"w.csv\")\n"
             "simulate a { time = 0 [s] .. 1 [s] step 0.5 [s] }\n"
             "simulate b { time = 0 [s] .. 1 [s] step 0.02 [s]; integrator = rk4 }\n");
  compare_rows(folder / "table.mbd", {"b"}, 51);
}

TEST_CASE("parameters, inputs, what follows them, and a block by its name") {
  const Folder folder;
  write_file(folder / "driven.mbd", kDriven);
  const Fmu fmu(exported(folder, folder / "driven.mbd", {"fine", "--set", "k = 5 [N/m]"}));
  CHECK(fmu.description().find("stepSize=\"0.01\"") != std::string::npos);
  Instance3 instance(fmu);
  CHECK(instance.set("k", 6) == 0);
  REQUIRE(instance.begin(0) == 0);
  CHECK(instance.value("F") == 3);
  CHECK(instance.value("half") == 3);
  CHECK(instance.value("h") == 3);
  CHECK(instance.value("cart.ax") == -2);
  CHECK(instance.set("u", 3) == 0);
  CHECK(instance.value("cart.ax") == 0);
  REQUIRE(instance.step(0, 0.5) == 0);
  CHECK(instance.value("cart.x") == 0.5);  // The cart is at rest, because the force balances it.
  CHECK(instance.value("time") == 0.5);
  CHECK(instance.set("half", 1) == 3);
  CHECK(instance.set("F", 1) == 3);
  CHECK(instance.log.find("`F` cannot be set: parameters and inputs can") != std::string::npos);
  Simulation same = Simulation::create(Model::from_string(kDriven, "a"), "fine").value();
  same.set_parameter("k", 6).value();
  same.reset();
  same.run_until(0.5).value();
  Instance3 other(fmu);
  CHECK(other.set("k", 6) == 0);
  REQUIRE(other.begin(0) == 0);
  REQUIRE(other.step(0, 0.5) == 0);
  CHECK(other.value("cart.x") == same.state()[0]);
}

TEST_CASE("calls in a wrong order are refused, and change nothing") {
  const Folder folder;
  write_file(folder / "driven.mbd", kDriven);
  const Fmu fmu(exported(folder, folder / "driven.mbd"));
  Instance3 i(fmu);
  constexpr int kOk = 0, kError = 3;
  CHECK(i.step(0, 0.1) == kError);
  CHECK(i.log == "3 logStatusError: fmi3DoStep is not allowed while the instance is instantiated\n");
  CHECK(i.exit() == kError);
  CHECK(i.call("fmi3Terminate") == kError);
  CHECK(i.enter(0, true, 0.3) == kOk);
  CHECK(i.enter(0) == kError);
  CHECK(i.step(0, 0.1) == kError);
  CHECK(i.value("cart.x") == 0.5);
  CHECK(i.exit() == kOk);
  CHECK(i.exit() == kError);
  CHECK(i.step(0, 0) == kError);
  CHECK(i.step(0, -0.1) == kError);
  CHECK(i.step(0.1, 0.1) == kError);  // The instance is at time 0.
  CHECK(i.step(0, 0.1) == kOk);
  CHECK(i.step(0, 0.1) == kError);
  CHECK(i.step(0.1, 0.3) == kError);  // The step ends after the stop time.
  CHECK(i.log.ends_with("the step goes beyond the stop time\n"));
  CHECK(i.step(0.1, 0.2) == kOk);
  CHECK(i.call("fmi3EnterEventMode") == kError);
  CHECK(i.call("fmi3Terminate") == kOk);
  CHECK(i.value("time") == doctest::Approx(0.3));
  CHECK(i.set("u", 1) == kError);
  CHECK(i.step(0.3, 0.1) == kError);
  CHECK(i.call("fmi3Reset") == kOk);
  CHECK(i.begin(0) == kOk);
  CHECK(i.value("cart.x") == 0.5);
  Instance3 stranger(fmu, "{another}");
  CHECK_FALSE(stranger.made());
  CHECK(stranger.log.find("the token `{another}` is not that of this FMU") != std::string::npos);
}

TEST_CASE("a motion that ends by itself, and one that cannot begin") {
  const Folder folder;
  write_file(folder / "stop.mbd",
             "mbd 1\nspace 1\nparticle p(1) at 1 moving -1\nwhen down: p.x < 0 { stop \"on the floor\" }\n"
             "simulate { time = 0 .. 5 step 0.1 }\n");
  const Fmu fmu(exported(folder, folder / "stop.mbd"));
  Instance3 i(fmu);
  REQUIRE(i.begin(0) == 0);
  bool ended = true;
  CHECK(i.step(0, 0.5, &ended) == 0);
  CHECK_FALSE(ended);
  CHECK(i.step(0.5, 1, &ended) == 0);
  CHECK(ended);
  CHECK(i.value("time") == doctest::Approx(1).epsilon(1e-9));
  CHECK(i.step(1, 0.1) == 3);
  write_file(folder / "off.mbd",
             "mbd 1\nspace 2\nparam L = 1\nparticle p(1) at (1, 0)\nconstraint rod: dot(p.pos, p.pos) == L^2\n"
             "simulate { time = 0 .. 1 step 0.1 }\n");
  const Fmu rod(exported(folder, folder / "off.mbd"));
  Instance3 far(rod);
  CHECK(far.set("L", 2) == 0);
  CHECK(far.begin(0) == 3);
  CHECK_MESSAGE(far.log.find("rod") != std::string::npos, far.log);
}

TEST_CASE("states are kept and go on bit for bit, in another instance as well") {
  const Folder folder;
  const Fmu fmu(exported(folder, MBC_SOURCE "/examples/hopper.mbd"));
  Instance3 one(fmu), other(fmu);
  REQUIRE(one.begin(0) == 0);
  for (int k = 0; k < 100; ++k) REQUIRE(one.step(k * 0.01, 0.01) == 0);
  const std::string half = one.saved();
  for (int k = 100; k < 200; ++k) REQUIRE(one.step(k * 0.01, 0.01) == 0);
  REQUIRE(other.restore(half) == 0);
  for (int k = 100; k < 200; ++k) REQUIRE(other.step(k * 0.01, 0.01) == 0);
  CHECK(one.saved() == other.saved());
  CHECK(other.restore(half.substr(0, half.size() / 2)) == 3);
  CHECK(other.restore("") == 3);
  CHECK(one.saved() == other.saved());
}

TEST_CASE("eight instances in eight threads; a hundred made and freed") {
  const Folder folder;
  write_file(folder / "driven.mbd", kDriven);
  const Fmu fmu(exported(folder, folder / "driven.mbd"));
  std::vector<std::string> ends(8);
  std::vector<std::thread> threads;
  for (std::string& end : ends)
    threads.emplace_back([&fmu, &end] {
      Instance3 i(fmu);
      i.begin(0);
      for (int k = 0; k < 50; ++k) i.step(k * 0.1, 0.1);
      end = i.saved();
    });
  for (std::thread& t : threads) t.join();
  for (const std::string& end : ends) CHECK(end == ends[0]);
  const auto cycles = [&fmu](int count) {
    for (int k = 0; k < count; ++k) {
      Instance3 i(fmu);
      REQUIRE(i.begin(0) == 0);
      REQUIRE(i.step(0, 0.1) == 0);
    }
  };
  cycles(5);
  const std::size_t before = mallinfo2().uordblks;
  cycles(100);
  CHECK(mallinfo2().uordblks < before + 50'000);  // This allows 500 bytes per cycle.
}

TEST_CASE("the description in both versions, and mistakes at the command line") {
  const Folder folder;
  write_file(folder / "driven.mbd", kDriven);
  const std::string file = folder / "driven.mbd";
  const Fmu three(exported(folder, file)), two(exported(folder, file, {"--fmi", "2"}));
  for (const char* part :
       {"fmiVersion=\"3.0\" modelName=\"driven\"", "description=\"A cart &amp; &lt;its&gt; spring.\"",
        "<CoSimulation modelIdentifier=\"out\" canHandleVariableCommunicationStepSize=\"true\"",
        "<Unit name=\"N/m\"><BaseUnit kg=\"1\" s=\"-2\"/></Unit>",
        "<DefaultExperiment startTime=\"0\" stopTime=\"1\" stepSize=\"0.1\"/>",
        "name=\"k\" valueReference=\"1\" causality=\"parameter\" variability=\"tunable\" unit=\"N/m\" start=\"4\"",
        "name=\"half\" valueReference=\"2\" causality=\"calculatedParameter\" variability=\"tunable\" unit=\"N/m\"/>",
        "name=\"u\" valueReference=\"3\" causality=\"input\" variability=\"continuous\" unit=\"N\" start=\"1\"",
        "<Output valueReference=\"4\" dependencies=\""})
    CHECK_MESSAGE(three.description().find(part) != std::string::npos, std::string(part));
  for (const char* part : {"fmiVersion=\"2.0\" modelName=\"driven\" guid=\"{mbc-", "<Unknown index=\"5\"/>",
                           "variability=\"tunable\"><Real unit=\"N/m\" start=\"4\"/></ScalarVariable>"})
    CHECK_MESSAGE(two.description().find(part) != std::string::npos, std::string(part));
  CHECK(two.token() == three.token());
  CHECK(read_file(exported(folder, file)) == read_file(exported(folder, file)));
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"fine", "--emit=ast"},
                                                {"--emit=ast", "--fmi", "2"},
                                                {"--fmi", "4", "--emit=fmu"},
                                                {"--emit=fmu", "--cpu=native"},
                                                {"-o", folder / "x.fmu", "--prefix=a"}}) {
    std::vector<std::string> arguments = {"compile", file};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    CHECK(run_mbc(arguments).code == 2);
  }
  const Ran unknown = run_mbc({"compile", file, "nowhere", "-o", folder / "x.fmu"});
  CHECK(unknown.code == 1);
  CHECK_MESSAGE(unknown.err.find("nowhere") != std::string::npos, unknown.err);
}

}  // namespace mbc::test
