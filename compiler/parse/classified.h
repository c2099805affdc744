// SPDX-License-Identifier: Apache-2.0
// The tokens of a file for its layout: the class of each in its place, with keywords and units told apart, and the
// places where statements begin. compiler/format uses them and needs nothing of the lexer.
#pragma once
#include <cstdint>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "compiler/parse/split_statements.h"
#include "compiler/parse/tokens.h"

namespace mbc::syntax {

enum class TokenClass : std::uint8_t {
  name,
  keyword,
  for_word,
  else_word,
  literal,
  paren_open,
  paren_close,
  index_open,
  unit_open,
  bracket_close,
  brace_open,
  brace_close,
  comma,
  colon,
  semicolon,
  dot,
  dots,    // ..
  factor,  // * /
  sign,    // + - before its only operand
  sum,     // + - between two
  caret,
  prime,
  relation,  // = ~ and comparisons
  end
};

struct ClassifiedToken {
  TokenClass what{};
  std::uint32_t begin = 0, end = 0;  // bytes
  bool starts_statement = false;
  std::uint32_t match = kNoToken;  // the other bracket
};

std::vector<ClassifiedToken> classify(const TokenList& tokens, const Statements& statements);

// Returns the tokens of a file, `end` last; empty if it cannot be read, with the mistakes in `sink`.
std::vector<ClassifiedToken> classified_tokens(const SourceSet& sources, std::uint32_t file, Sink& sink);

}  // namespace mbc::syntax
