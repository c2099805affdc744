// SPDX-License-Identifier: Apache-2.0
#include "compiler/parse/words.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <utility>

#include "MbcLexer.h"
#include "base/text.h"
#include "compiler/parse/value_of.h"

namespace mbc::syntax {
namespace {

using L = MbcLexer;
using Word = std::pair<std::string_view, TokenType>;

constexpr std::array kHeads = {
    Word{"space", L::SPACE},
    Word{"gravity", L::GRAVITY},
    Word{"particle", L::PARTICLE},
    Word{"body", L::BODY},
    Word{"point", L::POINT},
    Word{"frame", L::FRAME},
    Word{"coord", L::COORD},
    Word{"speed", L::SPEED},
    Word{"state", L::STATE},
    Word{"input", L::INPUT},
    Word{"force", L::FORCE},
    Word{"torque", L::TORQUE},
    Word{"load", L::LOAD},
    Word{"friction", L::FRICTION},
    Word{"potential", L::POTENTIAL},
    Word{"dissipation", L::DISSIPATION},
    Word{"kinetic", L::KINETIC},
    Word{"constraint", L::CONSTRAINT},
    Word{"output", L::OUTPUT},
    Word{"init", L::INIT},
    Word{"simulate", L::SIMULATE},
    Word{"test", L::TEST},
    Word{"sweep", L::SWEEP},
    Word{"when", L::WHEN},
    Word{"at", L::AT_EVENT},
    Word{"every", L::EVERY},
    Word{"use", L::USE},
    Word{"joint", L::JOINT},
    Word{"model", L::MODEL},
    Word{"shape", L::SHAPE},
    Word{"coordinates", L::COORDINATES},
    Word{"require", L::REQUIRE},
    Word{"show", L::SHOW},
    Word{"hide", L::HIDE},
};
constexpr std::array kEntries = {Word{"check", L::CHECK}, Word{"record", L::RECORD}, Word{"plot", L::PLOT}};
constexpr std::array kActions = {Word{"enable", L::ENABLE}, Word{"disable", L::DISABLE}, Word{"stop", L::STOP},
                                 Word{"impulse", L::IMPULSE}};
constexpr std::array kModifiers = {
    Word{"at", L::AT},
    Word{"moving", L::MOVING},
    Word{"rotated", L::ROTATED},
    Word{"spinning", L::SPINNING},
    Word{"follows", L::FOLLOWS},
    Word{"on", L::ON},
    Word{"from", L::FROM},
    Word{"rate", L::RATE},
    Word{"nonideal", L::NONIDEAL},
    Word{"restitution", L::RESTITUTION},
    Word{"static", L::STATIC},
    Word{"where", L::WHERE},
    Word{"over", L::OVER},
    Word{"step", L::STEP},
    Word{"count", L::COUNT},
    Word{"within", L::WITHIN},
    Word{"always", L::ALWAYS},
    Word{"rising", L::RISING},
    Word{"falling", L::FALLING},
    Word{"crossing", L::CROSSING},
};
constexpr std::array kReserved = {
    Word{"mbd", L::MBD}, Word{"param", L::PARAM}, Word{"let", L::LET},   Word{"def", L::DEF},
    Word{"if", L::IF},   Word{"then", L::THEN},   Word{"else", L::ELSE}, Word{"for", L::FOR},
    Word{"in", L::IN},   Word{"and", L::AND},     Word{"or", L::OR},     Word{"not", L::NOT},
};
constexpr std::array<std::string_view, 46> kUnits = {
    "m",   "mm", "cm",  "dm",  "km",   "um",  "s",   "ms", "us", "ns", "min", "h",   "kg", "g",   "mg",  "t",
    "N",   "mN", "kN",  "MN",  "J",    "mJ",  "kJ",  "MJ", "W",  "mW", "kW",  "MW",  "Pa", "kPa", "MPa", "GPa",
    "bar", "Hz", "kHz", "rad", "mrad", "deg", "rpm", "K",  "A",  "V",  "C",   "mol", "cd", "rev"};

template <class Table>
TokenType find(const Table& table, std::string_view word) {
  const auto it = std::find_if(table.begin(), table.end(), [&](const Word& w) { return w.first == word; });
  return it == table.end() ? 0 : it->second;
}

template <class Table>
std::vector<std::string> words_in(const Table& table) {
  std::vector<std::string> words;
  for (const Word& w : table) words.emplace_back(w.first);
  return words;
}

bool one_of(TokenType type, std::initializer_list<TokenType> list) {
  return std::find(list.begin(), list.end(), type) != list.end();
}

bool is_entity(TokenType head) { return one_of(head, {L::PARTICLE, L::BODY, L::POINT, L::FRAME}); }
bool is_load(TokenType head) { return one_of(head, {L::FORCE, L::TORQUE, L::LOAD}); }
bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80u;
}

}  // namespace

