// SPDX-License-Identifier: Apache-2.0
// verify() checks every rule of kernel/kernel.h once per kernel, so that interpreter and emitter check nothing.
#include <fmt/format.h>

#include <iterator>

#include "base/check.h"
#include "kernel/interpreter.h"
#include "kernel/routines.h"
#include "kernel/space_name.h"

namespace mbc::kernel {
namespace {

std::uint32_t space_size(const Kernel& kernel, Space space) {
  switch (space) {
    case Space::time:
      return 1;
    case Space::state:
    case Space::deriv:
      return kernel.n_state;
    case Space::params:
      return kernel.n_params;
    case Space::inputs:
      return kernel.n_inputs;
    case Space::mask:
      return kernel.n_mask;
    case Space::work:
      return kernel.n_work;
  }
  return 0;
}

class BlockCheck {
 public:
  BlockCheck(const Kernel& kernel, const Block& block) : kernel_(kernel), block_(block) {}

  std::string run() const {
    if (block_.columns > 0 && (block_.table.rows() != block_.count || block_.table.columns() != block_.columns))
      return fmt::format("its table is {} x {}, not {} x {}", block_.table.rows(), block_.table.columns(), block_.count,
                         block_.columns);
    if (!block_.origin.empty() && block_.origin.size() != block_.code.size())
      return fmt::format("it has {} origins for {} instructions", block_.origin.size(), block_.code.size());
    for (std::size_t i = 0; i < block_.code.size(); ++i)
      if (std::string wrong = instruction(i); !wrong.empty()) return fmt::format("instruction {}: {}", i, wrong);
    return gate();
  }

 private:
  std::string gate() const {
    if (!block_.gate) return block_.off.empty() ? "" : "it has no gate, but numbers for when that is shut";
    if (block_.lanes > 1) return "a gate of several lanes";
    if (std::string wrong = access({Inst::Kind::load, Op::leaf, Space::inputs, true, 0, *block_.gate, 0});
        !wrong.empty())
      return "its gate: " + wrong;
    std::size_t known = 0;
    for (std::uint32_t i = 0; i < block_.code.size(); ++i) {
      if (block_.code[i].kind != Inst::Kind::store) continue;
      if (known == block_.off.size() || block_.off[known].store != i)
        return fmt::format("nothing is known of the store {} where its gate is shut", i);
      ++known;
    }
    return known == block_.off.size() ? "" : "its gate knows more stores than it has";
  }

  std::string instruction(std::size_t i) const {
    const Inst& inst = block_.code[i];
    if (!is_space(inst.space)) return "unknown space";
    switch (inst.kind) {
      case Inst::Kind::constant:
        return inst.a < block_.constants.size() ? "" : fmt::format("constant {} does not exist", inst.a);
      case Inst::Kind::load:
        return access(inst);
      case Inst::Kind::store: {
        if (inst.space != Space::work && inst.space != Space::deriv)
          return fmt::format("a store to {}, which is only read", space_name(inst.space));
        if (std::string wrong = operand(i, inst.a); !wrong.empty()) return wrong;
        return access(inst);
      }
      case Inst::Kind::op:
        return operation(i, inst);
      case Inst::Kind::table:
        if (inst.b >= block_.tables.size()) return fmt::format("table {} does not exist", inst.b);
        return operand(i, inst.a);
    }
    return "unknown kind of instruction";
  }

  std::string operation(std::size_t i, const Inst& inst) const {
    if (static_cast<std::size_t>(inst.op) >= kOpCount || inst.op == Op::constant || inst.op == Op::leaf ||
        inst.op == Op::table)
      return "not an operation";
    const std::uint32_t operands[3] = {inst.a, inst.b, inst.c};
    for (std::uint32_t k = 0; k < 3; ++k) {
      if (k < arity(inst.op)) {
        if (std::string wrong = operand(i, operands[k]); !wrong.empty()) return wrong;
      } else if (operands[k] >= block_.code.size()) {
        return fmt::format("the unused operand {} is out of range", k);  // it is read even so
      }
    }
    return {};
  }

  std::string operand(std::size_t i, std::uint32_t value) const {
    if (value >= i) return fmt::format("operand %{} is not defined before its use", value);
    if (block_.code[value].kind == Inst::Kind::store) return fmt::format("operand %{} is a store, not a value", value);
    return {};
  }

