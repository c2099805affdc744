// SPDX-License-Identifier: Apache-2.0
#include "compiler/format/layout.h"

#include <algorithm>
#include <initializer_list>

#include "base/table.h"

namespace mbc::format {

namespace {

using syntax::ClassifiedToken;
using syntax::TokenClass;

constexpr unsigned kIndent = 2;
constexpr unsigned kBeforeComment = 2;

bool is_one_of(TokenClass what, std::initializer_list<TokenClass> list) {
  return std::find(list.begin(), list.end(), what) != list.end();
}

bool is_line_end(char c) { return c == '\n' || c == '\r'; }

class Layout {
 public:
  Layout(std::string_view text, const std::vector<ClassifiedToken>& tokens) : text_(text), tokens_(tokens) {}

  std::vector<Line> run() {
    find_broken_blocks();
    std::size_t gap_begin = text_.starts_with("\xEF\xBB\xBF") ? 3 : 0;  // a byte order mark is dropped
    for (k_ = 0; k_ < tokens_.size(); ++k_) {
      if (now().what == TokenClass::semicolon) continue;  // part of the gap: the next token tells whether it is needed
      before(gap_begin);
      if (now().what == TokenClass::end) break;
      put_token();
      gap_begin = now().end;
      previous_ = k_;
    }
    return std::move(lines_);
  }

 private:
  struct Block {
    unsigned indent = 0;  // of the line with its `{`
  };

  [[nodiscard]] const ClassifiedToken& now() const { return tokens_[k_]; }
  [[nodiscard]] std::string_view text_of(const ClassifiedToken& t) const {
    return text_.substr(t.begin, t.end - t.begin);
  }
  [[nodiscard]] bool has_previous() const { return previous_ != syntax::kNoToken; }
  [[nodiscard]] TokenClass previous() const { return has_previous() ? tokens_[previous_].what : TokenClass::end; }

  // ---- blocks on one line and on several ----

  void find_broken_blocks() {
    std::vector<std::uint32_t> after_block(tokens_.size() + 1, 0);  // statements up to here that follow an inner block
    for (std::size_t k = 0; k < tokens_.size(); ++k)
      after_block[k + 1] =
          after_block[k] + (k > 0 && tokens_[k].starts_statement && tokens_[k - 1].what == TokenClass::brace_close);
    broken_.assign(tokens_.size(), false);
    for (std::size_t open = 0; open < tokens_.size(); ++open) {
      const ClassifiedToken& t = tokens_[open];
      if (t.what != TokenClass::brace_open || t.match >= tokens_.size()) continue;
      const std::size_t line_end = text_.find_first_of("\n\r", t.end);
      broken_[open] = broken_[t.match] = line_end < tokens_[t.match].begin ||
                                         after_block[t.match] > after_block[open + 1];  // they get their own lines
    }
  }

  // ---- between two tokens ----

  void before(std::size_t gap_begin) {
    unsigned line_ends = 0;
    bool semicolon = false, comment = false;
    for (std::size_t at = gap_begin; at < now().begin;) {
      const char c = text_[at];
      if (is_line_end(c)) {
        at += c == '\r' && at + 1 < text_.size() && text_[at + 1] == '\n' ? 2 : 1;
        ++line_ends;
      } else if (c == '/') {
        std::size_t end = at;
        while (end < text_.size() && !is_line_end(text_[end])) ++end;
        put_comment(at, end, line_ends);
        comment = true;
        line_ends = 0;
        at = end;
      } else {
        semicolon |= c == ';';
        ++at;
      }
    }
    if (now().what == TokenClass::end) return;
    if (breaks(line_ends, comment)) return begin_line(line_ends > 1, comment);
    if (line_ends > 0 && !lines_.empty()) lines_.back().joined = true;
    if (semicolon && now().starts_statement && !lines_.empty()) put(";", 0, now().begin, false);
  }

  [[nodiscard]] bool breaks(unsigned line_ends, bool comment) const {
    if (lines_.empty() || comment) return true;
    if (now().what == TokenClass::else_word && previous() == TokenClass::brace_close) return false;
    if (now().what == TokenClass::brace_close) return broken_[k_];
    if (previous() == TokenClass::brace_open) return broken_[previous_];
    return line_ends > 0 || (now().starts_statement && previous() == TokenClass::brace_close);
  }

  void put_comment(std::size_t begin, std::size_t end, unsigned line_ends) {
    while (end > begin && (text_[end - 1] == ' ' || text_[end - 1] == '\t' || text_[end - 1] == '\f')) --end;
    if (lines_.empty() || line_ends > 0) {
      Line line;
      line.after_blank_line = line_ends > 1 && wants_blank_line();
      line.indent = now().what == TokenClass::brace_close ? inside() : indent();
      lines_.push_back(std::move(line));
    }
    put(text_.substr(begin, end - begin), lines_.back().pieces.empty() ? 0 : kBeforeComment, begin, true);
  }

  // Returns false after `{` and at the beginning of the file.
  [[nodiscard]] bool wants_blank_line() const {
    if (lines_.empty()) return false;
    const Line& last = lines_.back();
    return !(previous() == TokenClass::brace_open && !last.pieces.empty() && !last.pieces.front().comment);
  }

