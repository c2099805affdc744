// SPDX-License-Identifier: Apache-2.0
// Decides which words are keywords in their place, and what a `[` opens.
#include <algorithm>
#include <string>

#include "MbcLexer.h"
#include "base/text.h"
#include "compiler/parse/splitter.h"
#include "compiler/parse/words.h"

namespace mbc::syntax {
namespace {

using L = MbcLexer;

std::string block_place(Block b) {
  constexpr const char* kPlaces[] = {
      "this block",     "a `nonideal` block", "an `init` block",       "a `simulate` block",
      "a `test` block", "a `sweep` block",    "the block of an event", "this block"};
  return std::string("in ") + kPlaces[static_cast<std::size_t>(b)];
}

bool is_load_word(TokenType t) { return t == L::FORCE || t == L::TORQUE || t == L::LOAD; }

// Joints and models have such names, functions rarely.
bool is_upper(std::string_view name) { return !name.empty() && name[0] >= 'A' && name[0] <= 'Z'; }

std::string lower(std::string_view name) {
  std::string text = printable(name, 40);
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

// Returns "(ground, b)" if that is short.
std::string arguments_or_dots(std::string_view written) {
  constexpr std::size_t kShort = 40;
  return written.size() > kShort || written.find('\n') != std::string_view::npos ? "(...)" : printable(written);
}

// Returns the hint for an action such as `disable f` outside of events and `init`. Returns "" if the words from `at` on
// mean something else: `disable f(...)` is an instance of a component `disable`.
std::string action_outside(const TokenList& in, std::size_t at) {
  const TokenType action = action_word(in.text(in.tokens[at]));
  const auto on_line = [&](std::size_t k) {
    return k < in.tokens.size() && !in.tokens[k].line_start && in.tokens[k].type != L::SEMI &&
           in.tokens[k].type != L::RBRACE && in.tokens[k].type != kEndOfFile;
  };
  if (action == 0 || !on_line(at + 1) || in.tokens[at + 1].type != (action == L::STOP ? L::STRING : L::NAME)) return "";
  if (action != L::STOP && on_line(at + 2) && in.tokens[at + 2].type == L::LPAREN) return "";
  std::size_t last = at + 1;
  while (on_line(last + 1)) ++last;
  const Span whole{in.file, in.tokens[at].begin, in.tokens[last].end};
  const std::string written = "{ " + printable(in.sources->text(whole), kExcerpt) + " }`";
  if (action == L::DISABLE)
    return "off from the beginning is `init " + written + ", off from an event on `when ... " + written;
  return "it is what an event does: `when ... " + written;
}

bool is_reserved_inside(TokenType t) { return t == L::THEN || t == L::ELSE || t == L::IN || t == L::AND || t == L::OR; }

}  // namespace

// ---- the first word of a statement ----

TokenType Splitter::head() {
  const TokenType type = now().type;
  if (type == L::MBD) {
    if (begun_ > 1) report(Kind::second_header, in_.span(now()));
    return type;
  }
  switch (block_) {
    case Block::declarations:
    case Block::loads:
      return declaration_head();
    case Block::muted:
      current_.broken = true;
      return type;
    case Block::init:
    case Block::settings:
    case Block::checks:
    case Block::sweep:
    case Block::assignments:
      break;
  }
  return entry_head();
}

TokenType Splitter::declaration_head() {
  TokenType type = now().type;
  if (type == L::NAME) type = word_head();
  if (type == L::IF) type = is_if_block() ? TokenType{L::IF_BLOCK} : TokenType{L::IF};
  if (current_.broken) return type;
  const bool declares = type == L::PARAM || type == L::LET || type == L::DEF || type == L::FOR || type == L::IF_BLOCK ||
                        type == L::TYPE_NAME || !head_text(type).empty();
  if (block_ == Block::loads && !is_load_word(type)) {
    report(Kind::misplaced_statement, in_.span(now()), statement_noun(in_.text(now())), block_place(block_));
  } else if (begins_operand(type)) {
    if (mode_ == ParseMode::file) expression();
  } else if (!declares || is_reserved_inside(type)) {
    const Kind kind = now().line_start ? Kind::line_begins_with : Kind::unknown_statement;
    report(kind, in_.span(now()), quoted(in_.text(now()), kExcerpt));
  }
  return type;
}

TokenType Splitter::word_head() {
  const std::string_view text = in_.text(now());
  const TokenType word = head_word(text);
  if (word != 0 && !(mode_ == ParseMode::repl && is_expression_in_repl(word))) return word;
  if (mode_ == ParseMode::file && word == 0 && entry_word(text) != 0 && next_on_line() && begins_operand(next().type)) {
    const TokenType entry = entry_word(text);
    report(Kind::misplaced_statement, in_.span(now()), statement_noun(text),
           entry == L::CHECK  ? "outside of a `test` block"
           : entry == L::PLOT ? "outside of a `simulate` block"
                              : "outside of a `sweep` block");
    return L::NAME;
  }
  if (const std::string help = action_outside(in_, i_); !help.empty()) {
    report(Kind::misplaced_statement, in_.span(now()), statement_noun(text), "outside of an event").hint(help);
    return L::NAME;
  }
  if (next().type == L::NAME && next_on_line()) return L::TYPE_NAME;
  if (mode_ == ParseMode::file) unknown_word(now(), text);
  return L::NAME;
}

bool Splitter::is_expression_in_repl(TokenType word) const {
  if (!next_on_line()) return true;
  const TokenType type = next().type;
  const bool takes_value =
      word == L::GRAVITY || word == L::SPACE || word == L::WHEN || word == L::AT_EVENT || word == L::EVERY;
  if (type == L::LPAREN || type == L::MINUS || type == L::PLUS) return !takes_value;
  return is_binary(type) || type == L::DOT || type == L::PRIME || type == L::LBRACK || type == L::COMMA ||
         type == L::EQUALS || type == L::SEMI;
}

void Splitter::unknown_word(const Token& word, std::string_view text) {
  const TokenType after = next_on_line() ? next().type : 0;
  const std::string guess = meant_statement(text);
  if (guess.empty() && (after == L::LPAREN || after == L::DOT || is_binary(after))) return expression();
  Diagnostic& d = report(Kind::unknown_statement, in_.span(word), quoted(text, kExcerpt));
  if (text == "elif" || text == "elseif" || text == "elsif") {
    d.hint("write `else if`");
  } else if (text == "import" || text == "include" || text == "from" || text == "using") {
    d.hint("write `use joints` for a module, `use \"my_parts.mbd\"` for a file");
  } else if (text == "end" || text == "done") {
    d.hint("blocks end with `}`");
  } else if (after == L::COLON || after == L::NAME) {
    d.hint("an instance of a joint or model is declared `Name a(...)`, its arguments in parentheses");
  } else if (after == L::EQUALS || after == L::PRIME) {
    d.hint("write `let " + printable(text, kExcerpt) + " = ...` for a name, `param " + printable(text, kExcerpt) +
           " = ...` for data of a run");
  } else if (!guess.empty()) {
    d.hint("did you mean `" + guess + "`?");
  }
}

void Splitter::expression() {
  const Token& t = now();
  Diagnostic& d = report(Kind::expression_statement, in_.span(t));
  const bool block_follows = t.type == L::IF;  // `if n == 1 then { ... }`
  const Token* close =
      next_on_line() && next().type == L::LPAREN && next().match != kNoToken ? &in_.tokens[next().match] : nullptr;
  const Token* behind = close ? close + 1 : nullptr;
  if (block_follows)
    d.hint(
        "a choice of declarations is `if a { ... } else { ... }`; a choice of values needs a name, `let x = if a then "
        "b else c`");
  else if (close && is_upper(in_.text(t)) && !(behind->type == L::NAME && !behind->line_start))
    d.hint("an instance of a joint or model has a name: `" + printable(in_.text(t), 40) + " " + lower(in_.text(t)) +
           "1" + arguments_or_dots(in_.sources->text({in_.file, next().begin, close->end})) + "`");
  else if (t.type == L::NAME && behind && behind->type == L::NAME && !behind->line_start)
    d.hint("an instance is declared `" + printable(in_.text(t), 40) + " " + printable(in_.text(*behind), 40) +
           "(...)`");
  else
    d.hint("name it with `let x = ...`, or write `output x = ...`");
}

bool Splitter::is_if_block() const {
  for (std::size_t k = i_ + 1; k < in_.tokens.size(); ++k) {
    const Token& t = in_.tokens[k];
    if (t.type == L::LBRACE) return true;
    if (t.type == L::THEN) return false;
    if (t.type == L::SEMI || t.type == L::RBRACE || (t.line_start && t.type == L::IF)) return true;
    if (t.type == L::LPAREN && t.match != kNoToken && t.match > k) k = t.match;
  }
  return true;
}

TokenType Splitter::entry_head() {
  const TokenType type = now().type;
  const std::string_view text = in_.text(now());
  const bool names_next = next_on_line() && (next().type == L::NAME || next().type == L::STRING);
  const bool declares = type == L::PARAM || type == L::LET || type == L::DEF || type == L::FOR || type == L::IF ||
                        (type == L::NAME && head_word(text) != 0 && names_next);
  const TokenType entry = type == L::NAME ? entry_word(text) : 0;
  // `disable foot` is an action, but in `disable = 1` the word is a name
  const TokenType action = type == L::NAME && names_next ? action_word(text) : 0;
  if (action != 0 && (block_ == Block::assignments || (block_ == Block::init && action == L::DISABLE))) return action;
  if (block_ == Block::checks && entry == L::CHECK) return entry;
  if (block_ == Block::sweep && entry == L::RECORD && next().type != L::EQUALS && next().type != L::DOT) return entry;
  const bool plot = entry == L::PLOT && next().type != L::EQUALS && next().type != L::DOT;
  if (block_ == Block::settings && plot) return entry;
  if (declares) {
    report(Kind::misplaced_statement, in_.span(now()), statement_noun(text), block_place(block_));
  } else if (block_ == Block::checks) {
    report(Kind::unknown_statement, in_.span(now()), quoted(text, kExcerpt))
        .hint("a test holds statements `check ...`");
  }
  return type;
}

// ---- words and brackets inside a statement ----

TokenType Splitter::classify() {
  const Token& t = now();
  if (t.type == L::LBRACK) return bracket();
  if (t.type == L::IN && i_ < unit_end_) return L::NAME;  // an inch
  if (t.type == L::IF) return is_else_if() ? TokenType{L::IF_BLOCK} : TokenType{L::IF};
  if (t.type != L::NAME || i_ < unit_end_ || last() == L::DOT) return t.type;
  const TokenType word = modifier_word(in_.text(t));
  return word == 0 ? TokenType{L::NAME} : modifier(word);
}

bool Splitter::is_else_if() const {
  const std::size_t n = out_.list.tokens.size();
  return n >= 2 && last() == L::ELSE && out_.list.tokens[n - 2].type == L::RBRACE;
}

TokenType Splitter::modifier(TokenType word) {
  if (word == L::ON && last() == L::IMPULSE && current_.head == L::IMPULSE) return word;
  const bool is_load = is_load_word(current_.head) || current_.head == L::FRICTION;
  if (word == L::ON && is_load && (is_load_word(last()) || last() == L::FRICTION))
    return anonymous_on() ? word : TokenType{L::NAME};
  if (!ends_operand(last())) return L::NAME;
  if (word == L::STEP || word == L::COUNT) return word;
  if (current_.parentheses > 0) return L::NAME;
  if (takes_modifier(current_.head, word)) return word;
  if (const std::string_view statement = head_text(current_.head); !statement.empty() && begins_operand(next().type)) {
    Diagnostic& d =
        report(Kind::misplaced_modifier, in_.span(now()), std::string(in_.text(now())), statement_noun(statement));
    if (current_.head == L::PLOT) d.hint("a `;` or a new line goes before another entry");
  }
  return L::NAME;
}

bool Splitter::anonymous_on() const {
  if (current_.head == L::FRICTION && next().type != L::NAME) return begins_operand(next().type);
  if (next().type != L::NAME) return false;
  if (in_.text(next()) != "on") return true;
  return i_ + 2 < in_.tokens.size() && in_.tokens[i_ + 2].type != L::NAME;
}

Span Splitter::bracket_span() const {
  const Token& close = now().match == kNoToken ? now() : in_.tokens[now().match];
  return join(in_.span(now()), in_.span(close));
}

TokenType Splitter::bracket() {
  const Token& t = now();
  if (t.match == kNoToken) return L::LBRACK;
  const std::string_view inside = in_.sources->text({in_.file, t.end, std::max(t.end, in_.tokens[t.match].begin)});
  const bool unit_like = looks_like_unit(inside);
  switch (last()) {
    case L::NUMBER:
    case L::RPAREN:
      return open_unit();
    case L::RBRACK:
      if (unit_end_ + 1 == i_) {
        report(Kind::second_unit, bracket_span()).hint("write one pair of brackets, as in `9.81 [m/s^2]`");
        return open_unit();
      }
      [[fallthrough]];
    case L::NAME:
      if (is_input_unit(inside)) return open_unit();
      if (unit_like && (t.space_before || is_declared_name()) && !loop_indices_.contains(inside))
        unit_after_name(inside);
      return L::LBRACK;
    case L::PRIME:
      if (unit_like) {
        unit_after_name(inside);
      } else {
        report(Kind::index_of_value, in_.span(t), "a prime").hint("put the prime after the index: `p[1].x'`");
      }
      return L::LBRACK;
    case L::IN:  // output swing = hinge.angle in [deg]
      if (shows_units() && current_.parentheses == 0) return open_unit();
      [[fallthrough]];
    default:
      report(Kind::bracket_for_vector, in_.span(t)).hint("a vector is written `(1, 0, 0)`");
      return L::LBRACK;
  }
}

// Returns whether `in [deg]` may stand behind the expressions of the statement: outputs, plots, what sweeps vary and
// record, expressions of the REPL.
bool Splitter::shows_units() const {
  if (current_.head == L::OUTPUT || current_.head == L::PLOT || block_ == Block::sweep) return true;
  return mode_ == ParseMode::repl && head_text(current_.head).empty();
}

TokenType Splitter::open_unit() {
  unit_end_ = now().match;
  return L::UNIT_OPEN;
}

bool Splitter::is_declared_name() const {
  const std::size_t n = out_.list.tokens.size();
  if (current_.parentheses > 0 || n < 2) return false;
  const TokenType two_before = out_.list.tokens[n - 2].type;
  return n - 2 == current_.start + 1 || two_before == L::COMMA;
}

// Returns whether a loop or array of the file counts with this name: `for m in 1..3 { particle p[m](1) ... }`
bool LoopIndices::contains(std::string_view name) {
  if (!known_)
    for (std::size_t k = 1; k + 1 < in_.tokens.size(); ++k)
      if (in_.tokens[k].type == L::IN && in_.tokens[k - 1].type == L::NAME && in_.tokens[k + 1].type != L::LBRACK)
        names_.insert(in_.text(in_.tokens[k - 1]));
  known_ = true;
  return names_.contains(name);
}

bool Splitter::is_input_unit(std::string_view inside) const {
  if (current_.head != L::INPUT) return false;
  if (last() == L::NAME && !is_declared_name()) return false;
  for (std::size_t k = i_ + 1; k < now().match; ++k) {
    if (in_.tokens[k].type == L::IN && in_.tokens[k - 1].type == L::NAME) return false;
  }
  return looks_like_unit(inside) || inside == "1" || now().space_before;
}

void Splitter::unit_after_name(std::string_view inside) {
  const Token& name = in_.tokens[i_ - 1];
  const std::string text = last() == L::NAME    ? quoted(in_.text(name), kExcerpt)
                           : last() == L::PRIME ? "a prime"
                                                : "an index";
  const std::string unit = "[" + printable(inside, 40) + "]";
  Diagnostic& d = report(Kind::unit_after_name, bracket_span(), text);
  if (last() != L::NAME) return void(d.hint("a name has the unit of what it was declared with"));
  if (current_.parentheses > 0 && (current_.head == L::MODEL || current_.head == L::JOINT || current_.head == L::DEF)) {
    d.hint("the unit follows the default: `" + printable(in_.text(name), 40) + " = 1 " + unit + "`");
  } else if (is_declared_name() && current_.head != 0) {
    d.hint("the unit follows the value: `" + printable(in_.text(name), 40) + " = 1 " + unit + "`");
  } else {
    d.hint("multiply by it, `" + printable(in_.text(name), 40) + "*(1 " + unit +
           ")`, or write an index without a blank");
  }
}

}  // namespace mbc::syntax