  std::string access(const Inst& inst) const {
    const std::uint32_t size = space_size(kernel_, inst.space);
    const char* name = space_name(inst.space);
    if (!inst.indexed && inst.kind == Inst::Kind::store && block_.lanes > 1) return "all lanes store to one place";
    if (!inst.indexed) return inst.b < size ? "" : fmt::format("{}[{}] is out of range ({})", name, inst.b, size);
    const std::uint32_t last = inst.spread ? inst.b + block_.lanes - 1 : inst.b;
    if (last >= block_.columns) return fmt::format("column {} does not exist ({} columns)", last, block_.columns);
    for (std::uint32_t c = inst.b; c <= last; ++c) {
      const std::uint64_t behind = inst.spread ? 0 : block_.lanes - 1;
      for (std::uint32_t n = 0; n < block_.count; n = next_to_look_at(c, n))
        if (const std::uint64_t at = block_.table(n, c) + behind; at >= size)
          return fmt::format("{}[{}] is out of range ({}) in instance {}", name, at, size, n);
    }
    return {};
  }

  // For a column that counts up or down evenly the first and the last entry suffice.
  std::uint32_t next_to_look_at(std::uint32_t column, std::uint32_t instance) const {
    const bool stored = block_.table.place_in_stored(column).has_value();
    return stored || instance + 1 >= block_.count ? instance + 1 : block_.count - 1;
  }

  const Kernel& kernel_;
  const Block& block_;
};

std::string verify_call(const Kernel& kernel, const RoutineCall& call) {
  const Routine* routine = find_routine(call.symbol);
  if (routine == nullptr) return fmt::format("`{}` is not a support routine", call.symbol);
  const char* wrong =
      routine->check(call.plan.data(), static_cast<std::uint32_t>(call.plan.size()), kernel.n_mask, kernel.n_work);
  return wrong != nullptr ? wrong : "";
}

std::string verify_function(const Kernel& kernel, const Function& function) {
  for (const Block& block : function.blocks)
    if (std::string wrong = BlockCheck(kernel, block).run(); !wrong.empty())
      return fmt::format("block `{}`: {}", block.name, wrong);
  for (std::size_t i = 0; i < function.calls.size(); ++i)
    if (std::string wrong = verify_call(kernel, function.calls[i]); !wrong.empty())
      return fmt::format("call {}: {}", i, wrong);
  for (std::size_t i = 0; i < function.steps.size(); ++i) {
    const Step& step = function.steps[i];
    if (step.index >= (step.is_block ? function.blocks.size() : function.calls.size()))
      return fmt::format("step {} names {} {}, which does not exist", i, step.is_block ? "block" : "call", step.index);
    if (step.instance && (!step.is_block || *step.instance >= function.blocks[step.index].count))
      return fmt::format("step {} names instance {}, which does not exist", i, *step.instance);
  }
  if (function.check_begin > function.check_end || function.check_end > kernel.n_state)
    return fmt::format("the checked range [{}, {}) leaves deriv ({})", function.check_begin, function.check_end,
                       kernel.n_state);
  if (function.guard_begin > function.guard_end || function.guard_end > kernel.n_work)
    return fmt::format("the guards [{}, {}) leave work ({})", function.guard_begin, function.guard_end, kernel.n_work);
  return {};
}

}  // namespace

std::string verify(const Kernel& kernel) {
  for (std::size_t i = 0; i < kernel.functions.size(); ++i) {
    const Function& function = kernel.functions[i];
    if (kernel.function(function.name) != &function) return fmt::format("two functions named `{}`", function.name);
    if (std::string wrong = verify_function(kernel, function); !wrong.empty())
      return fmt::format("function `{}`, {}", function.name, wrong);
  }
  for (const Field& field : kernel.fields)
    if (std::uint64_t{field.offset} + field.size > space_size(kernel, field.space))
      return fmt::format("field `{}` leaves its array", field.name);
  return {};
}

void require_verified(const Kernel& kernel) {
  const std::string wrong = verify(kernel);
  CHECK(wrong.empty(), "kernel `" + kernel.name + "` keeps the rules of kernel/kernel.h: " + wrong);
}

}  // namespace mbc::kernel
