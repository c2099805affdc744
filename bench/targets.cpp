// SPDX-License-Identifier: Apache-2.0
// Compares the measured performance of mbc with its targets in one table (docs/benchmarks.md, "Targets"). It times the
// same subjects as the programs with tables of their own and first compares their results with those of the yardsticks.
// If the argument is a part of the name of a group, only the lines of this group are printed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/arguments.h"
#include "bench/cholmod.h"
#include "bench/copies_subject.h"
#include "bench/first_step.h"
#include "bench/long_chain.h"
#include "bench/models.h"
#include "bench/net.h"
#include "bench/process.h"
#include "bench/redundant.h"
#include "bench/small_subject.h"
#include "bench/timing.h"
#include "bench/w2_subject.h"

namespace mbc::bench {
namespace {

// ---- the table

constexpr std::size_t kColumns = 7;
using Cells = std::array<std::string, kColumns>;

std::string duration(double seconds) {
  for (const auto& [unit, name] : {std::pair{1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}})
    if (seconds < 999.5 * unit) return fmt::format("{:.3g} {}", seconds / unit, name);
  return fmt::format("{:.3g} s", seconds);
}

struct Timing {
  std::string what;
  double seconds = 0;
  [[nodiscard]] std::string text() const { return fmt::format("{}: {}", what, duration(seconds)); }
};

std::string difference_text(std::optional<double> difference) {
  return difference ? fmt::format("{:.0e}", *difference) : "";
}

std::string yes_or_no(bool reached) { return reached ? "yes" : "no"; }

class Table {
 public:
  // `asked` is the largest allowed ratio to the yardstick; 0 means that there is no target.
  void ratio(const std::string& item, const Timing& yardstick, const Timing& mbc, double asked,
             std::optional<double> difference, const std::string& remark = "") {
    const double ratio = mbc.seconds / yardstick.seconds;
    lines_.push_back({item, yardstick.text(), mbc.text() + remark, fmt::format("{:.2f}", ratio),
                      asked > 0 ? fmt::format("{:.1f}", asked) : "", asked > 0 ? yes_or_no(ratio <= asked) : "",
                      difference_text(difference)});
  }
  void time(const std::string& item, const Timing& mbc, double asked, std::optional<double> difference) {
    lines_.push_back(
        {item, "", mbc.text(), "", duration(asked), yes_or_no(mbc.seconds <= asked), difference_text(difference)});
  }
  // The value is the number of bytes per part.
  void size(const std::string& item, const std::string& what, double bytes, double asked) {
    lines_.push_back({item, "", fmt::format("{}: {:.0f} bytes", what, bytes), "",
                      asked > 0 ? fmt::format("{:.0f} bytes", asked) : "", asked > 0 ? yes_or_no(bytes <= asked) : "",
                      ""});
  }

  void print() const {
    static const Cells kHead = {"item", "yardstick", "mbc", "ratio", "asked", "reached", "difference"};
    std::array<std::size_t, kColumns> width{};
    for (std::size_t i = 0; i < kColumns; ++i) width[i] = kHead[i].size();
    for (const Cells& line : lines_)
      for (std::size_t i = 0; i < kColumns; ++i) width[i] = std::max(width[i], line[i].size());
    const auto print_line = [&](const Cells& cells) {
      for (std::size_t i = 0; i < kColumns; ++i) fmt::print("| {:<{}} ", cells[i], width[i]);
      fmt::print("|\n");
    };
    print_line(kHead);
    for (std::size_t i = 0; i < kColumns; ++i) fmt::print("|---");
    fmt::print("|\n");
    for (const Cells& line : lines_) print_line(line);
    const auto reached = std::count_if(lines_.begin(), lines_.end(), [](const Cells& c) { return c[5] == "yes"; });
    const auto asked = std::count_if(lines_.begin(), lines_.end(), [](const Cells& c) { return !c[5].empty(); });
    fmt::print("\n{} of {} reached\n", reached, asked);
  }