  void begin_line(bool blank, bool after_comment) {
    Line line;
    const bool own_comment = after_comment && !lines_.empty() && lines_.back().pieces.front().comment;
    line.after_blank_line = blank && (own_comment || wants_blank_line()) && now().what != TokenClass::brace_close;
    line.indent = indent();
    lines_.push_back(std::move(line));
  }

  // Returns the indent of statements in the innermost open block.
  [[nodiscard]] unsigned inside() const { return blocks_.empty() ? 0 : blocks_.back().indent + kIndent; }

  // Returns the indent of a line that begins with the current token.
  [[nodiscard]] unsigned indent() const {
    if (now().what == TokenClass::brace_close) return blocks_.empty() ? 0 : blocks_.back().indent;
    if (now().what == TokenClass::end || now().starts_statement) return inside();
    if (now().what == TokenClass::else_word && previous() == TokenClass::brace_close) return inside();
    const auto open = static_cast<unsigned>(brackets_.size());
    const bool closes = now().what == TokenClass::paren_close || now().what == TokenClass::bracket_close;
    return inside() + kIndent * (closes && open > 0 ? open - 1 : std::max(1u, open));
  }

  // ---- tokens ----

  void put_token() {
    const ClassifiedToken& t = now();
    if (t.starts_statement) {
      brackets_.clear();
      is_loop_ = t.what == TokenClass::for_word;
    }
    const bool fresh = lines_.back().pieces.empty();
    put(text_of(t), fresh ? 0 : gap(), t.begin, false);
    if (is_one_of(t.what, {TokenClass::paren_open, TokenClass::index_open, TokenClass::unit_open})) {
      brackets_.push_back(t.what);
    } else if (t.what == TokenClass::paren_close || t.what == TokenClass::bracket_close) {
      if (!brackets_.empty()) brackets_.pop_back();
    } else if (t.what == TokenClass::brace_open) {
      blocks_.push_back({lines_.back().indent});
      brackets_.clear();
    } else if (t.what == TokenClass::brace_close) {
      if (!blocks_.empty()) blocks_.pop_back();
    }
  }

  // Returns the blanks between the token before and the current one, on one line.
  [[nodiscard]] unsigned gap() const {
    const TokenClass left = previous(), right = now().what;
    using T = TokenClass;
    const bool touches_left = is_one_of(right, {T::comma, T::colon, T::paren_close, T::bracket_close, T::dot, T::prime,
                                                T::caret, T::factor, T::index_open});
    const bool touches_right =
        is_one_of(left, {T::paren_open, T::index_open, T::unit_open, T::dot, T::caret, T::factor, T::sign});
    if (touches_left || touches_right) return 0;
    if (left == T::sum || right == T::sum) return tight() ? 0 : 1;
    if (left == T::dots || right == T::dots) return brackets_.empty() && !is_loop_ ? 1 : 0;
    if (right == T::paren_open)
      return left == T::name || left == T::paren_close || left == T::bracket_close || left == T::prime ? 0 : 1;
    return 1;
  }

  // Returns whether operators have no blanks around them: p[i-1], [m^-2].
  [[nodiscard]] bool tight() const { return !brackets_.empty() && brackets_.back() != TokenClass::paren_open; }

  void put(std::string_view text, unsigned gap, std::size_t at, bool comment) {
    Piece piece;
    piece.text = text;
    piece.gap = gap;
    piece.comment = comment;
    // `=` and keywords line up with each other, other tokens with those that follow the same kind of token
    const TokenClass own = now().what;
    piece.kind = comment                                                     ? TokenClass::end
                 : own == TokenClass::relation || own == TokenClass::keyword ? own
                                                                             : previous();
    advance(at);
    piece.column = column_;
    piece.blanks = !comment && now().starts_statement ? 0 : column_ - word_end_;  // statements are not lined up
    lines_.back().pieces.push_back(piece);
  }

  // Moves the cursor, which only goes forwards, to byte `at`.
  void advance(std::size_t at) {
    while (cursor_ < at) {
      const char c = text_[cursor_];
      if (is_line_end(c)) {
        column_ = word_end_ = 0;
        ++cursor_;
      } else if (c == ' ' || c == '\t') {
        column_ = c == '\t' ? (column_ / 8 + 1) * 8 : column_ + 1;
        ++cursor_;
      } else {
        const std::size_t end = std::min(text_.find_first_of(" \t\r\n", cursor_), at);
        column_ += width_of(text_.substr(cursor_, end - cursor_));
        word_end_ = column_;
        cursor_ = end;
      }
    }
  }

  std::string_view text_;
  const std::vector<ClassifiedToken>& tokens_;
  std::vector<bool> broken_;  // per brace: its block goes over several lines
  std::vector<Line> lines_;
  std::size_t k_ = 0;
  std::size_t previous_ = syntax::kNoToken;  // the last token put
  std::vector<Block> blocks_;                // open ones
  std::vector<TokenClass> brackets_;         // open ones of the statement
  bool is_loop_ = false;                     // the statement is a `for`
  std::size_t cursor_ = 0;                   // in the original text
  unsigned column_ = 0, word_end_ = 0;       // cells before the cursor, and before the blanks in front of it
};

}  // namespace

std::vector<Line> lay_out(std::string_view text, const std::vector<ClassifiedToken>& tokens) {
  return Layout(text, tokens).run();
}

unsigned width_of(std::string_view text) { return static_cast<unsigned>(text::display_width(text)); }

}  // namespace mbc::format
