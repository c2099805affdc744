// SPDX-License-Identifier: Apache-2.0
// Tests runs that are interpreted first and use native code when it is available: which runs are compiled, equal bits
// of both engines, ends during a compilation, and the cache of compiled code. It tests the structure of the table of
// times but not the times.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "mbc/mbc.h"
#include "tests/support/scratch.h"
#include "tests/tools/program_runner.h"

namespace mbc::test {
namespace {

// Returns a pendulum for `steps` steps of 1 ms. Its weight and length are literals, and its mass is a parameter.
std::string pendulum(int steps, const std::string& gravity = "9.81", const std::string& length = "1") {
  return "mbd 1\nparam m = 2\nspace 2\ngravity (0, -" + gravity + ")\nparticle p(m) at (0, -" + length +
         ") moving (3, 0)\nconstraint rod: dist(p, ground) == " + length + "\nsimulate { time = 0 .. " +
         std::to_string(steps) + "*0.001 step 0.001; integrator = rk4 }\n";
}

// Returns a chain whose right-hand side takes LLVM a while, with more steps than any test needs.
std::string long_chain() {
  return "mbd 1\ngravity (0, 0, -9.81)\nparticle p[i in 1..25](1 + i/100) at (i, 0, 0)\n"
         "constraint first: dist(ground, p[1]) == 1\nconstraint rod[i in 2..25]: dist(p[i-1], p[i]) == 1\n"
         "simulate { time = 0 .. 1000 step 0.001; integrator = rk4 }\n";
}

Simulation program(const std::string& text, const CompileOptions& options = {}) {
  Simulation made = Simulation::create(Model::from_string(text, "model.mbd", options)).value();
  REQUIRE_MESSAGE(made.model().ok(), made.model().render_diagnostics());
  return made;
}

RunOptions few_rows() {
  RunOptions options;
  options.output_every = 1000;
  return options;
}

RunResult run(Simulation& program) { return program.run(few_rows(), {}); }

std::size_t count(const Simulation& program, const std::string& stage) {
  std::size_t found = 0;
  for (const StageTime& s : program.model().stage_times()) found += s.name.starts_with(stage);
  return found;
}

CompileOptions at_once(bool cache) {
  CompileOptions options;
  options.native_at_once = true;
  options.cache = cache;
  return options;
}

// While this object exists, simulations of this process keep compiled code in a separate folder.
class WithCache {
 public:
  WithCache() { setenv("MBC_CACHE", (folder / "cache").c_str(), 1); }
  ~WithCache() { setenv("MBC_CACHE", "off", 1); }
  WithCache(const WithCache&) = delete;
  WithCache& operator=(const WithCache&) = delete;
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> out;
    if (!std::filesystem::exists(folder / "cache")) return out;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "cache")) out.push_back(entry.path());
    return out;
  }
  Folder folder;
};

bool have_native() { return !back_end_version().empty(); }

}  // namespace

TEST_CASE("a short run is interpreted and compiles nothing, a long one changes over: the same bits") {
  if (!have_native()) return;
  Simulation brief = program(pendulum(100));
  CHECK(run(brief).engine == "interpreter");
  CHECK(count(brief, "open LLVM") == 0);
  CHECK_FALSE(brief.model().compiling());

  const std::string text = pendulum(200000);
  CompileOptions interpret;
  interpret.interpret = true;
  Simulation interpreted = program(text, interpret), native = program(text, at_once(false)), both = program(text);
  const RunResult a = run(interpreted), b = run(native), c = run(both);
  CHECK(a.engine == "interpreter");
  CHECK(count(interpreted, "open LLVM") == 0);
  CHECK(b.engine == "native code");
  CHECK(count(native, "code generation (rhs)") == 1);
  CHECK(c.engine != "native code");  // The first steps were interpreted.
  CHECK(count(both, "open LLVM") == 1);
  REQUIRE(wait_until([&] { return !both.model().compiling(); }));
  const RunResult d = run(both);
  CHECK(d.engine == "native code");
  CHECK(count(both, "code generation (rhs)") == 1);
  for (const RunResult* r : {&b, &c, &d}) {
    CHECK(r->state == a.state);
    CHECK(r->balance_error == a.balance_error);
  }
}

