// SPDX-License-Identifier: Apache-2.0
// The tokens of one file as plain data, so that the steps between lexer and parser need nothing of ANTLR but the
// numbers of its token types.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/source_file.h"
#include "base/span.h"

namespace mbc::syntax {

using TokenType = std::size_t;

inline constexpr TokenType kEndOfFile = static_cast<TokenType>(-1);  // ANTLR's EOF
inline constexpr std::uint32_t kNoToken = 0xffffffffu;

struct Token {
  TokenType type = 0;
  std::uint32_t begin = 0;  // bytes
  std::uint32_t end = 0;
  bool line_start = false;    // the first of its line
  bool space_before = false;  // not adjacent to the token before it
  bool broken = false;        // part of a mistake that has been reported: its statement is not parsed
  // Set by match_brackets:
  std::uint32_t match = kNoToken;  // the other bracket
  std::uint32_t close_braces = 0;  // blocks never closed that end before this token
  bool force_start = false;        // a statement begins here although a bracket is open
};

struct DocComment {
  std::uint32_t token = 0;  // the token that follows it
  std::string text;
};

struct TokenList {
  const SourceSet* sources = nullptr;
  std::uint32_t file = 0;
  std::vector<Token> tokens;  // the last is EOF
  std::vector<DocComment> docs;

  [[nodiscard]] Span span(const Token& t) const { return {file, t.begin, t.end}; }
  [[nodiscard]] std::string_view text(const Token& t) const { return sources->text(span(t)); }
};

}  // namespace mbc::syntax
