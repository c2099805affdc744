// SPDX-License-Identifier: Apache-2.0
// Computes how deep the parser will recurse, from the tokens before it runs: open brackets and blocks, and inside each
// the prefix operators, powers, postfix parts and `if`s that are still open. On text that nests a few thousand deep a
// recursive-descent parser dies of a stack overflow, which cannot be caught.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/parse/tokens.h"

namespace mbc::syntax {

inline constexpr std::uint32_t kMaxNesting = 256;
inline constexpr std::uint32_t kSafeNesting = 8;  // fits any stack

// Returns kMaxNesting, or less if this thread has little stack left. Each call asks the system.
[[nodiscard]] std::uint32_t nesting_limit();

class Nesting {
 public:
  // Takes the next token (no line ends); returns the depth after it.
  std::uint32_t feed(TokenType type, bool line_start);

 private:
  struct Level {
    TokenType opened = 0;
    std::uint32_t run = 0;   // - ^ . ( [ since the last binary operator
    std::uint32_t nots = 0;  // `not` since the last `and`, `or`
    std::uint32_t ifs = 0;   // `if` since the last comma or statement
    [[nodiscard]] std::uint32_t sum() const { return run + nots + ifs; }
  };
  [[nodiscard]] bool after_operand() const;
  void end_line(TokenType next);
  void count(TokenType type);

  Level level_;
  std::vector<Level> outer_;
  std::uint32_t outer_sum_ = 0;
  TokenType previous_ = 0;
};

}  // namespace mbc::syntax
