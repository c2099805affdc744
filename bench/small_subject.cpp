// SPDX-License-Identifier: Apache-2.0
#include "bench/small_subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "bench/agreement.h"
#include "bench/timing.h"

namespace mbc::bench {
namespace {

constexpr int kUntilStage = 110'000;  // After this number of calls `fast_rhs` has native code.
constexpr int kUntilNative = 40;      // After this number of runs of two_particles all its functions have native code.

// Returns repeated calls of a right-hand side. n is the number of entries that describe the motion.
template <class Rhs>
Work calls(const Subject& subject, bool dependent, Rhs rhs) {
  std::vector<double> y = subject.state(), dy(y.size());
  const double t = subject.time();
  const std::size_t n = subject.speeds_at() + subject.speeds();
  if (dependent)
    return [y, dy, n, t, rhs](int count) mutable {
      for (int k = 0; k < count; ++k) {
        rhs(t, y.data(), dy.data());
        for (std::size_t i = 0; i < n; ++i) y[i] += 1e-30 * dy[i];
        touch(y.data());
      }
    };
  return [y, dy, t, rhs](int count) mutable {
    for (int k = 0; k < count; ++k) {
      rhs(t, y.data(), dy.data());
      touch(dy.data());
    }
  };
}

}  // namespace

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

SmallSubject::SmallSubject(const SmallModel& small, jit::Engine* engine)
    : small_(small), subject_(small.model, engine), equations_(subject_.equations(true, runtime::SolveMode::fast)) {
  const std::vector<double>& y = subject_.state();
  std::vector<double> dy(y.size()), stage(y.size()), wanted(y.size());
  if (equations_.rhs(subject_.time(), y.data(), dy.data()) != 0) throw std::runtime_error("rhs is not finite");
  for (int k = 0; k < kUntilStage; ++k) has_stage_ = equations_.fast_rhs(subject_.time(), y.data(), stage.data());
  if (has_stage_ && std::memcmp(stage.data(), dy.data(), dy.size() * sizeof(double)) != 0)
    throw std::runtime_error(name() + ": `fast_rhs` gives other bits");
  small.by_hand(subject_.time(), y.data(), wanted.data());
  Agreement agreement;
  agreement.see(wanted.data(), dy.data(), subject_.speeds_at() + subject_.speeds());
  difference_ = agreement.demand(name());
}

SmallSeconds SmallSubject::measure(bool dependent) {
  std::vector<Work> all;
  const SmallRhs by_hand = small_.by_hand;
  all.push_back(calls(subject_, dependent, [by_hand](double t, const double* y, double* dy) { by_hand(t, y, dy); }));
  all.push_back(
      calls(subject_, dependent, [this](double t, const double* y, double* dy) { equations_.rhs(t, y, dy); }));
  if (has_stage_)
    all.push_back(
        calls(subject_, dependent, [this](double t, const double* y, double* dy) { equations_.fast_rhs(t, y, dy); }));
  const std::vector<double> seconds = take_turns(all);
  SmallSeconds result{seconds[0], seconds[1], std::nullopt};
  if (has_stage_) result.stage = seconds[2];
  return result;
}

LoopSeconds measure_two_particles_loop() {
  const BenchModel model = bench_models().front();
  Simulation program = Simulation::create(Model::from_string(model.text, model.name)).value();
  const std::vector<double> start = program.initial_state();
  RunOptions options;
  options.output_every = 1'000'000;
  for (int k = 0; k < kUntilNative; ++k) program.run(options, nullptr);
  std::vector<double> by_hand;
  const auto run_by_hand = [&] {
    by_hand = start;
    small_two_particles_run(0.005, 1000, by_hand.data());
  };
  LoopSeconds result;
  run_by_hand();
  Agreement agreement;
  agreement.see(by_hand.data(), program.run(options, nullptr).state.data(), 12);
  result.difference = agreement.demand("1,000 steps of two_particles");
  result.loop = 1e300;
  const Work hand_loop = [&](int count) {
    for (int k = 0; k < count; ++k) {
      run_by_hand();
      touch(by_hand.data());
    }
  };
  const Work mbc_loop = [&](int count) {
    for (int k = 0; k < count; ++k) result.loop = std::min(result.loop, program.run(options, nullptr).wall_seconds);
  };
  const std::vector<double> seconds = take_turns({hand_loop, mbc_loop});
  result.by_hand = seconds[0];
  result.simulate = seconds[1];
  return result;
}

}  // namespace mbc::bench
