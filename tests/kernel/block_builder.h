// SPDX-License-Identifier: Apache-2.0
// Builds kernel blocks by hand for tests. Each call appends one instruction and returns the number of its value.
#pragma once
#include <cstdint>
#include <memory>
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
  // For a table, b and c select the table and its derivative.
  Value op(kernel::Op op, Value a, Value b = 0, Value c = 0) {
    if (op == kernel::Op::table) return table(a, b % 4, c % 4);
    return push({.kind = kernel::Inst::Kind::op, .op = op, .a = a, .b = b, .c = c});
  }
  Value table(Value a, std::uint32_t which, std::uint32_t order) {
    if (block_.tables.empty()) block_.tables = some_tables();
    return push({.kind = kernel::Inst::Kind::table, .op = kernel::Op::table, .a = a, .b = which, .c = order});
  }
  void instances(std::uint32_t count, std::uint32_t columns, std::vector<std::uint32_t> table) {
    block_.count = count;
    block_.columns = columns;
    block_.table = {count, columns, [&](std::uint32_t k, std::uint32_t c) { return table.at(k * columns + c); }};
  }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(block_.code.size()); }
  kernel::Block& block() { return block_; }

 private:
  static kernel::DataTables some_tables() {
    using Method = kernel::DataTable::Method;
    using Beyond = kernel::DataTable::Beyond;
    const std::vector<double> x{-2, -0.5, 0.25, 1, 3}, even{-1, 0, 1, 2}, y{1, -0.3, 2, 2.5, -1}, z{0.5, 3, -1, 0};
    const auto made = [](const auto& at, const auto& values, Method m, Beyond b) {
      return std::make_shared<const kernel::DataTable>(at, values, m, b);
    };
    return {made(x, y, Method::linear, Beyond::line), made(x, y, Method::cubic, Beyond::hold),
            made(even, z, Method::cubic, Beyond::line), made(even, z, Method::hold, Beyond::hold)};
  }

  Value push(const kernel::Inst& inst) {
    const std::uint32_t number = size();
    block_.code.push_back(inst);
    block_.origin.push_back({0, number, number + 1});  // The place lets a test tell the instructions apart.
    return number;
  }

  kernel::Block block_;
};

// Appends the block and the step that runs it.
inline void add_block(kernel::Function& function, kernel::Block block) {
  function.steps.push_back({true, static_cast<std::uint32_t>(function.blocks.size())});
  function.blocks.push_back(std::move(block));
}
inline void add_call(kernel::Function& function, kernel::RoutineCall call) {
  function.steps.push_back({false, static_cast<std::uint32_t>(function.calls.size())});
  function.calls.push_back(std::move(call));
}

}  // namespace mbc::test
