// SPDX-License-Identifier: Apache-2.0
#include "compiler/parse/match_brackets.h"

#include <string>
#include <utility>

#include "MbcLexer.h"
#include "compiler/parse/words.h"

namespace mbc::syntax {
namespace {

using L = MbcLexer;

bool is_open(TokenType t) { return t == L::LPAREN || t == L::LBRACK || t == L::LBRACE; }
bool is_close(TokenType t) { return t == L::RPAREN || t == L::RBRACK || t == L::RBRACE; }
TokenType opener_of(TokenType close) {
  return close == L::RPAREN ? L::LPAREN : close == L::RBRACK ? L::LBRACK : L::LBRACE;
}
std::string_view partner(TokenType open) { return open == L::LPAREN ? ")" : open == L::LBRACK ? "]" : "}"; }

// Returns whether a block holds entries, in which no declaration can stand.
bool holds_entries(const TokenList& list, std::uint32_t head) {
  if (head == kNoToken || list.tokens[head].type != L::NAME) return false;
  const TokenType word = head_word(list.text(list.tokens[head]));
  return word == L::INIT || word == L::SIMULATE || word == L::TEST || word == L::SWEEP || word == L::WHEN ||
         word == L::AT_EVENT || word == L::EVERY;
}

class Matcher {
 public:
  Matcher(TokenList& list, Sink& sink) : list_(list), sink_(sink) {}

  void run() {
    for (std::uint32_t i = 0; i < list_.tokens.size() && !sink_.full(); ++i) step(i);
  }

 private:
  struct Open {
    std::uint32_t token;
    bool entries;  // a block of entries
  };

  void step(std::uint32_t i) {
    Token& t = list_.tokens[i];
    if (t.type == kEndOfFile) return finish(i);
    if (t.line_start) unmatched_on_line_ = false;
    if (!open_.empty() && begins_statement(list_, i)) interrupt(i);
    if (is_head(i)) head_ = i;
    if (t.type == L::SEMI && in_parentheses()) drop_parentheses(i, "`;` ends the statement here");
    if (is_open(t.type)) open(i);
    if (is_close(t.type)) close(i);
  }

  [[nodiscard]] bool in_parentheses() const {
    return !open_.empty() && list_.tokens[open_.back().token].type != L::LBRACE;
  }

  [[nodiscard]] bool is_head(std::uint32_t i) const {
    if (i == 0) return true;
    const Token& before = list_.tokens[i - 1];
    if (before.type == L::LBRACE || before.type == L::RBRACE || before.type == L::SEMI) return true;
    return list_.tokens[i].line_start && !in_parentheses() && !continues_line(before.type);
  }

  void open(std::uint32_t i) {
    if (list_.tokens[i].type == L::LBRACE && in_parentheses()) drop_parentheses(i, "a block begins here");
    const bool block = list_.tokens[i].type == L::LBRACE;
    open_.push_back({i, block && holds_entries(list_, head_)});
  }

  void close(std::uint32_t i) {
    Token& t = list_.tokens[i];
    if (t.type == L::RBRACE && in_parentheses()) drop_parentheses(i, "the block ends here");
    const bool same_level = t.type == L::RBRACE ? !open_.empty() : in_parentheses();
    if (!same_level) {
      t.broken = true;
      if (std::exchange(unmatched_on_line_, true)) return;  // )))) is one mistake
      sink_.report(Kind::unmatched_bracket, list_.span(t), list_.text(t)).hint("delete it, or open it before");
      return;
    }
    if (list_.tokens[open_.back().token].type == opener_of(t.type)) return pair(i);
    mismatch(i);
  }

  void pair(std::uint32_t i) {
    const std::uint32_t other = open_.back().token;
    list_.tokens[i].match = other;
    list_.tokens[other].match = i;
    open_.pop_back();
  }

