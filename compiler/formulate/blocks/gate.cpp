// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/blocks/gate.h"

#include <optional>
#include <vector>

#include "kernel/op_semantics.h"

namespace mbc::formulate {

namespace {

// Returns the inputs that conditions of `select` read, by column of the table.
std::vector<std::uint32_t> switches(const Block& block) {
  std::vector<std::uint32_t> out;
  for (const Inst& inst : block.code) {
    if (inst.kind != Inst::Kind::op || inst.op != Op::select) continue;
    const Inst& condition = block.code[inst.a];
    if (condition.kind == Inst::Kind::load && condition.space == Space::inputs && condition.indexed)
      out.push_back(condition.b);
  }
  return out;
}

// The values of the instructions that follow from constants and a 0 in one column.
class Known {
 public:
  Known(const Block& block, std::uint32_t column) : block_(block), values_(block.code.size()) {
    for (std::size_t i = 0; i < block.code.size(); ++i) values_[i] = of(block.code[i], column);
  }
  // The stored values, one for each store; empty if one of them is not known.
  [[nodiscard]] std::optional<std::vector<Block::Off>> stores() const {
    std::vector<Block::Off> out;
    for (std::uint32_t i = 0; i < block_.code.size(); ++i) {
      if (block_.code[i].kind != Inst::Kind::store) continue;
      const std::optional<double>& value = values_[block_.code[i].a];
      if (!value) return std::nullopt;
      out.push_back({i, *value});
    }
    return out;
  }

 private:
  [[nodiscard]] std::optional<double> of(const Inst& inst, std::uint32_t column) const {
    if (inst.kind == Inst::Kind::constant) return block_.constants[inst.a];
    if (inst.kind == Inst::Kind::load && inst.space == Space::inputs && inst.indexed && inst.b == column) return 0.0;
    if (inst.kind != Inst::Kind::op) return std::nullopt;
    const std::optional<double>& a = values_[inst.a];
    if (inst.op == Op::select) return a ? values_[*a != 0 ? inst.b : inst.c] : std::nullopt;
    const std::uint32_t n = kernel::arity(inst.op);
    const std::optional<double> b = n > 1 ? values_[inst.b] : 0.0, c = n > 2 ? values_[inst.c] : 0.0;
    return a && b && c ? std::optional(kernel::apply(inst.op, *a, *b, *c)) : std::nullopt;
  }

  const Block& block_;
  std::vector<std::optional<double>> values_;
};

}  // namespace

void find_gate(Block& block) {
  if (block.lanes != 1) return;
  for (const std::uint32_t column : switches(block)) {
    std::optional<std::vector<Block::Off>> off = Known(block, column).stores();
    if (!off) continue;
    block.gate = column;
    block.off = std::move(*off);
    return;
  }
}

}  // namespace mbc::formulate
