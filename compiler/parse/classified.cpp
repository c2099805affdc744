// SPDX-License-Identifier: Apache-2.0
#include "compiler/parse/classified.h"

#include <map>
#include <utility>

#include "MbcLexer.h"
#include "compiler/parse/value_of.h"
#include "compiler/parse/words.h"

namespace mbc::syntax {

namespace {

using L = MbcLexer;

constexpr std::pair<TokenType, TokenClass> kClasses[] = {
    {L::NAME, TokenClass::name},           {L::NUMBER, TokenClass::literal},
    {L::STRING, TokenClass::literal},      {L::FOR, TokenClass::for_word},
    {L::ELSE, TokenClass::else_word},      {L::LPAREN, TokenClass::paren_open},
    {L::RPAREN, TokenClass::paren_close},  {L::LBRACK, TokenClass::index_open},
    {L::UNIT_OPEN, TokenClass::unit_open}, {L::RBRACK, TokenClass::bracket_close},
    {L::LBRACE, TokenClass::brace_open},   {L::RBRACE, TokenClass::brace_close},
    {L::COMMA, TokenClass::comma},         {L::COLON, TokenClass::colon},
    {L::SEMI, TokenClass::semicolon},      {L::DOT, TokenClass::dot},
    {L::DOTDOT, TokenClass::dots},         {L::STAR, TokenClass::factor},
    {L::SLASH, TokenClass::factor},        {L::CARET, TokenClass::caret},
    {L::PRIME, TokenClass::prime},         {L::EQUALS, TokenClass::relation},
    {L::TILDE, TokenClass::relation},      {kEndOfFile, TokenClass::end},
};

TokenClass class_of(TokenType type, TokenType before) {
  if (type == L::PLUS || type == L::MINUS) return ends_operand(before) ? TokenClass::sum : TokenClass::sign;
  return value_of(type, kClasses, is_comparison(type) ? TokenClass::relation : TokenClass::keyword);
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