TEST_CASE("a host that calls the right-hand side often gets native code, and the same values") {
  if (!have_native()) return;
  CompileOptions interpret;
  interpret.interpret = true;
  Simulation plain = program(pendulum(10), interpret), host = program(pendulum(10));
  const std::vector<double> y = plain.initial_state();
  std::vector<double> expected(y.size()), dy(y.size());
  plain.rhs(0.5, y, expected).value();
  bool same = true;
  for (int k = 0; k < 200000; ++k) {
    host.rhs(0.5, y, dy).value();
    same = same && dy == expected;
  }
  CHECK(count(host, "open LLVM") + static_cast<std::size_t>(host.model().compiling()) >= 1);
  REQUIRE(wait_until([&] { return !host.model().compiling(); }));
  CHECK(count(host, "code generation (rhs)") == 1);
  for (int k = 0; k < 10; ++k) {
    host.rhs(0.5, y, dy).value();
    same = same && dy == expected;
  }
  CHECK(same);
}

TEST_CASE("programs end while their code is being compiled") {
  if (!have_native()) return;
  for (int k = 0; k < 6; ++k) {
    Simulation stopped = program(long_chain());
    const RunResult r = stopped.run({}, [&](const Row&) { return false; });
    CHECK(r.status == Status::output_failed);
    std::this_thread::sleep_for(std::chrono::milliseconds(7 * k));
    Simulation moved = std::move(stopped);  // The native code moves with its simulation.
    if (k % 2 == 0) moved.run({}, [&](const Row& row) { return row.time < 0.005; });
  }
}

TEST_CASE("sweeps on several threads: interpreted, then native code, as by one thread") {
  if (!have_native()) return;
  SweepOptions options;
  options.vary = {"m = 1 .. 2 count 6"};
  std::vector<std::vector<double>> states;
  for (const int kind : {0, 1, 2}) {
    options.jobs = kind == 0 ? 1 : 3;
    options.compile = kind == 1 ? at_once(false) : CompileOptions{};
    options.compile.interpret = kind == 0;
    const SweepResult r = sweep_text(pendulum(20000), "model.mbd", options);
    REQUIRE(r.rows.size() == 6);
    CHECK(r.engine.substr(0, 6) == (kind == 1 ? "native" : "interp"));
    std::vector<double> all;
    for (const SweepMember& m : r.rows) all.insert(all.end(), m.recorded.begin(), m.recorded.end());
    states.push_back(all);
  }
  CHECK(states[0] == states[1]);
  CHECK(states[0] == states[2]);
}

TEST_CASE("mbc run neither waits for code nobody needs any more nor falls over it") {
  const Folder folder;
  write_file(folder / "chain.mbd", long_chain());
  for (int k = 0; k < 4; ++k) {
    const Ran ran = run_mbc({"run", folder / "chain.mbd", "--quiet", "-o", "/dev/full"});
    CHECK(ran.signal == 0);
    CHECK(ran.code == 74);
    Start start;
    start.meanwhile = [](pid_t pid) {
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
      kill(pid, SIGINT);
    };
    const Ran interrupted = run_mbc({"run", folder / "chain.mbd", "-o", folder / "rows.csv"}, start);
    CHECK(interrupted.signal <= SIGINT);  // The signal is 0 or SIGINT, if the process ended before the run began.
    if (interrupted.signal == 0) CHECK(interrupted.code == 130);
  }
}

