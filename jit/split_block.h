// SPDX-License-Identifier: Apache-2.0
// Long straight-line code is cut into parts, each a function of its own: LLVM's time is superlinear in the length of a
// basic block. Values that cross a cut travel through a scratch array of `slots` doubles; constants and loads from
// arrays that no kernel writes are repeated instead.
#pragma once
#include <cstdint>
#include <vector>

#include "kernel/kernel.h"

namespace mbc::jit {

inline constexpr std::uint32_t kPartLength = 2000;  // instructions

struct Crossing {
  std::uint32_t value = 0;  // number of the instruction
  std::uint32_t slot = 0;
};

struct Part {
  std::uint32_t begin = 0, end = 0;     // instructions
  std::vector<Crossing> loads, stores;  // in order of value
  std::vector<std::uint32_t> repeated;  // instructions of earlier parts to emit again
};

struct PartPlan {
  std::vector<Part> parts;
  std::uint32_t slots = 0;
};

PartPlan split_block(const kernel::Block& block, std::uint32_t length = kPartLength);

}  // namespace mbc::jit
