// SPDX-License-Identifier: Apache-2.0
#include "compiler/parse/nesting.h"

#include <algorithm>

#include "MbcLexer.h"
#include "base/stack.h"
#include "compiler/parse/words.h"

namespace mbc::syntax {

bool Nesting::after_operand() const { return ends_operand(previous_); }

// Closes everything open at the level of a line end, unless the statement goes on (the plain part of the newline rule).
void Nesting::end_line(TokenType next) {
  if (level_.opened == MbcLexer::LPAREN || level_.opened == MbcLexer::LBRACK) return;
  const bool closed = after_operand() || previous_ == MbcLexer::RBRACE;
  if (closed && !is_binary(next) && next != MbcLexer::ELSE) level_.run = level_.nots = level_.ifs = 0;
}

void Nesting::count(TokenType type) {
  switch (type) {
    case MbcLexer::LPAREN:
    case MbcLexer::LBRACK:
    case MbcLexer::LBRACE:
      if (type == MbcLexer::LBRACE) level_.run = level_.nots = 0;  // a block ends the expression before it
      if (type != MbcLexer::LBRACE && after_operand()) ++level_.run;
      outer_sum_ += level_.sum() + 1;
      outer_.push_back(level_);
      level_ = Level{type};
      break;
    case MbcLexer::RPAREN:
    case MbcLexer::RBRACK:
    case MbcLexer::RBRACE:
      if (outer_.empty()) break;
      level_ = outer_.back();
      outer_.pop_back();
      outer_sum_ -= level_.sum() + 1;
      break;
    case MbcLexer::DOT:
    case MbcLexer::CARET:
      ++level_.run;
      break;
    case MbcLexer::PLUS:
    case MbcLexer::MINUS:
      level_.run = after_operand() ? 0 : level_.run + 1;
      break;
    case MbcLexer::NOT:
      ++level_.nots;
      break;
    case MbcLexer::IF:
      ++level_.ifs;
      break;
    case MbcLexer::AND:
    case MbcLexer::OR:
    case MbcLexer::THEN:
    case MbcLexer::ELSE:
    case MbcLexer::EQUALS:
    case MbcLexer::COLON:
      level_.run = level_.nots = 0;
      break;
    case MbcLexer::COMMA:
    case MbcLexer::SEMI:
    case MbcLexer::FOR:
      level_.run = level_.nots = level_.ifs = 0;
      break;
    default:
      // a binary operator ends the factor before it; an operand after an operand is a mistake, and goes no deeper
      if (is_binary(type) || (after_operand() && ends_operand(type) && type != MbcLexer::PRIME)) level_.run = 0;
  }
}

std::uint32_t Nesting::feed(TokenType type, bool line_start) {
  const bool after_block = previous_ == MbcLexer::RBRACE && type != MbcLexer::ELSE;
  if (line_start || after_block) end_line(type);
  count(type);
  previous_ = type;
  return outer_sum_ + level_.sum();
}

// Measured with g++ 12 at -O2: `(1+p.y*(1+p.y*...` takes 2.7 KiB a level on the way to the model.
std::uint32_t nesting_limit() {
#ifdef __SANITIZE_ADDRESS__
  constexpr std::size_t kLevel = 24 * 1024;
#elif defined(__OPTIMIZE__)
  constexpr std::size_t kLevel = 4 * 1024;
#else
  constexpr std::size_t kLevel = 12 * 1024;
#endif
  constexpr std::size_t kRest = 96 * 1024;  // for the code that does not nest
  const std::size_t left = stack_left();
  const std::size_t levels = left > kRest ? (left - kRest) / kLevel : 0;
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(levels, kSafeNesting, kMaxNesting));
}

}  // namespace mbc::syntax