TEST_CASE("compiled code is kept between programs: found, replaced when damaged, left alone on request") {
  if (!have_native()) return;
  const WithCache cache;
  const std::string text = pendulum(2000);
  CompileOptions interpret;
  interpret.interpret = true;
  Simulation plain = program(text, interpret);
  const std::vector<double> expected = run(plain).state;
  const auto check = [&](const std::string& model, bool hit, const CompileOptions& options) {
    Simulation made = program(model, options);
    CHECK(run(made).engine == "native code");
    CHECK(count(made, "code generation (rhs)") == (hit ? 0 : 1));
    CHECK(count(made, "link, from the cache (rhs)") == (hit ? 1 : 0));
    return run(made).state == expected;
  };
  CHECK(check(text, false, at_once(false)));
  CHECK(cache.files().empty());
  CHECK(check(text, false, at_once(true)));  // The cache is empty.
  CHECK_FALSE(cache.files().empty());
  CHECK(check(text, true, at_once(true)));  // The cache is filled.
  CHECK(check(text, true, at_once(true)));
  CHECK(check("// a comment\n" + text, true, at_once(true)));
  for (const std::string& file : cache.files()) std::filesystem::resize_file(file, 100);
  CHECK(check(text, false, at_once(true)));
  CHECK(check(text, true, at_once(true)));
  for (const std::string& file : cache.files()) {
    std::ofstream(file, std::ios::binary | std::ios::in | std::ios::out).seekp(200) << "damaged";
  }
  CHECK(check(text, false, at_once(true)));
  CHECK(check(text, true, at_once(true)));
  CompileOptions unoptimised = at_once(true);
  unoptimised.optimise = 0;
  CHECK(check(text, false, unoptimised));  // The code is different.
  CHECK_FALSE(check(pendulum(2000, "1.5"), false, at_once(true)));
}

TEST_CASE("what was compiled before is found without LLVM, by programs and hosts: the same rows") {
  if (!have_native()) return;
  const Folder folder;
  write_file(folder / "a.mbd", pendulum(50));
  // The loader of the C library reports which libraries a process has opened.
  const auto run_with = [&](const char* engine, const std::string& out, const char* more = "") {
    std::vector<std::string> words{"run", folder / "a.mbd", "--quiet", engine, "-o", folder / out};
    if (*more != 0) words.emplace_back(more);
    const Ran ran = run_mbc(words, {.setenv = {{"MBC_CACHE", folder / "cache"}, {"LD_DEBUG", "files"}}});
    CHECK(ran.code == 0);
    return ran.err.find("libmbc-jit") != std::string::npos;
  };
  CHECK_FALSE(run_with("--interpret", "interpreted.csv"));
  CHECK(run_with("--native", "cold.csv"));
#ifdef __x86_64__
  CHECK_FALSE(run_with("--native", "ready.csv"));
#else
  CHECK(run_with("--native", "ready.csv"));
#endif
  CHECK(run_with("--native", "anew.csv", "--no-cache"));
  // The library is opened in advance although it is not needed.
  write_file(folder / "a.mbd", "// a comment\n" + pendulum(50));
  CHECK(run_with("--native", "commented.csv"));
  for (const char* other : {"cold.csv", "ready.csv", "anew.csv", "commented.csv"})
    CHECK(read_file(folder / other) == read_file(folder / "interpreted.csv"));
  write_file(folder / "a.mbd", pendulum(50));
  for (const auto& file : std::filesystem::directory_iterator(folder / "cache"))
    if (file.file_size() > 1000) std::filesystem::resize_file(file, 900);
  CHECK(run_with("--native", "damaged.csv"));
  CHECK(read_file(folder / "damaged.csv") == read_file(folder / "interpreted.csv"));
  chmod((folder / "cache").c_str(), 0755);  // Other users can read the cache, so it is not used.
  CHECK(run_with("--native", "shared.csv"));
}

#ifdef MBC_OTHER_LLVM
TEST_CASE("a process that holds another LLVM, whose symbols all see: the same rows, and objects are linked") {
  if (!have_native()) return;
  const Folder folder;
  write_file(folder / "a.mbd", pendulum(50));
  const auto do_with = [](std::vector<std::string> words) {
    const Ran ran = run_mbc(words, {.setenv = {{"LD_PRELOAD", MBC_OTHER_LLVM}}});
    CHECK_MESSAGE(ran.code == 0, ran.err);
    // This message appears if the options of two LLVM libraries are in one list.
    CHECK(ran.err.find("registered") == std::string::npos);
  };
  do_with({"run", folder / "a.mbd", "--interpret", "-o", folder / "interpreted.csv"});
  do_with({"run", folder / "a.mbd", "--native", "--no-cache", "-o", folder / "native.csv"});
  CHECK(read_file(folder / "native.csv") == read_file(folder / "interpreted.csv"));
  do_with({"compile", folder / "a.mbd", "-o", folder / "a.so"});
}
#endif

