// SPDX-License-Identifier: Apache-2.0
// The stable text of a kernel: its fields, then every function step by step. Accesses are named after the fields.
#include <fmt/format.h>

#include "kernel/kernel.h"
#include "kernel/space_name.h"

namespace mbc::kernel {
namespace {

class Printer {
 public:
  explicit Printer(const Kernel& kernel) : kernel_(kernel) {}

  std::string run() {
    line(0, fmt::format("kernel {}", kernel_.name));
    line(1, fmt::format("sizes state {} params {} inputs {} mask {} work {}", kernel_.n_state, kernel_.n_params,
                        kernel_.n_inputs, kernel_.n_mask, kernel_.n_work));
    for (const Field& f : kernel_.fields)
      line(1, fmt::format("field {} = {}[{}..{})", f.name, space_name(f.space), f.offset, f.offset + f.size));
    for (const Function& function : kernel_.functions) print(function);
    return text_;
  }

 private:
  void line(std::size_t depth, const std::string& text) {
    text_.append(depth * 2, ' ');
    text_ += text;
    text_ += '\n';
  }

  void print(const Function& function) {
    line(0, fmt::format("function {}", function.name));
    for (const Step& step : function.steps) {
      if (step.is_block) {
        if (step.instance.value_or(0) == 0) print(function.blocks[step.index]);
        if (step.instance)
          line(1, fmt::format("instance {} of block {}", *step.instance, function.blocks[step.index].name));
      } else {
        print(function.calls[step.index]);
      }
    }
    if (function.check_begin < function.check_end)
      line(1, fmt::format("check finite deriv[{}..{})", function.check_begin, function.check_end));
    if (function.guard_begin < function.guard_end)
      line(1, fmt::format("check positive work[{}..{})", function.guard_begin, function.guard_end));
  }

  void print(const RoutineCall& call) {
    line(1, fmt::format("call {} plan {}", call.symbol, fmt::join(call.plan, " ")));
  }

  void print(const Block& block) {
    const bool loop = block.count != 1 || block.columns != 0;
    const std::string lanes = block.lanes > 1 ? fmt::format(" in {} lanes", block.lanes) : "";
    line(1, loop ? fmt::format("block {} for {} instances{}", block.name, block.count, lanes)
                 : fmt::format("block {}", block.name));
    for (std::size_t k = 0; k < block.tables.size(); ++k) line(2, table(k, *block.tables[k]));
    for (std::uint32_t i = 0; block.columns != 0 && i < block.count; ++i) {
      std::string row = fmt::format("instance {}:", i);
      for (std::uint32_t c = 0; c < block.columns; ++c) row += fmt::format(" {}", block.table(i, c));
      line(2, row);
    }
    if (block.gate) line(2, gate(block));
    for (std::size_t i = 0; i < block.code.size(); ++i) line(2, instruction(block, i));
  }

  static std::string gate(const Block& block) {
    std::string out = fmt::format("while inputs[column {}] is 0 it stores", *block.gate);
    for (const Block::Off& off : block.off) out += fmt::format(" {}", off.value);
    return out;
  }

  static std::string table(std::size_t number, const DataTable& t) {
    static constexpr const char* kMethods[] = {"hold", "linear", "cubic"};
    static constexpr const char* kBeyond[] = {"error", "hold", "line"};
    return fmt::format("table {}: {}, beyond {}, {} points from {} to {}", number,
                       kMethods[static_cast<std::size_t>(t.method())], kBeyond[static_cast<std::size_t>(t.beyond())],
                       t.arguments().size(), t.arguments().front(), t.arguments().back());
  }

  std::string access(const Inst& inst) const {
    if (inst.space == Space::time) return "t";
    if (inst.indexed)
      return fmt::format("{}[{} {}]", space_name(inst.space), inst.spread ? "columns from" : "column", inst.b);
    for (const Field& field : kernel_.fields) {
      if (field.space != inst.space || inst.b < field.offset || inst.b >= field.offset + field.size) continue;
      const std::string plus = inst.b > field.offset ? fmt::format("+{}", inst.b - field.offset) : "";
      return fmt::format("{}[{}{}]", space_name(inst.space), field.name, plus);
    }
    return fmt::format("{}[{}]", space_name(inst.space), inst.b);
  }

  std::string instruction(const Block& block, std::size_t i) const {
    const Inst& inst = block.code[i];
    switch (inst.kind) {
      case Inst::Kind::constant:
        return fmt::format("%{} = {}", i, block.constants[inst.a]);
      case Inst::Kind::load:
        return fmt::format("%{} = load {}", i, access(inst));
      case Inst::Kind::store:
        return fmt::format("store {}, %{}", access(inst), inst.a);
      case Inst::Kind::table:
        return fmt::format("%{} = table {}{} %{}", i, inst.b, std::string(inst.c, '\''), inst.a);
      case Inst::Kind::op:
        break;
    }
    const std::uint32_t operands[3] = {inst.a, inst.b, inst.c};
    const std::uint32_t* end = operands + arity(inst.op);
    return fmt::format("%{} = {} %{}", i, op_text(inst.op), fmt::join(operands, end, ", %"));
  }

  const Kernel& kernel_;
  std::string text_;
};

}  // namespace

std::string print(const Kernel& kernel) { return Printer(kernel).run(); }

}  // namespace mbc::kernel
