// SPDX-License-Identifier: Apache-2.0
#include "jit/split_block.h"

#include <algorithm>

namespace mbc::jit {
namespace {

using kernel::Block;
using kernel::Inst;
using kernel::Space;

bool repeatable(const Inst& inst) {
  if (inst.kind == Inst::Kind::constant) return true;
  return inst.kind == Inst::Kind::load && inst.space != Space::work && inst.space != Space::deriv;
}

std::vector<Part> cut(std::uint32_t size, std::uint32_t length) {
  const std::uint32_t count = std::max(1u, (size + length - 1) / length);
  std::vector<Part> parts(count);
  for (std::uint32_t p = 0; p < count; ++p) {
    parts[p].begin = static_cast<std::uint32_t>(std::uint64_t{size} * p / count);
    parts[p].end = static_cast<std::uint32_t>(std::uint64_t{size} * (p + 1) / count);
  }
  return parts;
}

// Returns for each part the values of earlier parts that it uses, once each, in order.
std::vector<std::vector<std::uint32_t>> imports(const Block& block, const std::vector<Part>& parts) {
  std::vector<std::vector<std::uint32_t>> result(parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (std::uint32_t i = parts[p].begin; i < parts[p].end; ++i) {
      const Inst& inst = block.code[i];
      const std::uint32_t operands[3] = {inst.a, inst.b, inst.c};
      for (std::uint32_t k = 0; k < kernel::operand_count(inst); ++k)
        if (operands[k] < parts[p].begin) result[p].push_back(operands[k]);
    }
    std::sort(result[p].begin(), result[p].end());
    result[p].erase(std::unique(result[p].begin(), result[p].end()), result[p].end());
  }
  return result;
}

}  // namespace

PartPlan split_block(const Block& block, std::uint32_t length) {
  PartPlan plan{cut(static_cast<std::uint32_t>(block.code.size()), length), 0};
  const std::vector<std::vector<std::uint32_t>> used = imports(block, plan.parts);
  std::vector<std::uint32_t> last_part(block.code.size(), 0);
  for (std::uint32_t p = 0; p < plan.parts.size(); ++p)
    for (const std::uint32_t value : used[p]) last_part[value] = p;

  // A slot is free again after the last part that reads it, since within a part the stores may come before the loads.
  std::vector<std::uint32_t> slot(block.code.size(), 0), free;
  for (std::uint32_t p = 0; p < plan.parts.size(); ++p) {
    Part& part = plan.parts[p];
    for (std::uint32_t i = part.begin; i < part.end; ++i) {
      if (last_part[i] <= p || repeatable(block.code[i])) continue;
      if (free.empty()) free.push_back(plan.slots++);
      slot[i] = free.back();
      free.pop_back();
      part.stores.push_back({i, slot[i]});
    }
    for (const std::uint32_t value : used[p]) {
      if (repeatable(block.code[value])) {
        part.repeated.push_back(value);
        continue;
      }
      part.loads.push_back({value, slot[value]});
      if (last_part[value] == p) free.push_back(slot[value]);
    }
  }
  return plan;
}

}  // namespace mbc::jit
