// Copies in lanes: a step of eight members of a sweep beside eight copies by hand, and whole sweeps by lanes and member
// by member. Least of some repetitions in turn, wall time, on one core; states equal to 1e-12 before anything is timed.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "bench/copies_by_hand.h"
#include "compiler/formulate/step.h"
#include "compiler/pipeline.h"
#include "jit/engine.h"
#include "mbc/mbc.h"

namespace mbc::bench {
namespace {

constexpr int kCopies = 10'000, kSteps = 100;
constexpr double kStep = 1e-3;
constexpr std::uint32_t kLanes = formulate::kStepLanes;

const char* const kPendulums = R"(mbd 1
space 2
param a = 0.5 [rad]
gravity (0, -9.81)
particle p1(1) at (sin(a), -cos(a))
particle p2(1) at (sin(a) + sin(2*a), -cos(a) - cos(2*a))
constraint r1: dist((0, 0), p1) == 1
constraint r2: dist(p1, p2) == 1
simulate free { time = 0 .. 1 step 0.001
  stabilise = none }
simulate kept { time = 0 .. 1 step 0.001 }
)";

// A step as the batches of a sweep call it.
class Stepper {
 public:
  Stepper(const std::string& text, bool project, jit::Engine& engine) : compilation_(compile("copies.mbd", text, {})) {
    formulate::FormulateOptions options;
    options.step_parts = true;
    const formulate::Formulated made = formulate::formulate(compilation_.system, options);
    formulate::StepShape shape;
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
  [[nodiscard]] std::size_t entries() const { return step_.n_entries; }
  [[nodiscard]] std::size_t instructions() const { return step_.kernel.functions[0].blocks[0].code.size(); }

  // y: entries x kLanes
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
  formulate::StepFunction step_;
  std::unique_ptr<jit::CompiledKernel> code_;
  kernel::KernelFunction function_ = nullptr;
  std::vector<double> params_, work_, state_, next_;
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// 10,000 copies of different amplitude at rest, chunk by chunk.
std::vector<double> at_rest() {
  std::vector<double> y(kCopies * 8, 0.0);
  for (int c = 0; c < kCopies; ++c) {
    const double a = 0.1 + 1.5 * c / kCopies;
    const double at[] = {std::sin(a), -std::cos(a), std::sin(a) + std::sin(2 * a), -std::cos(a) - std::cos(2 * a)};
    for (int i = 0; i < 4; ++i) y[static_cast<std::size_t>(c / 8 * 64 + 8 * i + c % 8)] = at[i];
  }
  return y;
}

template <class Steps>
double nanoseconds(std::vector<double>& y, Steps&& steps) {
  y = at_rest();
  const double begin = now();
  for (int c = 0; c < kCopies / 8; ++c) steps(y.data() + std::ptrdiff_t{64} * c);
  return 1e9 * (now() - begin) / (double{kCopies} * kSteps);
}

void pendulums(jit::Engine& engine) {
  Stepper plain(kPendulums, false, engine), kept(kPendulums, true, engine);
  std::vector<double> by_hand, by_mbc;
  double least[3] = {1e300, 1e300, 1e300};
  for (int k = 0; k < 15; ++k) {
    least[0] = std::min(least[0], nanoseconds(by_hand, [](double* y) { double_pendulums_by_hand(y, kStep, kSteps); }));
    least[1] = std::min(least[1], nanoseconds(by_mbc, [&](double* y) { plain.steps(y, kSteps); }));
    double apart = 0;
    for (std::size_t i = 0; i < by_hand.size(); ++i) apart = std::max(apart, std::fabs(by_hand[i] - by_mbc[i]));
    if (!(apart <= 1e-12)) throw std::runtime_error(fmt::format("states differ by {}", apart));
    least[2] = std::min(least[2], nanoseconds(by_mbc, [&](double* y) { kept.steps(y, kSteps); }));
  }
  fmt::print("{} planar double pendulums, ns a copy and step of Runge and Kutta's method\n", kCopies);
  fmt::print("{:<34}{:>8.2f}\n", "by hand, eight lanes", least[0]);
  fmt::print("{:<34}{:>8.2f}{:>8.2f}  {} instructions\n", "mbc, stabilise = none", least[1], least[1] / least[0],
             plain.instructions());
  fmt::print("{:<34}{:>8.2f}{:>8.2f}  {} instructions\n", "mbc, stabilise = project", least[2], least[2] / least[0],
             kept.instructions());
}

// From the text to the last row.
void sweeps() {
  for (const char* simulation : {"free", "kept"}) {
    SweepOptions options;
    options.name = simulation;
    options.vary = {fmt::format("a = 0.1 .. 1.6 count {}", kCopies)};
    options.record = {"p2.x"};
    options.jobs = 1;
    double least = 1e300;
    for (int k = 0; k < 3; ++k) {
      const SweepResult r = sweep_text(kPendulums, "copies.mbd", options, {});
      if (r.failed != 0 || r.members != kCopies) throw std::runtime_error("members failed");
      least = std::min(least, r.wall_seconds);
    }
    fmt::print("{:<34}{:>8.2f}\n", fmt::format("sweep over {}, 1000 steps, all", simulation),
               1e9 * least / (double{kCopies} * 1000));
  }
}

}  // namespace
}  // namespace mbc::bench

int main() {
  std::string error;
  const auto engine = mbc::jit::load_engine(error);
  if (!engine) {
    fmt::print(stderr, "{}\n", error);
    return 1;
  }
  try {
    mbc::bench::pendulums(*engine);
    mbc::bench::sweeps();
  } catch (const std::exception& failure) {
    fmt::print(stderr, "{}\n", failure.what());
    return 1;
  }
  return 0;
}
