// SPDX-License-Identifier: Apache-2.0
// Measures the cost of the interface to C (docs/benchmarks.md, "Programs that use the library"): the time from a file
// to the first derivative, and a native right-hand side as the plain function and with its checks. mbc_bench_rhs
// measures the machine code of the same functions alone.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "mbc/mbc_c.h"

namespace {

struct Host {
  mbc_model* model = nullptr;
  mbc_simulation* simulation = nullptr;
  std::vector<double> y, dy;

  Host(const char* example, mbc_engine engine) {
    mbc_compile_options options{};
    options.size = sizeof options;
    options.engine = engine;
    model = mbc_model_from_file((std::string(MBC_EXAMPLES_DIR "/") + example + ".mbd").c_str(), &options);
    simulation = mbc_simulation_new(model, nullptr);
    y.resize(mbc_model_state_size(model));
    dy.resize(y.size());
    mbc_state(simulation, y.data(), y.size());
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  ~Host() {
    mbc_simulation_free(simulation);
    mbc_model_free(model);
  }
  mbc_code rhs(double t) { return mbc_rhs(simulation, t, y.data(), dy.data(), y.size()); }
};

void first_derivative(benchmark::State& state, const char* example) {
  for (auto unused : state) {
    (void)unused;
    Host host(example, MBC_ENGINE_INTERPRETER);
    if (host.rhs(0) != MBC_OK) state.SkipWithError(mbc_simulation_message(host.simulation));
  }
}

// After this number of calls all native code is available.
constexpr int kWarm = 300'000;

void plain(benchmark::State& state, const char* example) {
  Host host(example, MBC_ENGINE_NATIVE);
  mbc_plain_rhs f{};
  f.size = sizeof f;
  if (mbc_rhs_function(host.simulation, &f) != MBC_OK) return state.SkipWithError("no function");
  for (int k = 0; k < kWarm; ++k) f.call(f.context, 0, host.y.data(), host.dy.data());
  for (auto unused : state) {
    (void)unused;
    benchmark::DoNotOptimize(f.call(f.context, 0, host.y.data(), host.dy.data()));
  }
}

void checked(benchmark::State& state, const char* example) {
  Host host(example, MBC_ENGINE_NATIVE);
  for (int k = 0; k < kWarm; ++k) host.rhs(0);
  for (auto unused : state) {
    (void)unused;
    benchmark::DoNotOptimize(host.rhs(0));
  }
  state.counters["states"] = static_cast<double>(host.y.size());
}

BENCHMARK_CAPTURE(first_derivative, spherical_pendulum, "spherical_pendulum")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(first_derivative, double_four_bar, "double_four_bar")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(plain, spherical_pendulum, "spherical_pendulum");
BENCHMARK_CAPTURE(checked, spherical_pendulum, "spherical_pendulum");
BENCHMARK_CAPTURE(plain, double_four_bar, "double_four_bar");
BENCHMARK_CAPTURE(checked, double_four_bar, "double_four_bar");

}  // namespace

BENCHMARK_MAIN();
