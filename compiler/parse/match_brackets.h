// SPDX-License-Identifier: Apache-2.0
// Pairs the brackets of a file before it is parsed. Line ends do not count inside ( ) and [ ], so that a forgotten
// bracket would swallow the rest of the file. Words that can only begin a statement end the search for its partner.
#pragma once
#include "base/diagnostics/diagnostic.h"
#include "compiler/parse/tokens.h"

namespace mbc::syntax {

void match_brackets(TokenList& list, Sink& sink);

// Returns the number of opening brackets without a partner at the end, for the REPL.
std::size_t open_brackets(const TokenList& list);

// Returns true for two words at the beginning of a line that no expression can hold: `particle p`, `let x`, `Chain c`.
bool begins_statement(const TokenList& list, std::size_t at);

}  // namespace mbc::syntax
