// SPDX-License-Identifier: Apache-2.0
// The operations of expressions and kernels, and their properties: the columns of ops.def.
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace mbc::kernel {

enum class Op : std::uint8_t {
#define MBC_OP(name, ...) name,
#include "kernel/ops.def"
};

// The three groups of operations; each operation is in one of them. A function that differs between the operations of a
// group is a switch over its enum without a default, so that it does not compile while an operation is missing.
enum class Arithmetic : std::uint8_t {
#define MBC_ARITHMETIC(name, ...) name = static_cast<std::uint8_t>(Op::name),
#include "kernel/ops.def"
};
enum class Elementary : std::uint8_t {
#define MBC_FUNCTION(name, ...) name = static_cast<std::uint8_t>(Op::name),
#include "kernel/ops.def"
};
enum class Piecewise : std::uint8_t {
#define MBC_PIECEWISE(name, ...) name = static_cast<std::uint8_t>(Op::name),
#include "kernel/ops.def"
};

struct OpTraits {
  enum class Group : std::uint8_t { arithmetic, elementary, piecewise };
  enum class Order : std::uint8_t { ordered, commutative };
  enum class Parity : std::uint8_t { none, even, odd };
  enum class Slope : std::uint8_t { steep, flat };
  enum class Domain : std::uint8_t { everywhere, partial };
  enum class Hides : std::uint8_t { nothing, first, second, both };
  enum class Rounding : std::uint8_t { rounded, exact };
  enum class Result : std::uint8_t { number, truth };
  enum class Continuity : std::uint8_t { smooth, kink, jump, cut, follows };

  Group group{};
  Order order{};
  Parity parity{};
  Slope slope{};
  Domain domain{};
  Hides hides{};
  Rounding rounding{};
  Result result{};
  Continuity continuity{};
  std::uint8_t latency = 0;
};

constexpr std::uint32_t arity(Op op) {
  constexpr std::uint8_t table[] = {
#define MBC_OP(name, arity, ...) arity,
#include "kernel/ops.def"
  };
  return table[static_cast<std::size_t>(op)];
}

constexpr std::string_view op_text(Op op) {
  constexpr std::string_view table[] = {
#define MBC_OP(name, arity, text, ...) text,
#include "kernel/ops.def"
  };
  return table[static_cast<std::size_t>(op)];
}

inline constexpr OpTraits kOpTraits[] = {
#define MBC_TRAITS(group, order, parity, slope, domain, hides, rounding, result, continuity, latency) \
  {OpTraits::Group::group,           OpTraits::Order::order,                                          \
   OpTraits::Parity::parity,         OpTraits::Slope::slope,                                          \
   OpTraits::Domain::domain,         OpTraits::Hides::hides,                                          \
   OpTraits::Rounding::rounding,     OpTraits::Result::result,                                        \
   OpTraits::Continuity::continuity, latency},
#define MBC_ARITHMETIC(name, arity, text, ...) MBC_TRAITS(arithmetic, __VA_ARGS__)
#define MBC_FUNCTION(name, arity, text, ...) MBC_TRAITS(elementary, __VA_ARGS__)
#define MBC_PIECEWISE(name, arity, text, ...) MBC_TRAITS(piecewise, __VA_ARGS__)
#include "kernel/ops.def"
#undef MBC_TRAITS
};

inline constexpr std::size_t kOpCount = std::size(kOpTraits);

constexpr const OpTraits& traits(Op op) { return kOpTraits[static_cast<std::size_t>(op)]; }

constexpr bool is_arithmetic(Op op) { return traits(op).group == OpTraits::Group::arithmetic; }
constexpr bool is_elementary(Op op) { return traits(op).group == OpTraits::Group::elementary; }
constexpr bool is_piecewise(Op op) { return traits(op).group == OpTraits::Group::piecewise; }

// Converts the operation to the enum of its group. It has to be in that group.
constexpr Arithmetic arithmetic(Op op) { return static_cast<Arithmetic>(op); }
constexpr Elementary elementary(Op op) { return static_cast<Elementary>(op); }
constexpr Piecewise piecewise(Op op) { return static_cast<Piecewise>(op); }

// Returns whether the operation has no rounding of its own.
constexpr bool is_exact(Op op) { return traits(op).rounding == OpTraits::Rounding::exact; }
constexpr bool is_truth(Op op) { return traits(op).result == OpTraits::Result::truth; }
// Returns whether the result may be finite where operand k is not.
constexpr bool hides(Op op, std::uint32_t k) {
  const OpTraits::Hides hidden = traits(op).hides;
  return hidden == OpTraits::Hides::both || hidden == (k == 0 ? OpTraits::Hides::first : OpTraits::Hides::second);
}
constexpr bool jumps(Op op) { return traits(op).continuity == OpTraits::Continuity::jump; }
// Returns true for <, <=, == and !=; the other truths are combinations of truths.
constexpr bool is_comparison(Op op) { return is_truth(op) && jumps(op); }
constexpr bool may_be_undefined(Op op) { return traits(op).domain == OpTraits::Domain::partial; }

}  // namespace mbc::kernel
