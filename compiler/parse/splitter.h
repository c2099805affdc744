// SPDX-License-Identifier: Apache-2.0
// The walk of split_statements: one pass over the tokens with a stack of open blocks. The newline rule is in
// split_statements.cpp, the words and brackets of a statement in splitter_words.cpp.
#pragma once
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/parse/split_statements.h"

namespace mbc::syntax {

// The contents that a block may have; in a muted one nothing is reported.
enum class Block : std::uint8_t { declarations, loads, init, settings, checks, sweep, assignments, muted };

// The names that stand before `in` somewhere in the text: indices of loops. They are collected at the first question.
class LoopIndices {
 public:
  explicit LoopIndices(const TokenList& in) : in_(in) {}
  bool contains(std::string_view name);

 private:
  const TokenList& in_;
  bool known_ = false;
  std::set<std::string_view> names_;
};

class Splitter {
 public:
  Splitter(const TokenList& in, ParseMode mode, Sink& sink);
  Statements run();

 private:
  struct Statement {
    bool started = false;
    bool broken = false;
    TokenType head = 0;
    std::uint32_t start = 0;  // of START in the output
    std::uint32_t parentheses = 0;
  };
  struct Outer {
    Statement statement;
    Block block;
  };

  [[nodiscard]] const Token& now() const { return in_.tokens[i_]; }
  [[nodiscard]] const Token& next() const { return in_.tokens[std::min(i_ + 1, in_.tokens.size() - 1)]; }
  [[nodiscard]] TokenType before() const { return i_ == 0 ? 0 : in_.tokens[i_ - 1].type; }
  [[nodiscard]] bool next_on_line() const { return !next().line_start && next().type != kEndOfFile; }
  [[nodiscard]] TokenType last() const { return out_.list.tokens.empty() ? 0 : out_.list.tokens.back().type; }

  void put(TokenType type, std::uint32_t begin, std::uint32_t end) {
    Token t;
    t.type = type;
    t.begin = begin;
    t.end = end;
    out_.list.tokens.push_back(t);
    out_.blocks.push_back(static_cast<std::uint32_t>(outer_.size()));
  }

  Diagnostic& report(Kind kind, Span span, std::string arg = {}, std::string arg2 = {}) {
    const bool silent = current_.broken || block_ == Block::muted;
    current_.broken = true;
    if (silent) return ignored_;
    return sink_.report(kind, span, std::move(arg), std::move(arg2));
  }

  // ---- the walk ----
  void step();
  void finish();
  [[nodiscard]] std::uint32_t now_or_end() const;
  void begin();
  void add(TokenType type);
  void end_at_line();
  void end(std::uint32_t begin, std::uint32_t end);
  void open_block();
  [[nodiscard]] Block inner_block() const;
  void close_block(std::uint32_t begin, std::uint32_t finish);

  // ---- the newline rule: `now` is the first token of a line, a statement is open ----
  bool goes_on();
  // Returns whether `key = ` follows, in a block of such entries.
  [[nodiscard]] bool begins_entry() const;
  // Returns whether the line begins a statement: `at 2 [s] { ... }` does, `at (1, 0, 0)` goes on.
  [[nodiscard]] bool is_event_line() const;

  // ---- the first word of a statement ----
  TokenType head();
  TokenType declaration_head();
  TokenType word_head();
  // Returns whether `force` or `load` is the name of a value, which it may be in the REPL.
  [[nodiscard]] bool is_expression_in_repl(TokenType word) const;
  void unknown_word(const Token& word, std::string_view text);
  void expression();
  // Distinguishes `if a { }` from the expression `if a then b else c` by the sign that comes first.
  [[nodiscard]] bool is_if_block() const;
  TokenType entry_head();

  // ---- words and brackets inside a statement ----
  TokenType classify();
  [[nodiscard]] bool is_else_if() const;
  TokenType modifier(TokenType word);
  // `force on bead: ...` has no name; in `force on on bead: ...` the first `on` is the name.
  [[nodiscard]] bool anonymous_on() const;
  [[nodiscard]] Span bracket_span() const;
  // Decides whether `[` opens a unit or an index, or is a mistake.
  TokenType bracket();
  TokenType open_unit();
  // Returns whether the name just written is the one being declared: `param m`, `coord x = 0, y`.
  [[nodiscard]] bool is_declared_name() const;
  [[nodiscard]] bool shows_units() const;
  [[nodiscard]] bool is_input_unit(std::string_view inside) const;
  void unit_after_name(std::string_view inside);

  const TokenList& in_;
  ParseMode mode_;
  Sink& sink_;
  Statements out_;
  Statement current_;
  Block block_ = Block::declarations;
  std::vector<Outer> outer_;
  std::size_t i_ = 0;
  std::size_t doc_ = 0;
  std::uint32_t unit_end_ = 0;
  std::uint32_t begun_ = 0;  // statements
  bool at_end_ = false;
  LoopIndices loop_indices_{in_};
  Diagnostic ignored_;
};

}  // namespace mbc::syntax
