// SPDX-License-Identifier: Apache-2.0
#include "compiler/parse/classified.h"

#include <map>

#include "MbcLexer.h"
#include "compiler/parse/words.h"

namespace mbc::syntax {

namespace {

using L = MbcLexer;

TokenClass class_of(TokenType type, TokenType before) {
  switch (type) {
    case L::NAME:
      return TokenClass::name;
    case L::NUMBER:
    case L::STRING:
      return TokenClass::literal;
    case L::FOR:
      return TokenClass::for_word;
    case L::ELSE:
      return TokenClass::else_word;
    case L::LPAREN:
      return TokenClass::paren_open;
    case L::RPAREN:
      return TokenClass::paren_close;
    case L::LBRACK:
      return TokenClass::index_open;
    case L::UNIT_OPEN:
      return TokenClass::unit_open;
    case L::RBRACK:
      return TokenClass::bracket_close;
    case L::LBRACE:
      return TokenClass::brace_open;
    case L::RBRACE:
      return TokenClass::brace_close;
    case L::COMMA:
      return TokenClass::comma;
    case L::COLON:
      return TokenClass::colon;
    case L::SEMI:
      return TokenClass::semicolon;
    case L::DOT:
      return TokenClass::dot;
    case L::DOTDOT:
      return TokenClass::dots;
    case L::STAR:
    case L::SLASH:
      return TokenClass::factor;
    case L::PLUS:
    case L::MINUS:
      return ends_operand(before) ? TokenClass::sum : TokenClass::sign;
    case L::CARET:
      return TokenClass::caret;
    case L::PRIME:
      return TokenClass::prime;
    case L::EQUALS:
    case L::TILDE:
      return TokenClass::relation;
    case kEndOfFile:
      return TokenClass::end;
    default:
      return is_comparison(type) ? TokenClass::relation : TokenClass::keyword;
  }
}

}  // namespace

std::vector<ClassifiedToken> classify(const TokenList& tokens, const Statements& statements) {
  std::map<std::uint32_t, TokenType> resolved;  // by first byte
  std::map<std::uint32_t, bool> starts;
  for (const Token& t : statements.list.tokens) {
    if (t.type == L::START) starts[t.begin] = true;
    if (t.type != L::START && t.type != L::END && t.end > t.begin) resolved[t.begin] = t.type;
  }
  std::vector<ClassifiedToken> out;
  TokenType before = 0;
  for (const Token& t : tokens.tokens) {
    const auto it = resolved.find(t.begin);
    const TokenType type = t.type == kEndOfFile || t.type == L::SEMI || it == resolved.end() ? t.type : it->second;
    out.push_back({class_of(type, before), t.begin, t.end, t.type != kEndOfFile && starts.contains(t.begin), t.match});
    before = type;
  }
  return out;
}

}  // namespace mbc::syntax