 private:
  std::vector<Cells> lines_;
};

// ---- groups of lines

struct Group {
  std::string name;
  std::function<void(Table&)> measure;
};

double asked_of(const std::string& small_model) {
  if (small_model.starts_with("chain")) return small_model.ends_with("(params)") ? 1.5 : 1.0;
  return 1.2;
}

void add_small(Table& table, const std::string& item, const SmallModel& small, bool dependent, jit::Engine& engine) {
  SmallSubject subject(small, &engine);
  const SmallSeconds s = subject.measure(dependent);
  const double asked = asked_of(subject.name());
  const std::string name = fmt::format("{} {}, {}", item, subject.name(), dependent ? "dependent calls" : "throughput");
  const Timing by_hand{"straight line", s.by_hand};
  if (s.stage) table.ratio(name, by_hand, {"stage", *s.stage}, asked, subject.difference());
  table.ratio(name, by_hand, {s.stage ? "rhs" : "rhs (no stage)", s.rhs}, asked, subject.difference());
}

void add_short_chains(Table& table, jit::Engine& engine) {
  for (const SmallModel& small : small_models())
    if (small.model.name.starts_with("chain")) add_small(table, "W1", small, true, engine);
}

void add_long_chains(Table& table, jit::Engine& engine) {
  for (const int rods : {30, 100, 300, 1000, 10'000, 100'000}) {
    const LongChain chain = measure_long_chain(rods, engine);
    const LongChainSeconds& s = chain.seconds;
    const std::string item = fmt::format("W1 chain_{}", rods);
    const double asked = rods <= 1000 ? 1.0 : 0;
    for (const Timing& mbc : {Timing{"stage", s.stage}, Timing{"accepted states", s.accepted}})
      table.ratio(item, {"eight lanes", s.by_hand}, mbc, asked, chain.difference,
                  fmt::format(", {:.2f} ns a rod", 1e9 * mbc.seconds / rods));
  }
}

void add_bodies(Table& table, jit::Engine& engine) {
  const TriplePendulumSeconds s = measure_triple_pendulum(&engine);
  for (const BodiesSeconds& b : s.mbc) {
    const double asked = b.bodies == "quaternion" ? 0.8 : b.bodies == "natural" ? 1.5 : 2.5;
    const std::string item = "W2 triple pendulum, " + b.bodies;
    table.ratio(item, {"3 x 3 blocks", s.by_hand}, {"stage", b.stage}, asked, b.difference);
    table.ratio(item, {"3 x 3 blocks", s.by_hand}, {"rhs", b.rhs}, asked, b.difference);
  }
}

void add_planar(Table& table, jit::Engine& engine) {
  for (const SmallModel& small : small_models())
    if (small.model.name == "sleigh" || small.model.name == "rotary_pendulum")
      for (const bool dependent : {true, false}) add_small(table, "W3", small, dependent, engine);
}

void add_copies(Table& table, jit::Engine& engine) {
  const CopiesSeconds s = measure_copies(engine);
  const Timing by_hand{"eight lanes", s.by_hand};
  table.ratio("W4 double pendulums, a copy and step", by_hand, {"none", s.none}, 1.2, s.difference);
  table.ratio("W4 the same, projected", by_hand, {"project", s.project}, 0, std::nullopt);
}

// Returns the least time of several runs of `mbc run` with the example, from start to exit.
double whole_process(const std::vector<std::string>& options, const TemporaryCache* fresh) {
  constexpr int kProcesses = 30;
  const TemporaryFile output(".csv");
  std::vector<std::string> arguments{program_folder() + "/mbc", "run", example_path("two_particles.mbd"), "-o",
                                     output.path()};
  arguments.insert(arguments.end(), options.begin(), options.end());
  double least = 1e300;
  for (int k = 0; k <= kProcesses; ++k) {
    if (fresh != nullptr) fresh->clear();
    const ProcessTime time = time_process(arguments);
    if (time.status != 0) throw std::runtime_error("`mbc run` failed");
    if (k > 0) least = std::min(least, time.wall);  // The first run may fill the cache.
  }
  return least;
}

void add_example(Table& table) {
  {
    const TemporaryCache cache;
    table.time("W5 process, cold", {"mbc run", whole_process({}, &cache)}, 0.04, std::nullopt);
    table.time("W5 process, cold", {"mbc run --native", whole_process({"--native"}, &cache)}, 0.04, std::nullopt);
    table.time("W5 process, from the cache", {"mbc run", whole_process({}, nullptr)}, 0.015, std::nullopt);
    table.time("W5 process, from the cache", {"mbc run --native", whole_process({"--native"}, nullptr)}, 0.015,
               std::nullopt);
  }
  const LoopSeconds s = measure_two_particles_loop();
  table.ratio("W5 the loop, 1,000 steps", {"loop by hand", s.by_hand}, {"loop", s.loop}, 1.5, s.difference);
}

void add_first_steps(Table& table) {
  for (const FirstStep& s : measure_first_steps()) {
    table.time("first step: " + s.name, {"as a run does it", s.interpreted}, s.asked, s.difference);
    table.time("first step: " + s.name, {"--native, cold", s.native}, s.asked, s.difference);
  }
}

void add_net(Table& table) {
  const NetSeconds s = measure_net(100);
  const NetSolver& best = s.best_other();
  const std::string name = best.name + (s.cholmod.empty() ? " (no CHOLMOD here)" : "");
  table.ratio(fmt::format("net of 100 x 100 particles, {} rows", s.rows), {name, best.seconds},
              {"assembly, factorisation, solve", s.mbc}, 1.0, s.difference);
}

void add_redundant(Table& table, jit::Engine& engine) {
  using Costs = RedundantSeconds::Costs;
  const std::array<std::pair<const char*, double Costs::*>, 3> kinds = {
      {{"stage", &Costs::stage}, {"rhs", &Costs::rhs}, {"step", &Costs::step}}};
  for (const RedundantSeconds& s : measure_redundant(engine))
    for (const auto& [kind, member] : kinds)
      table.ratio(fmt::format("redundant row: {}", s.name),
                  {fmt::format("{} rows, {}", s.independent.rows, kind), s.independent.*member},
                  {fmt::format("{} rows, {}", s.redundant.rows, kind), s.redundant.*member}, 1.3, s.difference);
}

ProcessMemory memory_of_chain(int rods) {
  constexpr int kSteps = 10;
  const TemporaryFile model(".mbd", looped_chain_text(rods, kSteps));
  const ProcessMemory memory = watch_memory(
      {program_folder() + "/mbc", "run", model.path(), "-o", "-", "--native", "--output-every", "1000000"});
  if (memory.status != 0) throw std::runtime_error("`mbc run` of a long chain failed");
  return memory;
}

void add_memory(Table& table) {
  constexpr int kRods = 100'000;
  const ProcessMemory chain = memory_of_chain(kRods), least = memory_of_chain(10);
  const auto each = [](std::size_t bytes) { return static_cast<double>(bytes) / kRods; };
  const std::string item = "memory a particle and rod, 100,000 of them";
  table.size(item, "running", each(chain.running), 1000);
  table.size(item, "peak", each(chain.peak), 1000);
  table.size(item, "running, above a process with 10", each(chain.running - std::min(chain.running, least.running)), 0);
}

// ---- the program

std::vector<Group> groups(jit::Engine& engine) {
  const auto with_engine = [&engine](void (*measure)(Table&, jit::Engine&)) {
    return [measure, &engine](Table& table) { measure(table, engine); };
  };
  return {{"W1, short chains", with_engine(add_short_chains)},
          {"W1, long chains", with_engine(add_long_chains)},
          {"W2, bodies", with_engine(add_bodies)},
          {"W3, sleigh and rotary pendulum", with_engine(add_planar)},
          {"W4, copies in lanes", with_engine(add_copies)},
          {"W5, two particles", add_example},
          {"compile to first step", add_first_steps},
          {"net", add_net},
          {"redundant rows", with_engine(add_redundant)},
          {"memory", add_memory}};
}

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

double load() {
  double one_minute = 0;
  return getloadavg(&one_minute, 1) == 1 ? one_minute : 0;
}

void run(const std::string& wanted) {
  std::string error;
  const std::unique_ptr<jit::Engine> engine = jit::load_engine(error);
  if (!engine) throw std::runtime_error(error);
  const double begin = now(), load_before = load();
  Table table;
  bool any = false;
  for (const Group& group : groups(*engine)) {
    if (group.name.find(wanted) == std::string::npos) continue;
    fmt::print(stderr, "targets: {}\n", group.name);
    group.measure(table);
    any = true;
  }
  if (!any) return;
  fmt::print("What mbc sets out to reach. {}; {}; load {:.1f} before and {:.1f} after, {:.0f} s\n\n", processor(),
             cholmod_description(), load_before, load(), now() - begin);
  table.print();
}

}  // namespace
}  // namespace mbc::bench

int main(int argc, char** argv) {
  mbc::bench::keep_to_one_thread(argv);
  try {
    mbc::bench::run(mbc::bench::wanted_of(argc, argv));
    return 0;
  } catch (const std::exception& failed) {
    fmt::print(stderr, "{}\n", failed.what());
    return 1;
  }
}
