// SPDX-License-Identifier: Apache-2.0
// Writes kernel blocks by hand, for tests: each call appends one instruction and returns the number of its value.
#pragma once
#include <cstdint>
#include <string>
#include <utility>

#include "kernel/kernel.h"

namespace mbc::test {

class BlockBuilder {
 public:
  using Value = std::uint32_t;

  explicit BlockBuilder(std::string name) { block_.name = std::move(name); }

  Value constant(double value) {
    block_.constants.push_back(value);
    return push({.kind = kernel::Inst::Kind::constant, .a = static_cast<std::uint32_t>(block_.constants.size() - 1)});
  }
  Value load(kernel::Space space, std::uint32_t index, bool indexed = false) {
    return push({.kind = kernel::Inst::Kind::load, .space = space, .indexed = indexed, .b = index});
  }
  void store(kernel::Space space, std::uint32_t index, Value value, bool indexed = false) {
    push({.kind = kernel::Inst::Kind::store, .space = space, .indexed = indexed, .a = value, .b = index});
  }
  Value op(kernel::Op op, Value a, Value b = 0, Value c = 0) {
    return push({.kind = kernel::Inst::Kind::op, .op = op, .a = a, .b = b, .c = c});
  }
  void instances(std::uint32_t count, std::uint32_t columns, std::vector<std::uint32_t> table) {
    block_.count = count;
    block_.columns = columns;
    block_.table = {count, columns, [&](std::uint32_t k, std::uint32_t c) { return table.at(k * columns + c); }};
  }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(block_.code.size()); }
  kernel::Block& block() { return block_; }

 private:
  Value push(const kernel::Inst& inst) {
    const std::uint32_t number = size();
    block_.code.push_back(inst);
    block_.origin.push_back({0, number, number + 1});  // so that a test can tell the instructions apart
    return number;
  }

  kernel::Block block_;
};

// Appends the block, and the step that runs it.
inline void add_block(kernel::Function& function, kernel::Block block) {
  function.steps.push_back({true, static_cast<std::uint32_t>(function.blocks.size())});
  function.blocks.push_back(std::move(block));
}
inline void add_call(kernel::Function& function, kernel::RoutineCall call) {
  function.steps.push_back({false, static_cast<std::uint32_t>(function.calls.size())});
  function.calls.push_back(std::move(call));
}

}  // namespace mbc::test
