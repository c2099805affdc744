// SPDX-License-Identifier: Apache-2.0
// Visits the parts of an expression, for passes that need only one or two kinds of node.
#pragma once
#include "compiler/ast/ast.h"

namespace mbc::ast {

// Calls visit(const Expr&) for every direct part of `e`, in the order of the text.
template <class Visit>
void for_each_part(const Expr& e, Visit&& visit) {
  const auto part = [&](const ExprPtr& p) {
    if (p) visit(*p);
  };
  const auto terms = [&](const ExprPtr& first, const std::vector<Term>& rest) {
    part(first);
    for (const Term& t : rest) part(t.value);
  };
  std::visit(
      [&](const auto& n) {
        using T = std::decay_t<decltype(n)>;
        if constexpr (std::is_same_v<T, Member>) {
          part(n.object);
        } else if constexpr (std::is_same_v<T, Index>) {
          part(n.object);
          for (const ExprPtr& k : n.indices) part(k);
        } else if constexpr (std::is_same_v<T, Call>) {
          part(n.callee);
          for (const Argument& a : n.args) part(a.value);
        } else if constexpr (std::is_same_v<T, Prime> || std::is_same_v<T, Unary>) {
          part(n.operand);
        } else if constexpr (std::is_same_v<T, Range>) {
          for (const ExprPtr* p : {&n.lo, &n.hi, &n.step, &n.count}) part(*p);
        } else if constexpr (std::is_same_v<T, Tuple>) {
          for (const ExprPtr& p : n.elements) part(p);
        } else if constexpr (std::is_same_v<T, Measured>) {
          part(n.value);
        } else if constexpr (std::is_same_v<T, Sum> || std::is_same_v<T, Product>) {
          terms(n.first, n.rest);
        } else if constexpr (std::is_same_v<T, Power>) {
          part(n.base);
          part(n.exponent);
        } else if constexpr (std::is_same_v<T, Compare>) {
          part(n.lhs);
          part(n.rhs);
        } else if constexpr (std::is_same_v<T, Logic>) {
          for (const ExprPtr& p : n.operands) part(p);
        } else if constexpr (std::is_same_v<T, If>) {
          part(n.condition);
          part(n.then_value);
          part(n.else_value);
        } else if constexpr (std::is_same_v<T, SumOver>) {
          part(n.binder.range);
          part(n.body);
        } else {
          static_assert(std::is_same_v<T, Number> || std::is_same_v<T, String> || std::is_same_v<T, Name>);
        }
      },
      e.node);
}

}  // namespace mbc::ast
