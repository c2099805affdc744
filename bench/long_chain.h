// Long chains by mbc beside the chain by hand in eight lanes, on one state: what bench/lanes.cpp and bench/targets.cpp
// time.
#pragma once
#include <memory>
#include <vector>

#include "bench/chain_by_hand.h"
#include "compiler/pipeline.h"
#include "jit/engine.h"

namespace mbc::bench {

// A call of `stage`, which the inner stages of an integrator make; of `stage_full`, which accepted states make where
// all rows stand apart (where there is none: `rhs`); and of `rhs`.
struct LongChainSeconds {
  double by_hand = 0, stage = 0, accepted = 0, rhs = 0;
};

class LongChain {
 public:
  // Throws when the accelerations are not those by hand.
  LongChain(int rods, jit::Engine& engine);
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

}  // namespace mbc::bench
