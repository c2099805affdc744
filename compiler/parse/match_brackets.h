// SPDX-License-Identifier: Apache-2.0
// Pairs the brackets of a file before it is parsed. Line ends do not count inside ( ) and [ ], so that one forgotten
// bracket would swallow the rest of the file; what can only be the beginning of a statement ends that.
#pragma once
#include "base/diagnostics/diagnostic.h"
#include "compiler/parse/tokens.h"

namespace mbc::syntax {

void match_brackets(TokenList& list, Sink& sink);

// The opening brackets without a partner at the end, for the REPL: 0 when all are closed.
std::size_t open_brackets(const TokenList& list);

// Two words at the beginning of a line that no expression can hold: `particle p`, `let x`, `Chain c`.
bool begins_statement(const TokenList& list, std::size_t at);

}  // namespace mbc::syntax