TokenType head_word(std::string_view word) { return find(kHeads, word); }
TokenType entry_word(std::string_view word) { return find(kEntries, word); }
TokenType action_word(std::string_view word) { return find(kActions, word); }
TokenType modifier_word(std::string_view word) { return find(kModifiers, word); }

const std::vector<std::string>& statement_words() {
  static const std::vector<std::string> list = [] {
    std::vector<std::string> words = {"param", "let", "def", "for", "if"};
    for (const Word& w : kHeads) words.emplace_back(w.first);
    return words;
  }();
  return list;
}

std::string meant_statement(std::string_view word) {
  static constexpr std::pair<std::string_view, std::string_view> kOfOthers[] = {
      {"coordinate", "coord"}, {"parameter", "param"},     {"const", "let"},
      {"constant", "let"},     {"equation", "constraint"}, {"function", "def"}};
  for (const auto& [other, ours] : kOfOthers)
    if (word == other) return std::string(ours);
  return nearest(word, statement_words());
}

const std::vector<std::string>& modifier_words() {
  static const std::vector<std::string> list = words_in(kModifiers);
  return list;
}

std::vector<std::string> reserved_words() { return words_in(kReserved); }
std::vector<std::string> entry_words() { return words_in(kEntries); }
std::vector<std::string> action_words() { return words_in(kActions); }

std::vector<std::string> modifiers_after(std::string_view word) {
  std::vector<std::string> words;
  TokenType head = head_word(word);
  if (head == 0) head = entry_word(word);
  if (head == 0) head = action_word(word);
  if (head == 0) head = find(kReserved, word);
  for (const Word& w : kModifiers)
    if (takes_modifier(head, w.second)) words.emplace_back(w.first);
  return words;
}

bool is_reserved(TokenType type) { return type >= L::MBD && type <= L::NOT; }

bool is_comparison(TokenType type) { return one_of(type, {L::LT, L::LE, L::GT, L::GE, L::EQ, L::NE}); }

bool is_binary(TokenType type) {
  return is_comparison(type) ||
         one_of(type, {L::PLUS, L::MINUS, L::STAR, L::SLASH, L::CARET, L::DOTDOT, L::AND, L::OR});
}

bool ends_operand(TokenType type) {
  return one_of(type, {L::NAME, L::NUMBER, L::STRING, L::RPAREN, L::RBRACK, L::PRIME, L::ALWAYS});
}

bool begins_operand(TokenType type) {
  return one_of(type, {L::NAME, L::NUMBER, L::STRING, L::LPAREN, L::PLUS, L::MINUS, L::NOT, L::IF});
}

bool continues_line(TokenType type) {
  return is_binary(type) ||
         one_of(type, {L::COMMA, L::COLON, L::EQUALS, L::TILDE, L::THEN, L::ELSE, L::NOT, L::IN, L::DOT});
}

