// SPDX-License-Identifier: Apache-2.0
// Lists of values by token type.
#pragma once
#include <cstddef>
#include <utility>

#include "compiler/parse/tokens.h"

namespace mbc::syntax {

// Returns the value of a token in a list; `otherwise` if the list does not have it.
template <class Value, std::size_t n>
constexpr Value value_of(TokenType type, const std::pair<TokenType, Value> (&list)[n], Value otherwise) {
  for (const auto& [listed, value] : list)
    if (listed == type) return value;
  return otherwise;
}

}  // namespace mbc::syntax
