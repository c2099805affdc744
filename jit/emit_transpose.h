// SPDX-License-Identifier: Apache-2.0
// Copies between arrays that lie one behind the other and the same arrays in lanes: eight times eight numbers at a
// time, in registers.
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "kernel/kernel.h"

namespace llvm {
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace mbc::jit {

inline constexpr std::uint32_t kTile = 8;

// The copy that a block makes, if it makes nothing else. Array k of eight is at apart[k] + i, for instance i; the
// numbers of an instance are at together + 8 i.
struct Transposition {
  kernel::Space from{}, to{};
  bool gathers = false;  // from the arrays into lanes
  std::array<std::uint32_t, kTile> apart{};
  std::uint32_t together = 0;
};
std::optional<Transposition> transposition_of(const kernel::Block& block);

// Emits the tile that begins at an instance (i64).
void emit_tile(llvm::IRBuilderBase& builder, const Transposition& copy, llvm::Value* from, llvm::Value* to,
               llvm::Value* instance);

}  // namespace mbc::jit