TEST_CASE("stages of a start from the cache: nothing is opened, emitted or generated") {
  if (!have_native()) return;
  const WithCache cache;
  Simulation cold = program(pendulum(50), at_once(true));
  run(cold);
  CHECK(count(cold, "open LLVM") == 1);
  Simulation warm = program(pendulum(50), at_once(true));
  CHECK(run(warm).engine == "native code");
  CHECK(count(warm, "link, from the cache (rhs)") == 1);
  CHECK(count(warm, "look up in the cache (rhs)") == 1);
  CHECK(count(warm, "emit LLVM IR") == 0);
  CHECK(warm.model().check_native().ok());
#ifdef __x86_64__
  CHECK(count(warm, "open LLVM") == 0);
#endif
  CHECK(warm.model().emit(Stage::llvm_ir).ok());  // The library is opened on demand.
  CHECK(count(warm, "open LLVM") == 1);
}

TEST_CASE("a number that is a parameter never compiles again, one in the text only where the kernel changes") {
  if (!have_native()) return;
  const WithCache cache;
  Simulation made = program(pendulum(50), at_once(true));
  run(made);
  const std::size_t functions = count(made, "code generation");
  CHECK(functions >= 1);
  for (const double m : {3.0, 4.0, 0.5}) {
    REQUIRE(made.set_parameter("m", m));
    CHECK(run(made).engine == "native code");
  }
  CHECK(count(made, "code generation") == functions);  // Setting a parameter of a simulation needs no new code.
  CHECK(count(made, "link, from the cache") == 0);
  CompileOptions with = at_once(true);
  with.set = {"m = 7"};
  Simulation set = program(pendulum(50), with);
  run(set);
  CHECK(count(set, "code generation") == 0);  // The value was set before the compilation.
  Simulation longer = program(pendulum(70), at_once(true));
  run(longer);
  CHECK(count(longer, "code generation") == 0);  // The duration of a run is not part of the code.
  Simulation other = program(pendulum(50, "9.81", "1.25"), at_once(true));
  run(other);
  CHECK(count(other, "code generation (rhs)") == 0);  // The length is not part of the accelerations either.
  Simulation heavier = program(pendulum(50, "1.62"), at_once(true));
  run(heavier);
  CHECK(count(heavier, "code generation (rhs)") == 1);
}

TEST_CASE("time-passes: the stages and the rest add up to the time of the process") {
  const Folder folder;
  write_file(folder / "a.mbd", pendulum(3000));
  for (const char* engine : {"--interpret", "--native"}) {
    const Ran ran =
        run_mbc({"run", folder / "a.mbd", "--quiet", "--time-passes", "--diagnostics=json", "-o", "/dev/null", engine});
    REQUIRE(ran.code == 0);
    const auto table = nlohmann::json::parse(ran.err);
    double sum = table["other_seconds"];
    std::vector<std::string> names;
    for (const auto& stage : table["stages"]) {
      names.push_back(stage["name"]);
      CHECK(stage["seconds"] >= 0);
      if (!stage["background"]) sum += stage["seconds"].get<double>();
    }
    CHECK(std::fabs(sum - table["total_seconds"].get<double>()) < 1e-9);
    const bool native = std::string(engine) == "--native" && have_native();
    for (const char* name : {"read", "parse", "elaborate", "lower", "formulate", "simulate", "output"})
      CHECK_MESSAGE(std::count(names.begin(), names.end(), name) == 1, name);
    for (const char* name : {"emit LLVM IR (rhs)", "optimise (rhs)", "code generation (rhs)", "link (rhs)"})
      CHECK_MESSAGE(std::count(names.begin(), names.end(), name) == (native ? 1 : 0), name);
  }
  const Ran text = run_mbc({"compile", folder / "a.mbd", "--emit=kernel", "--time-passes", "-o", "/dev/null"});
  CHECK(text.code == 0);
  for (const char* word : {"stage", "read", "formulate", "other", "total", "100.0 %"})
    CHECK(text.err.find(word) != std::string::npos);
  CHECK(run_mbc({"run", folder / "a.mbd", "--native", "--interpret"}).code == 2);
  CHECK(run_mbc({"run", folder / "a.mbd", "--no-cache", "--quiet", "-o", "/dev/null"}).code == 0);
}

}  // namespace mbc::test
