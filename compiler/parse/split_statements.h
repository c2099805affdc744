// SPDX-License-Identifier: Apache-2.0
// The step between lexer and parser: it applies the newline rule and finds the keywords.
//   - a statement ends at the end of its line or at `;`, unless something says that it goes on (docs/language.md);
//   - each statement is put between START and END, so that the parser recovers at statements;
//   - a NAME in the place of a keyword gets the keyword's type; `[` after a number or `)` opens a unit;
//   - a statement in which a mistake has been reported already becomes START BROKEN END: one mistake, one message.
// The step works on tokens because it needs only the token before and a few after; the grammar stays
// LL(1).
#pragma once
#include "base/diagnostics/diagnostic.h"
#include "compiler/parse/parse.h"
#include "compiler/parse/tokens.h"

namespace mbc::syntax {

struct Statements {
  TokenList list;                     // with START, END, BROKEN; Token::match is not kept
  std::vector<std::uint32_t> blocks;  // for each token: how many blocks it is in
  std::string description;            // of the file: the `///` lines at its head
};

Statements split_statements(const TokenList& list, ParseMode mode, Sink& sink);

// Returns whether the REPL has to read on: a bracket is open, an operator ends the text, or an `if ... then` lacks its
// `else`.
bool is_unfinished(const TokenList& list);

}  // namespace mbc::syntax
