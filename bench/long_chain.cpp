// SPDX-License-Identifier: Apache-2.0
#include "bench/long_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/agreement.h"
#include "bench/chain_by_hand.h"
#include "bench/timing.h"
#include "compiler/pipeline.h"

namespace mbc::bench {
namespace {

constexpr int kTurns = 40;
constexpr int kPlacements = 3, kLongestPlaced = 1000;  // The placement of the arrays matters up to this number of rods.

std::string text_of(int rods) {
  return fmt::format(
      "mbd 1\ngravity (0, 0, -9.81)\nparticle p[i in 1..{0}](1) at (i, 0, 0)\nconstraint first: dist(ground, p[1]) == "
      "1\n"
      "constraint rod[i in 2..{0}]: dist(p[i-1], p[i]) == 1\nsimulate {{ time = 0 .. 1 step 0.001 }}\n",
      rods);
}

// Computes smooth directions and angular velocities of the rods. The chain is never straight.
void bend(int n, std::vector<double>& by_particle, std::vector<double>& by_axis) {
  double at[6] = {};
  for (int i = 0; i < n; ++i) {
    const double azimuth = 0.4 + 0.35 * i, slope = 0.6 * std::cos(0.9 * i);
    const double d[] = {std::cos(azimuth) * std::cos(slope), std::sin(azimuth) * std::cos(slope), std::sin(slope)};
    const double w[] = {0.15, 0.3 * std::sin(0.7 * i), 0.25};
    for (int k = 0; k < 3; ++k) {
      at[k] += d[k];
      at[3 + k] += w[(k + 1) % 3] * d[(k + 2) % 3] - w[(k + 2) % 3] * d[(k + 1) % 3];
      for (int level = 0; level < 2; ++level) {
        by_particle[static_cast<std::size_t>(3 * n * level + 3 * i + k)] = at[3 * level + k];
        by_axis[static_cast<std::size_t>(3 * n * level + n * k + i)] = at[3 * level + k];
      }
    }
  }
}

class Candidate {
 public:
  Candidate(int rods, jit::Engine& engine);
  [[nodiscard]] double difference() const { return difference_; }
  [[nodiscard]] bool laned() const { return laned_; }
  LongChainSeconds measure();

 private:
  std::int32_t call(kernel::KernelFunction f);
  void compare(kernel::KernelFunction f);

  int rods_;
  ChainByHand by_hand_;
  std::unique_ptr<jit::CompiledKernel> code_;
  kernel::KernelFunction rhs_ = nullptr, stage_ = nullptr, accepted_ = nullptr;
  bool laned_ = false;
  double difference_ = 0;
  std::vector<double> y_, dy_, by_axis_, rate_, work_, params_, inputs_, mask_;
};

Candidate::Candidate(int rods, jit::Engine& engine) : rods_(rods), by_hand_(rods) {
  const Compilation c = compile("chain.mbd", text_of(rods), {});
  kernel::Kernel kernel = c.formulated.kernel;
  std::erase_if(kernel.functions, [](const kernel::Function& f) {
    return f.name != "rhs" && f.name != "fast_rhs" && f.name != "fast_full";
  });
  std::string error;
  code_ = engine.compile(kernel, {}, error);
  if (!code_) throw std::runtime_error(error);
  laned_ = c.formulated.layout.laned;
  rhs_ = code_->function("rhs");
  stage_ = code_->function(kernel.function("fast_rhs") ? "fast_rhs" : "rhs");
  accepted_ = code_->function(kernel.function("fast_full") ? "fast_full" : "rhs");
  for (std::vector<double>* v : {&y_, &dy_, &by_axis_, &rate_}) v->resize(kernel.n_state);
  work_.resize(kernel.n_work);
  params_.resize(kernel.n_params + 1);
  inputs_.resize(kernel.n_inputs + 1);
  mask_.assign(kernel.n_mask, 1.0);
  bend(rods, y_, by_axis_);
  by_hand_(by_axis_.data(), rate_.data());
  for (const auto f : {rhs_, accepted_, stage_}) compare(f);
}

std::int32_t Candidate::call(kernel::KernelFunction f) {
  return f(0, y_.data(), params_.data(), inputs_.data(), mask_.data(), work_.data(), dy_.data());
}

void Candidate::compare(kernel::KernelFunction f) {
  const std::string name = fmt::format("chain of {} rods", rods_);
  if (call(f) != 0) throw std::runtime_error(name + ": not finite");
  Agreement agreement;
  for (int i = 0; i < rods_; ++i)
    for (int k = 0; k < 3; ++k)
      agreement.see(rate_[static_cast<std::size_t>(3 * rods_ + rods_ * k + i)],
                    dy_[static_cast<std::size_t>(3 * rods_ + 3 * i + k)]);
  difference_ = std::max(difference_, agreement.demand(name));
}

LongChainSeconds Candidate::measure() {
  const auto calls = [this](kernel::KernelFunction f) {
    return [this, f](int count) {
      for (int k = 0; k < count; ++k) call(f);
    };
  };
  const Work hand = [this](int count) {
    for (int k = 0; k < count; ++k) by_hand_(by_axis_.data(), rate_.data());
  };
  const std::vector<double> seconds = take_turns({hand, calls(stage_), calls(accepted_), calls(rhs_)}, kTurns);
  return {seconds[0], seconds[1], seconds[2], seconds[3]};
}

}  // namespace

LongChain measure_long_chain(int rods, jit::Engine& engine) {
  std::vector<std::unique_ptr<Candidate>> placed;  // All candidates stay alive, so that each has memory of its own.
  LongChain result{{1e300, 1e300, 1e300, 1e300}, 0, false};
  for (int k = 0; k < (rods <= kLongestPlaced ? kPlacements : 1); ++k) {
    placed.push_back(std::make_unique<Candidate>(rods, engine));
    const LongChainSeconds s = placed.back()->measure();
    for (const auto member :
         {&LongChainSeconds::by_hand, &LongChainSeconds::stage, &LongChainSeconds::accepted, &LongChainSeconds::rhs})
      result.seconds.*member = std::min(result.seconds.*member, s.*member);
    result.difference = std::max(result.difference, placed.back()->difference());
    result.laned = placed.back()->laned();
  }
  return result;
}

}  // namespace mbc::bench
