// SPDX-License-Identifier: Apache-2.0
// The slot in which native code of a kernel function appears while the function is being interpreted, and the number of
// calls from which compiling pays. Both engines give the same bits, so the calls may change over at any time.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>

#include "kernel/kernel.h"

namespace mbc::kernel {

// Null until the code is there; null for ever if there will be none.
using NativeSlot = std::atomic<KernelFunction>;

// Starts to compile a function while its caller goes on. The function does not have to outlive the call.
using NativeStarter = std::function<std::shared_ptr<const NativeSlot>(const Function&)>;

struct EnginesUsed {
  bool native = false, interpreter = false;
};

struct FunctionSize {
  std::uint64_t code = 0;      // instructions to be compiled
  std::uint64_t executed = 0;  // by one call
};

inline FunctionSize size_of(const Function& f) {
  FunctionSize out;
  for (const Block& b : f.blocks) {
    out.code += b.code.size();
    out.executed += std::uint64_t{b.code.size()} * b.count * b.lanes;
  }
  return out;
}

// The number of interpreted calls that take as long as compiling the function, in orders of magnitude: nanoseconds
// measured on the models of bench/ (1.5 ns an instruction interpreted, 20 us an instruction compiled). A run that makes
// fewer calls ends before its code is there. A run that does not know its number of calls wastes at most half of them
// by waiting.
inline std::uint32_t calls_worth_compiling(const FunctionSize& size, bool open_back_end) {
  constexpr double kInterpreted = 1.5, kCompiled = 20e3, kFewest = 1e6, kOpened = 15e6;
  const double compile = kFewest + kCompiled * static_cast<double>(size.code) + (open_back_end ? kOpened : 0);
  const double calls = compile / (20 + kInterpreted * static_cast<double>(size.executed));
  return static_cast<std::uint32_t>(std::clamp(calls, 2.0, 1e9));
}

}  // namespace mbc::kernel
