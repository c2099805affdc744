// SPDX-License-Identifier: Apache-2.0
// Measures the cost of compiling stage by stage, and of a whole `mbc run` of the example from start to exit
// (docs/benchmarks.md). The first compilation of the process, which maps LLVM, is reported separately.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <regex>

#include "bench/first_step.h"
#include "bench/models.h"
#include "bench/process.h"
#include "mbc/mbc.h"

namespace mbc::bench {
namespace {

constexpr int kCompilations = 15;
constexpr int kProcesses = 30;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

double least(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::min_element(values.begin(), values.end());
}

struct Stages {
  std::vector<std::string> names;                      // names in order
  std::map<std::string, std::vector<double>> seconds;  // one value for each compilation
};

// Compiles the model from its text and evaluates the first right-hand side.
double compile_once(const BenchModel& model, Stages& stages) {
  CompileOptions options;
  options.native_at_once = true;
  options.cache = false;
  Simulation program = Simulation::create(Model::from_string(model.text, model.name, options)).value();
  std::vector<double> y = program.initial_state(), dy(y.size());
  program.rhs(model.run_to, y, dy).value();
  double total = 0;
  for (const StageTime& s : program.model().stage_times()) {
    if (s.background) continue;
    // The name of the function is removed, because only rhs is compiled here.
    const std::string name = s.name.substr(0, s.name.find(" ("));
    if (std::find(stages.names.begin(), stages.names.end(), name) == stages.names.end()) stages.names.push_back(name);
    stages.seconds[name].push_back(s.seconds);
    total += s.seconds;
  }
  return total;
}

class CompileTable {
 public:
  void measure(const BenchModel& model) {
    const auto loop = [this, model](benchmark::State& state) {
      std::vector<double> totals;
      for (auto unused : state) {
        static_cast<void>(unused);
        totals.push_back(compile_once(model, stages_[model.name]));
        state.SetIterationTime(totals.back());
      }
      totals_[model.name] = totals;
      order_.push_back(model.name);
    };
    benchmark::RegisterBenchmark(("compile/" + model.name).c_str(), loop)
        ->Iterations(kCompilations)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }

  void print() const {
    if (order_.empty()) return;
    const std::vector<std::string>& names = stages_.at(order_.front()).names;
    fmt::print("\ntext to native right-hand side, ms (least of {})\n{:<14}", kCompilations, "model");
    for (const std::string& name : names) fmt::print(" {:>{}}", name, width(name));
    fmt::print(" {:>8}\n", "total");
    for (const std::string& model : order_) {
      fmt::print("{:<14}", model);
      for (const std::string& name : names) {
        const auto found = stages_.at(model).seconds.find(name);
        const double seconds = found != stages_.at(model).seconds.end() ? least(found->second) : 0;
        fmt::print(" {:>{}.3f}", 1e3 * seconds, width(name));
      }
      fmt::print(" {:>8.3f}\n", 1e3 * least(totals_.at(model)));
    }
  }

 private:
  static std::size_t width(const std::string& name) { return std::max<std::size_t>(name.size(), 8); }

  std::map<std::string, Stages> stages_;
  std::map<std::string, std::vector<double>> totals_;
  std::vector<std::string> order_;
};

class ProcessTable {
 public:
  void measure_all() {
    const std::string model = example_path("two_particles.mbd"), out = output_.path();
    measure("mbc --version", {"--version"});
    measure("mbc check FILE", {"check", model});
    measure("mbc run FILE -o OUT", {"run", model, "-o", out});
    measure("mbc run FILE -o OUT --interpret", {"run", model, "-o", out, "--interpret"});
    measure("mbc run FILE -o OUT --native --no-cache", {"run", model, "-o", out, "--native", "--no-cache"});
    measure("mbc run FILE -o OUT --native", {"run", model, "-o", out, "--native"});
  }

  void print() const {
    if (rows_.empty()) return;
    fmt::print("\nwhole process, ms ({} each; FILE is examples/two_particles.mbd)\n", kProcesses);
    fmt::print("{:<42} {:>11} {:>10} {:>14}\n", "command", "median wall", "best wall", "median cpu");
    for (const Row& row : rows_)
      fmt::print("{:<42} {:>11.1f} {:>10.1f} {:>14.1f}\n", row.command, 1e3 * median(row.wall), 1e3 * least(row.wall),
                 1e3 * median(row.processor));
  }

 private:
  struct Row {
    std::string command;
    std::vector<double> wall, processor;
  };

  void measure(const std::string& command, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), program_folder() + "/mbc");
    const auto loop = [this, command, arguments](benchmark::State& state) {
      Row row{command, {}, {}};
      for (auto unused : state) {
        static_cast<void>(unused);
        const ProcessTime time = time_process(arguments);
        if (time.status != 0) {
          state.SkipWithError("the program failed");
          return;
        }
        state.SetIterationTime(time.wall);
        row.wall.push_back(time.wall);
        row.processor.push_back(time.processor);
      }
      rows_.push_back(std::move(row));
    };
    const std::string name = "process/" + std::regex_replace(command, std::regex(" "), "_");
    benchmark::RegisterBenchmark(name.c_str(), loop)
        ->Iterations(kProcesses)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }

  TemporaryFile output_{".csv"};
  std::vector<Row> rows_;
};

// Prints the times of the first native compilation in the process.
void print_first() {
  Stages first;
  compile_once(bench_models().front(), first);
  fmt::print("first compilation of the process (two_particles), ms:");
  for (const std::string& name : first.names) fmt::print(" {} {:.3f};", name, 1e3 * first.seconds[name].front());
  fmt::print("\n");
}

void print_first_steps() {
  fmt::print("\ncompile to the first right-hand side, ms (least; LLVM is in memory)\n");
  fmt::print("{:<28} {:>10} {:>12} {:>14} {:>14}\n", "model", "to kernel", "interpreted", "native, cold", "from cache");
  for (const FirstStep& s : measure_first_steps())
    fmt::print("{:<28} {:>10.1f} {:>12.1f} {:>14.1f} {:>14.1f}\n", s.name, 1e3 * s.kernel, 1e3 * s.interpreted,
               1e3 * s.native, 1e3 * s.cached);
}

int run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  print_first();
  CompileTable compiling;
  for (const BenchModel& model : bench_models()) compiling.measure(model);
  ProcessTable processes;
  processes.measure_all();
  {
    const TemporaryCache cache;
    benchmark::RunSpecifiedBenchmarks();
  }
  compiling.print();
  processes.print();
  print_first_steps();
  benchmark::Shutdown();
  return 0;
}

}  // namespace
}  // namespace mbc::bench

int main(int argc, char** argv) {
  try {
    return mbc::bench::run(argc, argv);
  } catch (const std::exception& failed) {
    fmt::print(stderr, "{}\n", failed.what());
    return 1;
  }
}
