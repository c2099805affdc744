// SPDX-License-Identifier: Apache-2.0
// The operations of expressions and kernels (ops.def), how many operands each takes, how it is written.
#pragma once
#include <cstdint>
#include <string_view>

namespace mbc::kernel {

enum class Op : std::uint8_t {
#define MBC_OP(name, arity, text) name,
#include "kernel/ops.def"
#undef MBC_OP
};

constexpr std::uint32_t arity(Op op) {
  constexpr std::uint8_t table[] = {
#define MBC_OP(name, arity, text) arity,
#include "kernel/ops.def"
#undef MBC_OP
  };
  return table[static_cast<std::size_t>(op)];
}

constexpr std::string_view op_text(Op op) {
  constexpr std::string_view table[] = {
#define MBC_OP(name, arity, text) text,
#include "kernel/ops.def"
#undef MBC_OP
  };
  return table[static_cast<std::size_t>(op)];
}

inline constexpr std::size_t kOpCount = 0
#define MBC_OP(name, arity, text) +1
#include "kernel/ops.def"
#undef MBC_OP
    ;

}  // namespace mbc::kernel