bool takes_modifier(TokenType head, TokenType modifier) {
  if (is_entity(head)) {
    return one_of(modifier, {L::AT, L::MOVING, L::ROTATED, L::SPINNING, L::FOLLOWS, L::ON, L::FROM, L::RATE});
  }
  if (is_load(head)) return one_of(modifier, {L::ON, L::FROM, L::AT});
  switch (head) {
    case L::COORD:
      return modifier == L::RATE;
    case L::SHAPE:
      return one_of(modifier, {L::ON, L::AT, L::ROTATED});
    case L::FRICTION:
      return one_of(modifier, {L::ON, L::STATIC, L::RESTITUTION});
    case L::CONSTRAINT:
      return one_of(modifier, {L::NONIDEAL, L::RESTITUTION});
    case L::STATE:
      return modifier == L::WHERE;
    case L::TEST:
    case L::SWEEP:
    case L::PLOT:
      return modifier == L::OVER;
    case L::CHECK:
      return one_of(modifier, {L::WITHIN, L::AT, L::ALWAYS});
    case L::WHEN:
      return one_of(modifier, {L::RISING, L::FALLING, L::CROSSING});
    case L::EVERY:
      return modifier == L::FROM;
    case L::IMPULSE:
      return modifier == L::ON;
    default:
      return false;
  }
}

bool modifier_continues(TokenType head, TokenType modifier) {
  return takes_modifier(head, modifier) && one_of(modifier, {L::AT, L::MOVING, L::ROTATED, L::SPINNING, L::FOLLOWS,
                                                             L::NONIDEAL, L::RESTITUTION, L::STATIC, L::FROM, L::RATE});
}

std::string_view head_text(TokenType head) {
  if (head == L::IF_BLOCK) return "if";
  for (const std::span<const Word> table :
       {std::span<const Word>(kHeads), std::span<const Word>(kEntries), std::span<const Word>(kActions),
        std::span<const Word>(kModifiers), std::span<const Word>(kReserved)})
    for (const auto& [word, type] : table)
      if (type == head) return word;
  return "";
}

std::string_view declared_noun(TokenType head) {
  static constexpr std::pair<TokenType, std::string_view> kNouns[] = {
      {L::PARAM, "parameter"},        {L::LET, "value"},
      {L::DEF, "function"},           {L::COORD, "coordinate"},
      {L::FOR, "loop index"},         {L::SIMULATE, "run"},
      {L::TYPE_NAME, "instance"},     {L::WHEN, "event"},
      {L::AT_EVENT, "event"},         {L::EVERY, "event"},
      {L::KINETIC, "kinetic energy"}, {L::DISSIPATION, "dissipation function"}};
  const bool named = head_word(head_text(head)) == head &&
                     !one_of(head, {L::SPACE, L::GRAVITY, L::INIT, L::TEST, L::USE, L::REQUIRE, L::SHOW, L::HIDE});
  return value_of(head, kNouns, named ? head_text(head) : "");
}

std::string with_article(std::string_view noun) {
  const bool vowel = !noun.empty() && std::string_view("aeiou").find(noun[0]) != std::string_view::npos;
  return (vowel ? "an " : "a ") + std::string(noun);
}

std::string statement_noun(std::string_view word) {
  return with_article(word).substr(0, with_article(word).size() - word.size()) + "`" + std::string(word) +
         "` statement";
}

bool looks_like_unit(std::string_view inside) {
  bool any = false;
  for (std::size_t i = 0; i < inside.size();) {
    if (is_word_char(inside[i])) {
      std::size_t end = i;
      while (end < inside.size() && (is_word_char(inside[end]) || (inside[end] >= '0' && inside[end] <= '9'))) ++end;
      if (std::find(kUnits.begin(), kUnits.end(), inside.substr(i, end - i)) == kUnits.end()) return false;
      any = true;
      i = end;
    } else if (std::string_view(" \t*/^-()0123456789").find(inside[i]) == std::string_view::npos) {
      return false;
    } else {
      ++i;
    }
  }
  return any;
}

}  // namespace mbc::syntax
