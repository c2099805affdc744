// SPDX-License-Identifier: Apache-2.0
#include "compiler/parse/split_statements.h"

#include <algorithm>
#include <string>
#include <utility>

#include "MbcLexer.h"
#include "compiler/parse/match_brackets.h"
#include "compiler/parse/splitter.h"
#include "compiler/parse/words.h"

namespace mbc::syntax {

using L = MbcLexer;

namespace {

// Returns the `///` lines before a token, from number `next` on. At the head of a file, above `mbd 1` or the first
// statement, they describe the file; those below a blank line, directly above the statement, document it.
std::string document(const TokenList& list, std::size_t token, std::size_t& next, std::string* description) {
  std::string doc;
  const auto describe = [&] {
    if (!description->empty() && !doc.empty()) *description += '\n';
    *description += std::exchange(doc, {});
  };
  bool described = description != nullptr && !description->empty();
  for (; next < list.docs.size() && list.docs[next].token <= token; ++next) {
    if (description != nullptr && list.docs[next].apart && !doc.empty()) {
      describe();
      described = true;
    }
    if (!doc.empty()) doc += '\n';
    doc += list.docs[next].text;
  }
  if (description != nullptr && (!described || list.behind_blank_line(list.tokens[token].begin))) describe();
  return doc;
}

}  // namespace

Splitter::Splitter(const TokenList& in, ParseMode mode, Sink& sink) : in_(in), mode_(mode), sink_(sink) {
  out_.list.sources = in.sources;
  out_.list.file = in.file;
  out_.list.tokens.reserve(in.tokens.size() * 3 / 2);
  out_.blocks.reserve(in.tokens.size() * 3 / 2);
}

Statements Splitter::run() {
  for (i_ = 0; i_ < in_.tokens.size() && !sink_.full(); ++i_) step();
  if (!at_end_) finish();
  return std::move(out_);
}

// ---- the walk ----

void Splitter::step() {
  const Token& t = now();
  if (t.force_start) {
    current_.parentheses = 0;
    if (t.type != L::LBRACE && t.type != L::SEMI) end_at_line();
  }
  for (std::uint32_t k = 0; k < t.close_braces; ++k) close_block(t.begin, t.begin);
  if (t.type == kEndOfFile) return finish();
  const bool fresh_line = current_.started && t.line_start && current_.parentheses == 0 && t.type != L::RBRACE;
  if (fresh_line && !goes_on()) end_at_line();
  if (t.type == L::SEMI) return end(t.begin, t.end);
  if (t.type == L::RBRACE) return t.match == kNoToken ? end(t.begin, t.end) : close_block(t.begin, t.end);
  if (!current_.started) return begin();
  if (t.type == L::LBRACE) return open_block();
  add(classify());
}

void Splitter::finish() {
  at_end_ = true;
  end_at_line();
  while (!outer_.empty()) close_block(now_or_end(), now_or_end());
  put(kEndOfFile, now_or_end(), now_or_end());
}

std::uint32_t Splitter::now_or_end() const { return in_.tokens[std::min(i_, in_.tokens.size() - 1)].begin; }

void Splitter::begin() {
  // the header and the first statement
  const bool at_head = mode_ == ParseMode::file && begun_ < 2;
  ++begun_;
  std::string doc = document(in_, i_, doc_, at_head ? &out_.description : nullptr);
  current_ = {};
  current_.started = true;
  current_.start = static_cast<std::uint32_t>(out_.list.tokens.size());
  if (!doc.empty()) out_.list.docs.push_back({current_.start, std::move(doc)});
  put(L::START, now().begin, now().begin);
  if (now().type == L::LBRACE) {
    report(Kind::unknown_statement, in_.span(now()), "`{`");
    return open_block();
  }
  current_.head = now().broken ? now().type : head();
  add(current_.head);
}

void Splitter::add(TokenType type) {
  const Token& t = now();
  if (t.broken) current_.broken = true;
  if (t.type == L::LPAREN || t.type == L::LBRACK) ++current_.parentheses;
  if ((t.type == L::RPAREN || t.type == L::RBRACK) && current_.parentheses > 0) --current_.parentheses;
  while (doc_ < in_.docs.size() && in_.docs[doc_].token <= i_) ++doc_;  // inside a statement: documents nothing
  put(type, t.begin, t.end);
}

void Splitter::end_at_line() {
  const std::uint32_t at = i_ == 0 ? 0 : in_.tokens[i_ - 1].end;
  end(at, at);
}

void Splitter::end(std::uint32_t begin, std::uint32_t end) {
  if (!current_.started) return;
  if (current_.broken) {
    while (!out_.list.docs.empty() && out_.list.docs.back().token >= current_.start) out_.list.docs.pop_back();
    out_.list.tokens.resize(current_.start + 1);
    out_.blocks.resize(current_.start + 1);
    put(L::BROKEN, out_.list.tokens.back().begin, end);
  }
  put(L::END, begin, end);
  current_ = {};
}

void Splitter::open_block() {
  current_.parentheses = 0;
  if (current_.head == L::TYPE_NAME) {
    const Token& name = out_.list.tokens[current_.start + 1];
    unknown_word(name, in_.text(name));
  }
  const Block inside = inner_block();
  if (now().broken) current_.broken = true;
  put(L::LBRACE, now().begin, now().end);
  outer_.push_back({current_, block_});
  block_ = inside;
  current_ = {};
}

Block Splitter::inner_block() const {
  if (current_.broken || block_ == Block::muted) return Block::muted;
  switch (current_.head) {
    case L::JOINT:
    case L::MODEL:
    case L::FOR:
    case L::IF_BLOCK:
      return Block::declarations;
    case L::CONSTRAINT:
      return last() == L::NONIDEAL ? Block::loads : Block::muted;
    case L::INIT:
      return Block::init;
    case L::SIMULATE:
      return Block::settings;
    case L::TEST:
      return Block::checks;
    case L::SWEEP:
      return Block::sweep;
    case L::WHEN:
    case L::AT_EVENT:
    case L::EVERY:
      return Block::assignments;
    default:
      return Block::muted;
  }
}

void Splitter::close_block(std::uint32_t begin, std::uint32_t finish) {
  if (now().line_start) end_at_line();
  end(begin, finish);
  if (outer_.empty()) return;
  current_ = outer_.back().statement;
  block_ = outer_.back().block;
  outer_.pop_back();
  put(L::RBRACE, begin, finish);
  const bool more = current_.head == L::IF_BLOCK && begin != finish && next().type == L::ELSE;
  if (!more) end(finish, finish);
}

// ---- the newline rule: `now` is the first token of a line, a statement is open ----

bool Splitter::goes_on() {
  const TokenType type = now().type;
  if (is_binary(type) || type == L::ELSE) return true;
  // `let a = b +` before a line `let c = d`, `x = y +` before `z = 1` in a block: the end of the line lacks something.
  if (continues_line(before())) {
    return !begins_statement(in_, i_) && !begins_entry() && type != L::FOR;
  }
  if (type == L::LBRACE) {
    const bool reported = current_.broken;
    report(Kind::brace_on_next_line, in_.span(now())).hint("move it to the end of the line before");
    current_.broken = reported;  // the mistake does not hide the meaning
    return true;
  }
  if (type != L::NAME) return false;
  const TokenType word = modifier_word(in_.text(now()));
  if (word == 0 || !modifier_continues(current_.head, word) || !ends_operand(before())) return false;
  if (!begins_operand(next().type) && next().type != L::LBRACE) return false;
  return word != L::AT || !is_event_line();
}

bool Splitter::begins_entry() const {
  const bool entries =
      block_ == Block::init || block_ == Block::settings || block_ == Block::sweep || block_ == Block::assignments;
  return entries && before() != L::COMMA && now().type == L::NAME && next().type == L::EQUALS;
}

bool Splitter::is_event_line() const {
  for (std::size_t k = i_ + 1; k < in_.tokens.size() && !in_.tokens[k].line_start; ++k) {
    const Token& t = in_.tokens[k];
    if (t.type == L::LBRACE) return true;
    if (t.type == L::SEMI) return false;
    if (t.type == L::LPAREN && t.match != kNoToken && t.match > k) k = t.match;
  }
  return false;
}

Statements split_statements(const TokenList& list, ParseMode mode, Sink& sink) {
  return Splitter(list, mode, sink).run();
}

bool is_unfinished(const TokenList& list) {
  if (list.tokens.size() < 2) return false;
  if (open_brackets(list) > 0 || continues_line(list.tokens[list.tokens.size() - 2].type)) return true;
  const auto count = [&list](TokenType type) {
    return std::count_if(list.tokens.begin(), list.tokens.end(), [type](const Token& t) { return t.type == type; });
  };
  return count(L::THEN) > count(L::ELSE);
}

}  // namespace mbc::syntax
