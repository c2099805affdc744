// SPDX-License-Identifier: Apache-2.0
// Measures one right-hand side by engine and compares it with a hand-written kernel (docs/benchmarks.md). Before the
// timing the accelerations of all engines are compared with those of the hand-written kernel.
//
//   by_hand, by_hand_dense   the kernels of yardstick.h
//   native                   the compiled kernel as the integrator calls it
//   native_mbc.h             the same kernel through Simulation::rhs, as a host calls it
//   interpreter              the interpreted kernel
//   robust, literal          rows assembled by native code, solved by Householder QR or by the formula of the paper
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include "bench/report.h"
#include "bench/subject.h"
#include "bench/yardstick.h"

namespace mbc::bench {
namespace {

constexpr double kAgreement = 1e-12;  // largest difference of accelerations, relative to the largest acceleration
constexpr int kRepetitions = 9;
constexpr double kSeconds = 0.02;  // least duration of each repetition

// A Measurement owns all objects that are timed for one model. It lives until the end of the program.
class Measurement {
 public:
  Measurement(const BenchModel& model, jit::Engine* engine)
      : model_(model), subject_(model, engine), hand_(hand_written(model)), dense_(hand_written_dense(model)) {
    std::vector<double> wanted(subject_.state().size());
    hand_->rhs(subject_.time(), subject_.state().data(), wanted.data());
    // Hand-written kernels have no work integrals, so their state ends after the speeds.
    const auto first = wanted.begin() + static_cast<std::ptrdiff_t>(subject_.speeds_at());
    wanted_.assign(first, first + static_cast<std::ptrdiff_t>(subject_.speeds()));
  }

  void add_all() {
    using runtime::SolveMode;
    add_yardstick("by_hand", *hand_);
    if (dense_) add_yardstick("by_hand_dense", *dense_);
    if (subject_.has_native()) {
      add_equations("native", true, SolveMode::fast);
      add("native_mbc.h", [this](double t, const double* y, double* dy) {
        const std::size_t size = subject_.state().size();
        return subject_.program().rhs(t, {y, size}, {dy, size}).ok() ? 0 : 1;
      });
    }
    add_equations("interpreter", false, SolveMode::fast);
    add_equations("robust", subject_.has_native(), SolveMode::robust);
    add_equations("literal", subject_.has_native(), SolveMode::literal);
  }

 private:
  void add_yardstick(const std::string& engine, Yardstick& yardstick) {
    add(engine, [&yardstick](double t, const double* y, double* dy) {
      yardstick.rhs(t, y, dy);
      return 0;
    });
  }

  void add_equations(const std::string& engine, bool native, runtime::SolveMode mode) {
    runtime::Equations& equations = subject_.equations(native, mode);
    add(engine,
        [&equations](double t, const double* y, double* dy) { return static_cast<int>(equations.rhs(t, y, dy)); });
  }

  template <typename Rhs>
  void add(const std::string& engine, Rhs rhs) {
    std::vector<double> dy(subject_.state().size());
    check(engine, rhs(subject_.time(), subject_.state().data(), dy.data()), dy);
    const auto loop = [this, rhs, dy](benchmark::State& state) mutable {
      const double t = subject_.time();
      const double* y = subject_.state().data();
      for (auto unused : state) {
        static_cast<void>(unused);
        rhs(t, y, dy.data());
        benchmark::ClobberMemory();
      }
    };
    benchmark::RegisterBenchmark((model_.name + "/" + engine).c_str(), loop)
        ->Repetitions(kRepetitions)
        ->MinTime(kSeconds);
  }

  void check(const std::string& engine, int status, const std::vector<double>& dy) const {
    double size = 1, error = 0;
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      size = std::max(size, std::fabs(wanted_[i]));
      error = std::max(error, std::fabs(dy[subject_.speeds_at() + i] - wanted_[i]));
    }
    if (status != 0 || !(error <= kAgreement * size))
      throw std::runtime_error(
          fmt::format("{}: the accelerations of `{}` differ from those by hand by {:.3g} of {:.3g}", model_.name,
                      engine, error, size));
  }

  BenchModel model_;
  Subject subject_;
  std::unique_ptr<Yardstick> hand_, dense_;
  std::vector<double> wanted_;
};

std::unique_ptr<jit::Engine> native_engine() {
#ifdef MBC_HAVE_JIT
  std::string error;
  std::unique_ptr<jit::Engine> engine = jit::load_engine(error);
  if (!engine) fmt::print(stderr, "no native code: {}\n", error);
  return engine;
#else
  return nullptr;
#endif
}

int run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const std::unique_ptr<jit::Engine> engine = native_engine();
  std::vector<std::unique_ptr<Measurement>> measurements;
  for (const BenchModel& model : bench_models()) {
    measurements.push_back(std::make_unique<Measurement>(model, engine.get()));
    measurements.back()->add_all();
  }
  TableReporter reporter("by_hand");
  if (benchmark::RunSpecifiedBenchmarks(&reporter) > 0) reporter.print_table();
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
