// SPDX-License-Identifier: Apache-2.0
// Describes a place where the parser could not go on, as a diagnostic.
#pragma once
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "compiler/parse/tokens.h"

namespace mbc::syntax {

struct Mistake {
  std::uint32_t at = 0;         // the token that does not fit
  std::uint32_t statement = 0;  // START of the statement it is in
  std::size_t rule = 0;         // the grammar rule of the mistake
  std::size_t statement_rule = 0;
  std::vector<TokenType> expected;
};

void describe_mistake(const TokenList& list, const Mistake& mistake, Sink& sink);

}  // namespace mbc::syntax
