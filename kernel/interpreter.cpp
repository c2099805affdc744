// SPDX-License-Identifier: Apache-2.0
// The plain interpreter: one switch per instruction, instances in order.
#include "kernel/interpreter.h"

#include <algorithm>
#include <cmath>

#include "kernel/routines.h"

namespace mbc::kernel {
namespace {

void run_instance(const Block& block, const std::uint32_t* row, std::uint32_t lane, const Spaces& spaces,
                  double* values) {
  const Inst* code = block.code.data();
  const std::size_t size = block.code.size();
  for (std::size_t i = 0; i < size; ++i) {
    const Inst& inst = code[i];
    if (inst.kind == Inst::Kind::op)  // most of them
      values[i] = apply(inst.op, values[inst.a], values[inst.b], values[inst.c]);
    else
      execute(block, i, place_of(inst, row, lane), spaces, values);
  }
}

// Returns whether the gate of an instance is shut, and then stores the numbers of its stores.
bool shut(const Block& block, const std::uint32_t* row, const Spaces& spaces) {
  if (!block.gate || spaces.read(Space::inputs)[row[*block.gate]] != 0) return false;
  for (const Block::Off& off : block.off) {
    const Inst& store = block.code[off.store];
    spaces.write(store.space)[place_of(store, row, 0)] = off.value;
  }
  return true;
}

// A NaN passes: its cause shows in deriv.
bool guards_hold(const Function& function, const double* work) {
  for (std::uint32_t k = function.guard_begin; k < function.guard_end; ++k)
    if (work[k] <= 0) return false;
  return true;
}

}  // namespace

Registers make_registers(const Kernel& kernel) {
  std::size_t size = 1, columns = 1;
  for (const Function& function : kernel.functions)
    for (const Block& block : function.blocks) {
      size = std::max(size, block.code.size());
      columns = std::max(columns, std::size_t{block.columns});
    }
  return {std::vector<double>(size, 0.0), std::vector<double>(size, 0.0), std::vector<std::uint32_t>(columns, 0)};
}

std::int32_t check_finite(const Function& function, const double* deriv) {
  for (std::uint32_t k = function.check_begin; k < function.check_end; ++k)
    if (!std::isfinite(deriv[k])) return static_cast<std::int32_t>(k + 1);
  return 0;
}

std::int32_t interpret(const Function& function, double t, const double* state, const double* params,
                       const double* inputs, const double* mask, double* work, double* deriv, Registers& registers) {
  const Spaces spaces({t, state, params, inputs, mask, work, deriv});
  for (const Step& step : function.steps) {
    if (!step.is_block) {
      const std::int32_t status = call_routine(function.calls[step.index], mask, work);
      if (status != 0) return status;
      continue;
    }
    const Block& block = function.blocks[step.index];
    RowByRow rows(block.table, registers.row.data(), step.begin());
    for (std::uint32_t i = step.begin(); i < step.end(block); ++i, rows.next()) {
      if (shut(block, rows.row(), spaces)) continue;
      for (std::uint32_t lane = 0; lane < block.lanes; ++lane)
        run_instance(block, rows.row(), lane, spaces, registers.values.data());
    }
  }
  const std::int32_t status = check_finite(function, deriv);
  if (function.guard_begin == function.guard_end) return status;
  return status == 0 && guards_hold(function, work) ? 0 : kGaveUp;
}

}  // namespace mbc::kernel
