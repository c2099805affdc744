// SPDX-License-Identifier: Apache-2.0
#include "jit/emit_transpose.h"

#include <llvm/IR/IRBuilder.h>

namespace mbc::jit {

using kernel::Block;
using kernel::Inst;
using llvm::Value;
using Tile = std::array<Value*, kTile>;

namespace {

bool in_steps_of(const Block& block, std::uint32_t column, std::uint32_t step) {
  return !block.table.place_in_stored(column) && block.table.step()[column] == static_cast<std::int32_t>(step);
}

// Exchanges pairs of numbers, then fours, then eights.
Tile transposed(llvm::IRBuilderBase& b, const Tile& rows) {
  const auto pick = [&b](Value* x, Value* y, llvm::ArrayRef<int> mask) { return b.CreateShuffleVector(x, y, mask); };
  Tile pairs{}, fours{}, columns{};
  for (std::uint32_t k = 0; k < kTile; k += 2) {
    pairs[k] = pick(rows[k], rows[k + 1], {0, 8, 2, 10, 4, 12, 6, 14});
    pairs[k + 1] = pick(rows[k], rows[k + 1], {1, 9, 3, 11, 5, 13, 7, 15});
  }
  for (std::uint32_t half = 0; half < kTile; half += 4)
    for (std::uint32_t odd = 0; odd < 2; ++odd) {
      Value *x = pairs[half + odd], *y = pairs[half + 2 + odd];
      fours[half + odd] = pick(x, y, {0, 1, 8, 9, 4, 5, 12, 13});
      fours[half + 2 + odd] = pick(x, y, {2, 3, 10, 11, 6, 7, 14, 15});
    }
  for (std::uint32_t k = 0; k < 4; ++k) {
    columns[k] = pick(fours[k], fours[4 + k], {0, 1, 2, 3, 8, 9, 10, 11});
    columns[k + 4] = pick(fours[k], fours[4 + k], {4, 5, 6, 7, 12, 13, 14, 15});
  }
  return columns;
}

}  // namespace

std::optional<Transposition> transposition_of(const Block& block) {
  if (block.lanes != kTile || block.columns != kTile + 1 || block.code.size() != 2) return {};
  const Inst &load = block.code[0], &store = block.code[1];
  if (load.kind != Inst::Kind::load || store.kind != Inst::Kind::store || !load.indexed || store.a != 0) return {};
  if (load.spread == store.spread) return {};
  Transposition copy{load.space, store.space, load.spread, {}, 0};
  const std::uint32_t first = load.spread ? load.b : store.b, other = load.spread ? store.b : load.b;
  for (std::uint32_t k = 0; k < kTile; ++k) {
    copy.apart[k] = block.table(0, first + k);
    if (!in_steps_of(block, first + k, 1)) return {};
  }
  copy.together = block.table(0, other);
  if (!in_steps_of(block, other, kTile)) return {};
  return copy;
}

void emit_tile(llvm::IRBuilderBase& b, const Transposition& copy, Value* from, Value* to, Value* instance) {
  llvm::Type* number = b.getDoubleTy();
  llvm::Type* eight = llvm::FixedVectorType::get(number, kTile);
  Value* scaled = b.CreateMul(instance, b.getInt64(kTile));
  const auto place = [&](Value* array, bool apart, std::uint32_t k) {
    Value* at = apart ? b.CreateAdd(instance, b.getInt64(copy.apart[k]))
                      : b.CreateAdd(scaled, b.getInt64(std::uint64_t{copy.together} + std::uint64_t{k} * kTile));
    return b.CreateInBoundsGEP(number, array, at);
  };
  Tile rows{};
  for (std::uint32_t k = 0; k < kTile; ++k)
    rows[k] = b.CreateAlignedLoad(eight, place(from, copy.gathers, k), llvm::Align(8));
  const Tile columns = transposed(b, rows);
  for (std::uint32_t k = 0; k < kTile; ++k)
    b.CreateAlignedStore(columns[k], place(to, !copy.gathers, k), llvm::Align(8));
}

}  // namespace mbc::jit
