// SPDX-License-Identifier: Apache-2.0
// Tests that an importer for Model Exchange that integrates by itself reaches the states of `mbc run`, with both
// versions of the standard.
#include "tests/tools/fmu/exchange.h"

#include <doctest/doctest.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/tools/program_runner.h"

namespace mbc::test {
namespace {

constexpr const char* kBall =
    "mbd 1\nspace 1\nparam e = 0.8, h = 1 [m]\ngravity -9.81 [m/s^2]\nparticle ball(0.1 [kg]) at h\n"
    "constraint top: ball.x >= 0 [m] restitution e\noutput hits = top.count, push = top.lambda\n"
    "simulate demo { time = 0 [s] .. 2 [s] step 10 [ms]; integrator = rk4 }\n";

// The model has two simultaneous contacts, a contact that a lifting force opens, a guard with `and`, a discontinuity,
// and a jump of a state.
constexpr const char* kMany =
    "mbd 1\nspace 2\nstate kicks = 0 [1]\nparticle p(1 [kg]) at (0 [m], 1 [m]) moving (1 [m/s], 0 [m/s])\n"
    "particle r(1 [kg]) at (1 [m], 1 [m])\ngravity (0, -9.81) [m/s^2]\n"
    "constraint a: p.y >= 0 [m] restitution 0.5\nconstraint b: r.y >= 0 [m] restitution 0.5\n"
    "force drag on p: (-abs(p.vx - 0.3 [m/s])*(1 [kg/s]), 0 [N])\n"
    "load lift on r.y: 30 [N]*sin(t*(1 [1/s]))\n"
    "when kick: p.x > 0.35 [m] and p.y < 0.5 [m] { p.vx = 2 [m/s]; kicks = kicks + 1 }\n"
    "every tick: 70 [ms] { kicks = kicks + 0.125 }\n"
    "output out = kicks, na = a.count, nb = b.count\n"
    "simulate demo { time = 0 [s] .. 1.2 [s] step 5 [ms]; integrator = rk4; kinks = locate }\n";

std::string exported(const Folder& folder, const std::string& model, int version,
                     const std::vector<std::string>& set = {}) {
  std::string out = folder / ("out" + std::to_string(version) + ".fmu");
  std::vector<std::string> arguments = {"compile", model, "-o", out, "--fmi", std::to_string(version)};
  for (const std::string& s : set) arguments.insert(arguments.end(), {"--set", s});
  const Ran ran = run_mbc(arguments);
  REQUIRE_MESSAGE(ran.code == 0, ran.err);
  return out;
}

struct Agreement {
  double largest = 0;  // difference of a value relative to the largest of its column, or to 1
  std::string column;
  std::size_t rows = 0, events = 0, instants = 0;
};

// Follows at most `most` rows of `mbc run` with steps of h.
Agreement follow_rows(const std::string& model, int version, double h, std::size_t most,
                      const std::vector<std::string>& set = {}) {
  CAPTURE(model);
  const Folder folder;
  const Fmu fmu(exported(folder, model, version, set));
  std::vector<std::string> arguments = {"run", model, "-o", "-", "--quiet", "--interpret"};
  for (const std::string& s : set) arguments.insert(arguments.end(), {"--set", s});
  std::string text = run_mbc(arguments).out;
  std::erase(text, '\r');
  std::istringstream lines(text);
  std::string line;
  REQUIRE(std::getline(lines, line));
  std::vector<std::string> names;
  std::vector<std::uint32_t> references;
  std::istringstream head(line);
  for (std::string column; std::getline(head, column, ',');) {
    names.push_back(column);
    references.push_back(fmu.reference(column));
  }
  Agreement out;
  Exchange host(fmu, version);
  REQUIRE_MESSAGE(host.made(), host.log);
  std::vector<double> largest(names.size(), 1), apart(names.size()), values;
  for (; out.rows < most && std::getline(lines, line); ++out.rows) {
    std::vector<double> row;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(std::stod(cell));
    if (out.rows == 0) REQUIRE_MESSAGE(host.begin(row[0]) == 0, host.log);
    if (out.rows > 0) host.follow(row[0], h);
    REQUIRE_MESSAGE(host.get(references, values) == 0, host.log);
    for (std::size_t k = 0; k < row.size(); ++k) {
      largest[k] = std::max(largest[k], std::fabs(row[k]));
      apart[k] = std::max(apart[k], std::fabs(row[k] - values[k]));
    }
  }
  for (std::size_t k = 0; k < names.size(); ++k)
    if (apart[k] / largest[k] > out.largest) {
      out.largest = apart[k] / largest[k];
      out.column = names[k];
    }
  out.events = host.events;
  out.instants = host.instants;
  MESSAGE(model << " by FMI " << version << ": " << out.rows << " rows, " << out.events << " events, " << out.instants
                << " instants, largest difference " << out.largest << " of " << out.column);
  return out;
}

}  // namespace

// Stages of Model Exchange are projected onto the constraints, those of `mbc run` are not. With constraints both differ
// by the error of the method, h^4. The steps are so small that it is below 1e-12.
TEST_CASE("Model Exchange comes to where mbc run does") {
  const std::string examples = MBC_SOURCE "/examples/";
  const std::vector<std::string> fine = {"time.step = 0.00025", "time.end = 0.05"};
  for (const int version : {3, 2}) {
    const std::size_t part = version == 3 ? 1 : 4;  // The test uses 1/part of the rows.
    CHECK(follow_rows(examples + "hinge_four_bar.mbd", version, 2.5e-4, 160 / part, fine).largest < 1e-12);
    CHECK(follow_rows(examples + "sleigh.mbd", version, 2.5e-4, 200 / part, fine).largest < 1e-12);
    CHECK(follow_rows(examples + "relay.mbd", version, 0.05, 201 / part).largest < 1e-12);
    CHECK(follow_rows(examples + "sampled_pendulum.mbd", version, 5e-3, 400 / part).largest < 1e-12);
    CHECK(follow_rows(examples + "hopper.mbd", version, 2e-3, 1200 / part).largest < 1e-12);
    const Folder folder;
    write_file(folder / "ball.mbd", kBall);
    const Agreement ball = follow_rows(folder / "ball.mbd", version, 0.01, 201);
    CHECK(ball.largest < 1e-12);
    CHECK(ball.events == 3);
    write_file(folder / "many.mbd", kMany);
    const Agreement many = follow_rows(folder / "many.mbd", version, 5e-3, 241);
    CHECK(many.largest < 1e-12);
    CHECK(many.events == 4);
    CHECK(many.instants == 21);
  }
}

TEST_CASE("what is allowed in which mode of Model Exchange") {
  const Folder folder;
  write_file(folder / "ball.mbd", kBall);
  for (const int version : {3, 2}) {
    const Fmu fmu(exported(folder, folder / "ball.mbd", version));
    CAPTURE(version);
    // The modes are instantiated, initialisation, event, continuous time and terminated.
    const auto in_mode = [&](int mode) {
      auto host = std::make_unique<Exchange>(fmu, version);
      if (mode > 0) REQUIRE(host->enter(0) == 0);
      if (mode > 1) REQUIRE(host->exit() == 0);
      if (mode == 3) REQUIRE(host->continuous_time() == 0);
      if (mode == 4) REQUIRE(host->call("Terminate") == 0);
      return host;
    };
    using Act = int (*)(Exchange&);
    struct Row {
      const char* name;
      Act act;
      const char* allowed;  // allowed modes
    };
    std::vector<Row> table = {
        {"EnterInitializationMode", [](Exchange& x) { return x.enter(0); }, "10000"},
        {"ExitInitializationMode", [](Exchange& x) { return x.exit(); }, "01000"},
        {"EnterEventMode", [](Exchange& x) { return x.event_mode(); }, "00010"},
        {"UpdateDiscreteStates",
         [](Exchange& x) {
           Exchange::Update u;
           return x.update(u);
         },
         "00100"},
        {"EnterContinuousTimeMode", [](Exchange& x) { return x.continuous_time(); }, "00100"},
        {"CompletedIntegratorStep",
         [](Exchange& x) {
           bool event = false;
           return x.completed(event);
         },
         "00010"},
        {"SetTime", [](Exchange& x) { return x.set_time(0); }, "00110"},
        {"SetContinuousStates", [](Exchange& x) { return x.set_states(std::vector<double>(x.state_count(), 0.5)); },
         "00010"},
        {"GetContinuousStates",
         [](Exchange& x) {
           std::vector<double> y;
           return x.states(y);
         },
         "01111"},
        {"GetDerivatives",
         [](Exchange& x) {
           std::vector<double> y;
           return x.rates(y);
         },
         "01111"},
        {"GetEventIndicators",
         [](Exchange& x) {
           std::vector<double> z;
           return x.indicators(z);
         },
         "01111"},
        {"GetNominals",
         [](Exchange& x) {
           std::vector<double> y;
           return x.nominals(y);
         },
         "11111"},
        {"Get", [](Exchange& x) { return x.value("ball.x") == 1 ? 0 : 3; }, "11111"},
        {"Set", [](Exchange& x) { return x.set("e", 0.7); }, "11100"},
        {"Terminate", [](Exchange& x) { return x.call("Terminate"); }, "00110"},
        {"Reset", [](Exchange& x) { return x.call("Reset"); }, "11111"},
        {"a state that is kept", [](Exchange& x) { return x.restore(x.saved()); }, "11111"}};
    for (const Row& row : table)
      for (int mode = 0; mode < 5; ++mode) {
        const auto host = in_mode(mode);
        CHECK_MESSAGE((row.act(*host) == 0) == (row.allowed[mode] == '1'),
                      std::string(row.name) << " in mode " << mode << ": " << host->log);
      }
  }
}

TEST_CASE("a step of Model Exchange that ends the motion, and states without a rate") {
  const Folder folder;
  write_file(folder / "stop.mbd",
             "mbd 1\nspace 1\nparticle p(1) at 1 moving -1\nforce root on p: sqrt(p.x)\n"
             "when down: p.x < 0.5 { stop \"low\" }\nsimulate { time = 0 .. 5 step 0.1; integrator = rk4 }\n");
  const Fmu fmu(exported(folder, folder / "stop.mbd", 3));
  Exchange host(fmu, 3);
  REQUIRE(host.begin(0) == 0);
  std::vector<double> y, dy;
  REQUIRE(host.states(y) == 0);
  std::vector<double> low = y;
  low[0] = -1;
  CHECK(host.set_states(low) == 0);
  CHECK(host.rates(dy) == 2);  // The status is `discarded`, because a smaller step may succeed.
  CHECK_MESSAGE(host.log.find("p.x") != std::string::npos, host.log);
  CHECK(host.set_states(y) == 0);
  CHECK(host.rates(dy) == 0);
  host.follow(5, 0.1);
  CHECK(host.ended());
  CHECK(host.value("p.x") == doctest::Approx(0.5).epsilon(1e-12));
  CHECK(host.call("Terminate") == 0);
}

// These are coarse hosts: one stops at an exact zero of an indicator, and one locates nothing.
TEST_CASE("events where hosts stop at them, exactly or late") {
  const Folder folder;
  write_file(folder / "exact.mbd",
             "mbd 1\nspace 1\nparticle p(1) at 1 moving -1\nstate seen = 0\n"
             "when low: p.x < 0.5 { seen = seen + 1 }\nsimulate { time = 0 .. 5 step 0.1; integrator = rk4 }\n");
  const Fmu exact(exported(folder, folder / "exact.mbd", 3));
  Exchange one(exact, 3);
  REQUIRE(one.begin(0) == 0);
  std::vector<double> y, z;
  REQUIRE(one.states(y) == 0);
  y[0] = 0.5;
  REQUIRE(one.set_time(0.5) == 0);
  REQUIRE(one.set_states(y) == 0);
  REQUIRE(one.indicators(z) == 0);
  CHECK(z == std::vector<double>{0});
  REQUIRE(one.event_mode() == 0);
  Exchange::Update made;
  REQUIRE(one.update(made) == 0);
  CHECK(one.value("seen") == 1);
  CHECK(made.moved);  // Importers start again after events.
  REQUIRE(one.indicators(z) == 0);
  CHECK(z[0] > 0);
  REQUIRE(one.update(made) == 0);
  CHECK(one.value("seen") == 1);
  CHECK_FALSE(made.moved);

  write_file(folder / "ball.mbd", kBall);
  const Fmu ball(exported(folder, folder / "ball.mbd", 3));
  Exchange late(ball, 3);
  REQUIRE(late.begin(0) == 0);
  REQUIRE(late.states(y) == 0);
  y[0] = -0.05;
  y[1] = -4;
  REQUIRE(late.set_time(0.46) == 0);
  REQUIRE(late.set_states(y) == 0);
  REQUIRE_MESSAGE(late.event_mode() == 0, late.log);
  REQUIRE_MESSAGE(late.update(made) == 0, late.log);
  CHECK(made.moved);
  CHECK(std::fabs(late.value("ball.x")) < 1e-12);
  CHECK(late.value("ball.vx") == doctest::Approx(3.2));
  CHECK(late.value("hits") == 1);
}

TEST_CASE("states are drawn onto the constraints at instants, and kept") {
  const Folder folder;
  const Fmu fmu(exported(folder, MBC_SOURCE "/examples/hinge_four_bar.mbd", 3));
  Exchange host(fmu, 3);
  REQUIRE(host.begin(0, 1e-9) == 0);
  host.follow(0.01, 1e-3);
  std::vector<double> y, off, rate, rate_off;
  REQUIRE(host.states(y) == 0);
  REQUIRE(host.rates(rate) == 0);
  off = y;
  off[0] += 1e-5;
  REQUIRE(host.set_states(off) == 0);
  REQUIRE(host.rates(rate_off) == 0);
  bool event = false;
  REQUIRE(host.completed(event) == 0);
  CHECK(event);
  REQUIRE(host.event_mode() == 0);
  Exchange::Update made;
  REQUIRE(host.update(made) == 0);
  CHECK(made.moved);
  std::vector<double> on, rate_on;
  REQUIRE(host.states(on) == 0);
  REQUIRE(host.rates(rate_on) == 0);
  for (std::size_t i = 0; i < y.size(); ++i) {
    CHECK(std::fabs(on[i] - y[i]) < 1e-4);
    // The rate was already that of the state on the constraints.
    CHECK(std::fabs(rate_on[i] - rate_off[i]) < 1e-9 * std::max(1.0, std::fabs(rate_on[i])));
  }
  // A less accurate importer gets no event for this state.
  Exchange coarse(fmu, 3);
  REQUIRE(coarse.begin(0, 1e-3) == 0);
  REQUIRE(coarse.set_states(off) == 0);
  REQUIRE(coarse.completed(event) == 0);
  CHECK_FALSE(event);

  const Fmu jumps(exported(folder, MBC_SOURCE "/examples/hopper.mbd", 3));
  Exchange one(jumps, 3), two(jumps, 3);
  REQUIRE(one.begin(0) == 0);
  one.follow(0.5, 2e-3);
  const std::string half = one.saved();
  std::vector<double> ahead, again, z1, z2;
  REQUIRE(two.restore(half) == 0);
  REQUIRE(one.rates(ahead) == 0);
  REQUIRE(two.rates(again) == 0);
  CHECK(ahead == again);
  REQUIRE(one.indicators(z1) == 0);
  REQUIRE(two.indicators(z2) == 0);
  CHECK(z1 == z2);
  CHECK(two.restore(half.substr(0, half.size() / 2)) == 3);
  one.follow(0.7, 2e-3);
  REQUIRE(one.restore(half) == 0);
  CHECK(one.saved() == half);
  REQUIRE(two.restore(half) == 0);
  for (Exchange* x : {&one, &two}) {
    REQUIRE(x->set_time(0.502) == 0);
    REQUIRE(x->rates(ahead) == 0);
    REQUIRE(x->completed(event) == 0);
    REQUIRE(x->event_mode() == 0);
    REQUIRE(x->update(made) == 0);
  }
  CHECK(one.saved() == two.saved());
}

TEST_CASE("Model Exchange in eight threads; a thousand instances made and freed") {
  const Folder folder;
  write_file(folder / "many.mbd", kMany);
  const Fmu fmu(exported(folder, folder / "many.mbd", 3));
  std::vector<std::string> ends(8);
  std::vector<std::thread> threads;
  for (std::string& end : ends)
    threads.emplace_back([&fmu, &end] {
      Exchange host(fmu, 3);
      host.begin(0);
      host.follow(0.6, 5e-3);
      end = host.saved();
    });
  for (std::thread& t : threads) t.join();
  for (const std::string& end : ends) CHECK(end == ends[0]);
  write_file(folder / "ball.mbd", kBall);
  const Fmu small(exported(folder, folder / "ball.mbd", 3));
  const auto cycles = [&small](int count) {
    for (int k = 0; k < count; ++k) {
      Exchange host(small, 3);
      REQUIRE(host.begin(0) == 0);
      host.follow(0.02, 0.01);
    }
  };
  cycles(5);
  const std::size_t before = mallinfo2().uordblks;
  cycles(1000);
  CHECK(mallinfo2().uordblks < before + 50'000);  // This allows 50 bytes per cycle.
}

// Instances of a kernel in several threads share no writable data.
TEST_CASE("the kernel of a model has no data that can be written") {
  const Folder folder;
  const std::string object = folder / "kernel.o";
  const Ran ran = run_mbc({"compile", MBC_SOURCE "/examples/hinge_four_bar.mbd", "-o", object});
  REQUIRE_MESSAGE(ran.code == 0, ran.err);
  FILE* listed = popen(("nm " + object).c_str(), "r");
  REQUIRE(listed != nullptr);
  int code = 0, read_only = 0;
  for (char line[500]; std::fgets(line, sizeof line, listed) != nullptr;) {
    std::istringstream words(line);
    std::string address, type, name;
    words >> address >> type >> name;
    if (type == "T" || type == "t") ++code;
    if (type == "R" || type == "r") ++read_only;
    CHECK_MESSAGE(std::string("DdBbCGgSs").find(type) == std::string::npos, std::string(line));
  }
  CHECK(pclose(listed) == 0);
  CHECK(code > 4);
  CHECK(read_only > 0);
}

TEST_CASE("the description of Model Exchange") {
  const Folder folder;
  write_file(folder / "ball.mbd", kBall);
  write_file(folder / "free.mbd",
             "mbd 1\nspace 1\nparam k = 4 [N/m]\ninput f = 1 [N]\nparticle p(1 [kg]) at 1 [m]\n"
             "force spring on p: -k*p.x + f\nwhen low: p.x falling { stop \"low\" }\noutput F = k*p.x, g = f, h = k*t, "
             "a = p.ax\nsimulate { time = 0 [s] .. 1 [s] step 0.1 [s] }\n");
  const Fmu three(exported(folder, folder / "ball.mbd", 3)), two(exported(folder, folder / "ball.mbd", 2));
  for (const char* part : {"<ModelExchange modelIdentifier=\"out3\" canGetAndSetFMUState=\"true\"",
                           "name=\"der(ball.x)\"", "unit=\"m/s^2\" derivative=\"",
                           "<EventIndicator valueReference=", "<ContinuousStateDerivative valueReference="})
    CHECK_MESSAGE(three.description().find(part) != std::string::npos, std::string(part));
  for (const char* part : {"<ModelExchange modelIdentifier=\"out2\" canGetAndSetFMUstate=\"true\"",
                           "numberOfEventIndicators=\"2\"", "<Derivatives>"})
    CHECK_MESSAGE(two.description().find(part) != std::string::npos, std::string(part));
  // The model has a row, although only during contact.
  CHECK(three.description().find("dependencies") == std::string::npos);
  const Fmu free(exported(folder, folder / "free.mbd", 3)), places(exported(folder, folder / "free.mbd", 2));
  const auto structure = [](const Fmu& fmu, const std::string& element, const std::string& name, std::uint32_t shift,
                            const std::vector<std::string>& on) {
    std::string text = element + std::to_string(fmu.reference(name) + shift) + "\" dependencies=\"";
    for (std::size_t k = 0; k < on.size(); ++k)
      text += (k > 0 ? " " : "") + std::to_string(fmu.reference(on[k]) + shift);
    CHECK_MESSAGE(fmu.description().find(text + "\"/>") != std::string::npos, text);
  };
  structure(free, "<Output valueReference=\"", "F", 0, {"p.x"});
  structure(free, "<Output valueReference=\"", "g", 0, {"f"});
  structure(free, "<Output valueReference=\"", "h", 0, {"time"});
  structure(free, "<ContinuousStateDerivative valueReference=\"", "der(p.x)", 0, {"p.vx"});
  structure(free, "<EventIndicator valueReference=\"", "event(low)", 0, {"p.x"});
  structure(places, "<Unknown index=\"", "F", 1, {"p.x"});
  structure(places, "<Unknown index=\"", "der(p.x)", 1, {"p.vx"});
  const std::string any = "<ContinuousStateDerivative valueReference=\"" + std::to_string(free.reference("der(p.vx)"));
  CHECK(free.description().find(any + "\"/>") != std::string::npos);
}

}  // namespace mbc::test
