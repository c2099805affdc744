// Right-hand sides of small systems beside straight-line code written by hand (docs/benchmarks.md, "Small systems"):
// `lean` is what the stages of an integrator and Program::rhs call, `rhs` what is called at accepted states. Throughput
// (the same state in every call) and with dependent calls (each state has been touched by the result before). Least of
// many short turns, all subjects of a model taking turns; the ratio is that of the least times.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <stdexcept>

#include "bench/small_yardstick.h"
#include "bench/subject.h"

namespace mbc::bench {
namespace {

constexpr double kAgreement = 1e-12;
constexpr int kTurns = 60;
constexpr int kUntilLean = 110'000;  // calls after which the lean function has native code
constexpr double kTurnSeconds = 1e-3;

struct SmallModel {
  BenchModel model;
  SmallRhs by_hand;
};

std::vector<SmallModel> small_models() {
  const SmallRhs chains[] = {small_chain_1, small_chain_3, small_chain_10};
  const int counts[] = {1, 3, 10};
  std::vector<SmallModel> models;
  for (int k = 0; k < 3; ++k)
    models.push_back({{fmt::format("chain_{}", counts[k]), chain_text(counts[k], false), {}, counts[k], 0}, chains[k]});
  for (int k = 0; k < 3; ++k)
    models.push_back(
        {{fmt::format("chain_{} (params)", counts[k]), chain_with_params(counts[k]), {}, counts[k], 0}, chains[k]});
  models.push_back({{"rotary_pendulum", rotary_pendulum_text(), {}, 0, 0}, small_rotary_pendulum});
  models.push_back({{"sleigh", sleigh_text(), {}, 0, 0}, small_sleigh});
  for (const BenchModel& m : bench_models())
    if (m.name == "two_particles") models.push_back({m, small_two_particles});
  return models;
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Something that is timed: `work` does it `count` times.
struct Timed {
  std::function<void(int count)> work;
  int count = 1;
  double best = 1e9;  // seconds

  void calibrate() {
    for (double spent = 0; spent < kTurnSeconds; count *= 2) {
      const double begin = now();
      work(count);
      spent = now() - begin;
    }
  }
  void turn() {
    const double begin = now();
    work(count);
    best = std::min(best, (now() - begin) / count);
  }
};

void take_turns(std::vector<Timed>& all) {
  for (Timed& t : all) t.calibrate();
  for (int k = 0; k < kTurns; ++k)
    for (Timed& t : all) t.turn();
}

// Keeps the compiler from seeing through the arrays.
void touch(const double* values) { asm volatile("" : : "g"(values) : "memory"); }

class Measured {
 public:
  Measured(const SmallModel& small, jit::Engine* engine)
      : small_(small), subject_(small.model, engine), equations_(subject_.equations(true, runtime::SolveMode::fast)) {
    const std::vector<double>& y = subject_.state();
    std::vector<double> dy(y.size()), lean(y.size()), wanted(y.size());
    if (equations_.rhs(subject_.time(), y.data(), dy.data()) != 0) throw std::runtime_error("rhs is not finite");
    for (int k = 0; k < kUntilLean; ++k) has_lean_ = equations_.lean_rhs(subject_.time(), y.data(), lean.data());
    if (has_lean_ && std::memcmp(lean.data(), dy.data(), dy.size() * sizeof(double)) != 0)
      throw std::runtime_error("the lean function gives other bits");
    small.by_hand(subject_.time(), y.data(), wanted.data());
    double size = 1, error = 0;
    for (std::size_t i = 0; i < subject_.speeds_at() + subject_.speeds(); ++i) {
      size = std::max(size, std::fabs(wanted[i]));
      error = std::max(error, std::fabs(dy[i] - wanted[i]));
    }
    if (!(error <= kAgreement * size))
      throw std::runtime_error(fmt::format("{}: differs by {}", small.model.name, error));
  }

  void report() {
    fmt::print("| {} |", small_.model.name);
    for (const bool dependent : {false, true}) {
      const std::size_t n = subject_.speeds_at() + subject_.speeds();
      std::vector<Timed> all;
      const SmallRhs by_hand = small_.by_hand;
      all.push_back(timed(dependent, n, [by_hand](double t, const double* y, double* dy) { by_hand(t, y, dy); }));
      all.push_back(timed(dependent, n, [this](double t, const double* y, double* dy) { equations_.rhs(t, y, dy); }));
      all.push_back(
          timed(dependent, n, [this](double t, const double* y, double* dy) { equations_.lean_rhs(t, y, dy); }));
      if (!has_lean_) all.pop_back();
      take_turns(all);
      fmt::print(" {:.1f} | {:.1f} ({:.2f}) |", all[0].best * 1e9, all[1].best * 1e9, all[1].best / all[0].best);
      if (has_lean_)
        fmt::print(" {:.1f} ({:.2f}) |", all[2].best * 1e9, all[2].best / all[0].best);
      else
        fmt::print(" |");
    }
    fmt::print("\n");
  }

 private:
  template <class Rhs>
  Timed timed(bool dependent, std::size_t n, Rhs rhs) {
    std::vector<double> y = subject_.state(), dy(y.size());
    const double t = subject_.time();
    Timed result;
    if (dependent)
      result.work = [y, dy, n, t, rhs](int count) mutable {
        for (int k = 0; k < count; ++k) {
          rhs(t, y.data(), dy.data());
          for (std::size_t i = 0; i < n; ++i) y[i] += 1e-30 * dy[i];
          touch(y.data());
        }
      };
    else
      result.work = [y, dy, t, rhs](int count) mutable {
        for (int k = 0; k < count; ++k) {
          rhs(t, y.data(), dy.data());
          touch(dy.data());
        }
      };
    return result;
  }

  SmallModel small_;
  Subject subject_;
  runtime::Equations& equations_;
  bool has_lean_ = false;
};

// examples/two_particles.mbd, 1,000 steps: the loop by hand, and Program::simulate with only the last row recorded.
void report_run() {
  const BenchModel model = bench_models().front();
  Program program = Program::from_string(model.text, model.name);
  const std::vector<double> start = program.initial_state();
  RunOptions options;
  options.output_every = 1'000'000;
  for (int k = 0; k < 40; ++k) program.simulate(options, nullptr);
  double inside = 1e9;
  std::vector<Timed> all(2);
  all[0].work = [&](int count) {
    for (int k = 0; k < count; ++k) {
      std::vector<double> y = start;
      small_two_particles_run(0.005, 1000, y.data());
      touch(y.data());
    }
  };
  all[1].work = [&](int count) {
    for (int k = 0; k < count; ++k) inside = std::min(inside, program.simulate(options, nullptr).wall_seconds);
  };
  take_turns(all);
  fmt::print(
      "\n1,000 steps of two_particles: by hand {:.1f} us, Program::simulate {:.1f} us ({:.2f}), its loop {:.1f} us "
      "({:.2f})\n",
      all[0].best * 1e6, all[1].best * 1e6, all[1].best / all[0].best, inside * 1e6, inside / all[0].best);
}

// A part of the names; as the other programs of `./dev bench` are given it, or alone.
std::string wanted_of(std::string argument) {
  const std::string option = "--benchmark_filter=";
  if (argument.starts_with(option)) argument.erase(0, option.size());
  return argument == "." ? "" : argument;
}

int run(const std::string& wanted) {
  std::string error;
  const std::unique_ptr<jit::Engine> engine = jit::load_engine(error);
  if (!engine) throw std::runtime_error(error);
  fmt::print("| ns a call | by hand | rhs | lean | by hand, dependent | rhs | lean |\n|---|---|---|---|---|---|---|\n");
  for (const SmallModel& small : small_models())
    if (small.model.name.find(wanted) != std::string::npos) Measured(small, engine.get()).report();
  if (wanted.empty() || wanted == "run") report_run();
  return 0;
}

}  // namespace
}  // namespace mbc::bench

int main(int argc, char** argv) {
  try {
    return mbc::bench::run(mbc::bench::wanted_of(argc > 1 ? argv[1] : ""));
  } catch (const std::exception& failed) {
    fmt::print(stderr, "{}\n", failed.what());
    return 1;
  }
}
