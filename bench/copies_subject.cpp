// SPDX-License-Identifier: Apache-2.0
#include "bench/copies_subject.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/agreement.h"
#include "bench/copies_by_hand.h"
#include "bench/timing.h"
#include "compiler/formulate/steps/step.h"
#include "compiler/pipeline.h"

namespace mbc::bench {

const char* const kDoublePendulums = R"(mbd 1
space 2
param a = 0.5 [rad]
gravity (0, -9.81)
particle p1(1) at (sin(a), -cos(a))
particle p2(1) at (sin(a) + sin(2*a), -cos(a) - cos(2*a))
constraint r1: dist((0, 0), p1) == 1
constraint r2: dist(p1, p2) == 1
simulate free { time = 0 .. 1 step 0.001; integrator = rk4
  stabilise = none }
simulate kept { time = 0 .. 1 step 0.001; integrator = rk4 }
)";

namespace {

constexpr int kSteps = 100, kTurns = 15;
constexpr double kStep = 1e-3;
constexpr std::uint32_t kLanes = kernel::kStepLanes;

// A Stepper makes steps as the batches of a sweep do.
class Stepper {
 public:
  Stepper(const std::string& text, bool project, jit::Engine& engine) : compilation_(compile("copies.mbd", text, {})) {
    formulate::FormulateOptions options;
    options.step_parts = true;
    const formulate::Formulated made = formulate::formulate(compilation_.system, options);
    kernel::StepShape shape;
    shape.project = project;
    for (std::uint32_t j = 0; j < made.layout.n_speeds; ++j) shape.coordinate_of_speed.push_back(j);
    step_ = formulate::rk4_in_lanes(made.kernel, made.layout, shape).value();
    std::string error;
    code_ = engine.compile(step_.kernel, {}, error);
    if (!code_) throw std::runtime_error(error);
    function_ = code_->function("step");
    params_.resize(step_.kernel.n_params);
    params_[step_.half] = kStep / 2;
    params_[step_.whole] = kStep;
    work_.resize(step_.kernel.n_work);
    state_.resize(step_.kernel.n_state);
    next_.resize(step_.kernel.n_state);
  }
  [[nodiscard]] std::size_t instructions() const { return step_.kernel.functions[0].blocks[0].code.size(); }

  // y holds kLanes values of each entry.
  void steps(double* y, int count) {
    const std::size_t size = step_.n_entries * kLanes;
    std::memcpy(state_.data(), y, size * sizeof(double));
    for (int n = 0; n < count; ++n) {
      if (function_(n * kStep, state_.data(), params_.data(), nullptr, nullptr, work_.data(), next_.data()) != 0)
        throw std::runtime_error("a lane gave up");
      std::swap(state_, next_);
    }
    std::memcpy(y, state_.data(), size * sizeof(double));
  }

 private:
  Compilation compilation_;
  kernel::StepFunction step_;
  std::unique_ptr<jit::CompiledKernel> code_;
  kernel::KernelFunction function_ = nullptr;
  std::vector<double> params_, work_, state_, next_;
};

// Returns the states of 10,000 copies at rest with different amplitudes, in chunks of eight.
std::vector<double> at_rest() {
  std::vector<double> y(kCopies * 8, 0.0);
  for (int c = 0; c < kCopies; ++c) {
    const double a = 0.1 + 1.5 * c / kCopies;
    const double at[] = {std::sin(a), -std::cos(a), std::sin(a) + std::sin(2 * a), -std::cos(a) - std::cos(2 * a)};
    for (int i = 0; i < 4; ++i) y[static_cast<std::size_t>(c / 8 * 64 + 8 * i + c % 8)] = at[i];
  }
  return y;
}

// Returns the seconds for one step of one copy.
template <class Steps>
double seconds(std::vector<double>& y, Steps&& steps) {
  y = at_rest();
  const double begin = now();
  for (int c = 0; c < kCopies / 8; ++c) steps(y.data() + std::ptrdiff_t{64} * c);
  return (now() - begin) / (double{kCopies} * kSteps);
}

}  // namespace

CopiesSeconds measure_copies(jit::Engine& engine) {
  Stepper none(kDoublePendulums, false, engine), project(kDoublePendulums, true, engine);
  CopiesSeconds result{1e300, 1e300, 1e300, none.instructions(), project.instructions(), 0};
  std::vector<double> by_hand, by_mbc;
  for (int k = 0; k < kTurns; ++k) {
    result.by_hand =
        std::min(result.by_hand, seconds(by_hand, [](double* y) { double_pendulums_by_hand(y, kStep, kSteps); }));
    result.none = std::min(result.none, seconds(by_mbc, [&](double* y) { none.steps(y, kSteps); }));
    Agreement agreement;
    agreement.see(by_hand.data(), by_mbc.data(), by_hand.size());
    result.difference = agreement.demand("double pendulums");
    result.project = std::min(result.project, seconds(by_mbc, [&](double* y) { project.steps(y, kSteps); }));
  }
  return result;
}

}  // namespace mbc::bench
