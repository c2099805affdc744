// SPDX-License-Identifier: Apache-2.0
// The tokens of one file as plain data, so that the steps between lexer and parser use only the numbers of ANTLR's
// token types.
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
  bool apart = false;  // a blank line stands before it
};

struct TokenList {
  const SourceSet* sources = nullptr;
  std::uint32_t file = 0;
  std::vector<Token> tokens;  // the last is EOF
  std::vector<DocComment> docs;

  [[nodiscard]] Span span(const Token& t) const { return {file, t.begin, t.end}; }
  [[nodiscard]] std::string_view text(const Token& t) const { return sources->text(span(t)); }
  // Returns whether only blanks, among them a blank line, precede this byte.
  [[nodiscard]] bool behind_blank_line(std::uint32_t at) const {
    const std::string_view source = (*sources)[file].text();
    int ends = 0;
    for (; at > 0 && std::string_view(" \t\f\r\n").find(source[at - 1]) != std::string_view::npos; --at)
      ends += source[at - 1] == '\n' ? 1 : 0;
    return ends > 1;
  }
};

}  // namespace mbc::syntax