  // `(a]`: if the bracket below fits, the upper one was forgotten; otherwise the closing one is of the wrong kind.
  void mismatch(std::uint32_t i) {
    Token& t = list_.tokens[i];
    Token& upper = list_.tokens[open_.back().token];
    t.broken = upper.broken = true;
    sink_.report(Kind::mismatched_bracket, list_.span(t), list_.text(t), list_.text(upper))
        .label(list_.span(upper), "opened here")
        .hint("close it with `" + std::string(partner(upper.type)) + "`");
    open_.pop_back();
    if (in_parentheses() && list_.tokens[open_.back().token].type == opener_of(t.type)) pair(i);
  }

  // Reports the innermost open ( or [ and forgets all of them.
  void drop_parentheses(std::uint32_t at, std::string why) {
    unclosed(open_.back().token, at, std::move(why));
    while (in_parentheses()) {
      list_.tokens[open_.back().token].broken = true;
      open_.pop_back();
    }
    list_.tokens[at].force_start = true;
  }

  void unclosed(std::uint32_t opened, std::uint32_t at, std::string why) {
    const Token& o = list_.tokens[opened];
    Diagnostic& d = sink_.report(Kind::unclosed_bracket, list_.span(o), list_.text(o));
    if (list_.tokens[at].type != kEndOfFile) d.label(list_.span(list_.tokens[at]), std::move(why));
    d.hint("add `" + std::string(partner(o.type)) + "`");
  }

  // Handles the beginning of a statement while brackets are open.
  void interrupt(std::uint32_t i) {
    if (in_parentheses()) drop_parentheses(i, "the next statement begins here");
    if (open_.empty() || !open_.back().entries) return;
    const std::uint32_t block = open_.back().token;
    if (!declares(i)) return;
    unclosed(block, i, "a declaration, which cannot stand in this block");
    open_.pop_back();
    list_.tokens[i].close_braces = 1;
  }

  // `Name name` may be a mistyped entry. Only the words of declarations prove that the block was left open, and only if
  // nothing closes it further down on its own (then the declaration is the mistake).
  [[nodiscard]] bool declares(std::uint32_t i) const {
    const Token& t = list_.tokens[i];
    if (is_reserved(t.type) ? t.type == L::IF || t.type == L::FOR : head_word(list_.text(t)) == 0) return false;
    int depth = 0;
    for (std::size_t k = i; k < list_.tokens.size() && k < i + kLookAhead; ++k) {
      const TokenType type = list_.tokens[k].type;
      if (type == L::LBRACE) ++depth;
      if (type == L::RBRACE && --depth < 0) return false;
    }
    return true;
  }

  void finish(std::uint32_t i) {
    if (open_.empty()) return;
    if (in_parentheses()) {
      drop_parentheses(i, "");
      list_.tokens[i].close_braces = static_cast<std::uint32_t>(open_.size());
      return;
    }
    unclosed(open_.back().token, i, "");
    list_.tokens[i].close_braces = static_cast<std::uint32_t>(open_.size());
  }

  static constexpr std::size_t kLookAhead = 2000;

  TokenList& list_;
  Sink& sink_;
  std::vector<Open> open_;
  std::uint32_t head_ = kNoToken;
  bool unmatched_on_line_ = false;
};

}  // namespace

bool begins_statement(const TokenList& list, std::size_t at) {
  const Token& t = list.tokens[at];
  if (!t.line_start || at + 1 >= list.tokens.size()) return false;
  const Token& next = list.tokens[at + 1];
  if (next.line_start) return false;
  if (t.type == L::MBD || t.type == L::PARAM || t.type == L::LET || t.type == L::DEF) return true;
  if (t.type != L::NAME || (next.type != L::NAME && next.type != L::STRING)) return false;
  if (modifier_word(list.text(next)) != 0) return false;
  return head_word(list.text(t)) != 0 || modifier_word(list.text(t)) == 0;
}

void match_brackets(TokenList& list, Sink& sink) { Matcher(list, sink).run(); }

std::size_t open_brackets(const TokenList& list) {
  std::vector<TokenType> open;
  for (const Token& t : list.tokens) {
    if (is_open(t.type)) open.push_back(t.type);
    if (is_close(t.type) && !open.empty() && open.back() == opener_of(t.type)) open.pop_back();
  }
  return open.size();
}

}  // namespace mbc::syntax
