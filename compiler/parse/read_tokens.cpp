// SPDX-License-Identifier: Apache-2.0
#include "compiler/parse/read_tokens.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "MbcLexer.h"
#include "antlr4-runtime.h"
#include "base/diagnostics/refusal.h"
#include "base/diagnostics/render.h"
#include "compiler/parse/letters.h"
#include "compiler/parse/nesting.h"
#include "compiler/parse/words.h"

namespace mbc::syntax {
namespace {

// Converts ANTLR's places, which count code points, to bytes. `base` is the number of bytes before the text given to
// ANTLR.
class ByteOffsets {
 public:
  ByteOffsets(std::string_view text, std::size_t base) : base_(static_cast<std::uint32_t>(base)) {
    const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; };
    if (std::none_of(text.begin(), text.end(), continues)) return;
    for (std::uint32_t i = 0; i < text.size(); ++i) {
      if (!continues(text[i])) offsets_.push_back(i);
    }
    offsets_.push_back(static_cast<std::uint32_t>(text.size()));
  }
  std::uint32_t operator[](std::size_t code_point) const {
    if (offsets_.empty()) return base_ + static_cast<std::uint32_t>(code_point);
    return base_ + offsets_[std::min(code_point, offsets_.size() - 1)];
  }

 private:
  std::uint32_t base_;
  std::vector<std::uint32_t> offsets_;  // empty for plain ASCII
};

struct Lookalike {
  std::string_view seen;
  std::string_view meant;
};
constexpr Lookalike kLookalikes[] = {
    {"\u2212", "-"},  {"\u2013", "-"},  {"\u2014", "-"},  {"\u00D7", "*"},  {"\u00B7", "*"},  {"\u22C5", "*"},
    {"\u00F7", "/"},  {"\u2044", "/"},  {"\u2032", "'"},  {"\u2019", "'"},  {"\u2018", "'"},  {"\u00B4", "'"},
    {"`", "'"},       {"\u201C", "\""}, {"\u201D", "\""}, {"\u201E", "\""}, {"\u00A0", " "},  {"\u2009", " "},
    {"\u202F", " "},  {"\u3000", " "},  {"\u2264", "<="}, {"\u2265", ">="}, {"\u2260", "!="}, {"\u2026", ".."},
    {"\uFF08", "("},  {"\uFF09", ")"},  {"\uFF0C", ","},  {"\uFF1A", ":"},  {"\uFF1D", "="},  {"\u00B2", "^2"},
    {"\u00B3", "^3"}, {"\u00B9", "^1"},
};

constexpr std::pair<std::string_view, std::string_view> kForeign[] = {
    {"&&", "and"}, {"&", "and"}, {"||", "or"},  {"|", "or"}, {"**", "^"},
    {"!", "not"},  {"<>", "!="}, {"===", "=="}, {":=", "="},
};

// Returns `@` or "the character U+200B": a form that a reader can recognise or look up.
std::string character_name(std::string_view utf8) {
  std::size_t at = 0;
  const char32_t c = next_code_point(utf8, at);
  char code[16];
  std::snprintf(code, sizeof code, "U+%04X", static_cast<unsigned>(c));
  if (c > 0x20 && c < 0x7F) return "`" + std::string(utf8) + "`";
  const bool invisible = c <= 0x20 || (c >= 0x7F && c < 0xA1) || (c >= 0x2000 && c <= 0x200F) ||
                         (c >= 0x2028 && c <= 0x202F) || (c >= 0x205F && c <= 0x206F) || c >= 0xE000;
  return invisible ? "the character " + std::string(code) : "`" + std::string(utf8) + "` (" + code + ")";
}

class Reader {
 public:
  Reader(const SourceSet& sources, std::uint32_t file, Sink& sink, TokenList& out)
      : sink_(sink),
        out_(out),
        text_(sources[file].text()),
        skipped_(text_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0),
        offsets_(text_.substr(skipped_), skipped_) {
    out_.sources = &sources;
    out_.file = file;
  }

  bool run() {
    antlr4::ANTLRInputStream input{std::string(text_.substr(skipped_))};
    MbcLexer lexer(&input);
    lexer.removeErrorListeners();
    for (;;) {
      const std::unique_ptr<antlr4::Token> read = lexer.nextToken();
      Token t;
      t.type = read->getType();
      const bool at_end = t.type == kEndOfFile;
      t.begin = at_end ? text_size() : offsets_[read->getStartIndex()];
      t.end = at_end ? text_size() : offsets_[read->getStopIndex() + 1];
      if (!take(t)) return false;
      if (at_end) return true;
    }
  }

 private:
  [[nodiscard]] std::uint32_t text_size() const { return static_cast<std::uint32_t>(text_.size()); }

  bool take(Token t) {
    if (t.type == MbcLexer::NEWLINE) {
      line_start_ = true;
      return true;
    }
    if (t.type == MbcLexer::DOC) {
      document(t);
      return true;
    }
    if (t.type == MbcLexer::BLOCK_COMMENT) {
      sink_.report(Kind::block_comment, out_.span({t.type, t.begin, t.begin + 2})).hint("write `//` before each line");
      return !sink_.full();
    }
    t.line_start = std::exchange(line_start_, false);
    if (t.line_start) unknown_on_line_ = false;
    t.space_before = out_.tokens.empty() || out_.tokens.back().end != t.begin;
    out_.tokens.push_back(t);
    check_word();
    return within_limits(out_.tokens.back()) && !sink_.full();
  }

  void document(const Token& comment) {
    std::string_view text = out_.text(comment);
    if (text.starts_with("////")) return;  // a ruler, not documentation
    text.remove_prefix(text.starts_with("/// ") ? 4 : 3);
    text = text.substr(0, text.find_last_not_of(" \t\f") + 1);
    out_.docs.push_back(
        {static_cast<std::uint32_t>(out_.tokens.size()), std::string(text), out_.behind_blank_line(comment.begin)});
  }

  bool within_limits(const Token& t) {
    if (out_.tokens.size() > kMaxTokens)
      return mbc::refuse(sink_, Kind::too_many_tokens, out_.span(t), std::to_string(kMaxTokens));
    const std::uint32_t depth = nesting_.feed(t.type, t.line_start);
    if (depth > most_nesting_ && most_nesting_ == kSafeNesting) most_nesting_ = nesting_limit();
    if (depth > most_nesting_) {
      Diagnostic& d = sink_.report(Kind::nesting_too_deep, out_.span(t), std::to_string(most_nesting_))
                          .hint("name the inner parts with `let`");
      if (most_nesting_ < kMaxNesting)
        d.note("the limit is " + std::to_string(kMaxNesting) + " in a thread with more stack than this one has");
      return false;
    }
    return true;
  }

  // Checks the token just added, together with the one before it if the two touch.
  void check_word() {
    std::vector<Token>& all = out_.tokens;
    Token& t = all.back();
    Token* touching = all.size() > 1 && !t.space_before ? &all[all.size() - 2] : nullptr;
    switch (t.type) {
      case MbcLexer::ERR:
        return unknown_character(t, out_.span(t));
      case MbcLexer::FOREIGN:
        return foreign_operator(t);
      case MbcLexer::OPEN_STRING:
        t.broken = true;
        sink_.report(Kind::unclosed_string, out_.span(t)).hint("add the closing `\"`");
        return;
      case MbcLexer::DOT:
        if (touching != nullptr && touching->type == MbcLexer::NUMBER) number_with_dot(*touching, t);
        return;
      default:
        break;
    }
    if (t.type == MbcLexer::NAME) check_letters(t);
    if (t.broken) return;
    if (t.type == MbcLexer::NAME && t.end - t.begin > kMaxNameBytes) {
      t.broken = true;
      sink_.report(Kind::name_too_long, out_.span(t), std::to_string(t.end - t.begin), std::to_string(kMaxNameBytes));
    }
    const bool word = t.type == MbcLexer::NAME || t.type == MbcLexer::NUMBER || is_reserved(t.type);
    if (word && touching != nullptr && touching->type == MbcLexer::NUMBER) malformed_number(*touching, t);
  }

  // Checks the characters beyond ASCII, all of which the lexer accepts as letters.
  void check_letters(Token& t) {
    const std::string_view text = out_.text(t);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = at;
      const char32_t c = next_code_point(text, at);
      if (c < 0x80 || is_letter(c)) continue;
      const auto offset = [&](std::size_t byte) { return t.begin + static_cast<std::uint32_t>(byte); };
      return unknown_character(t, {out_.file, offset(begin), offset(at)});
    }
  }

  // Reports one message a line, because foreign characters come in runs.
  void unknown_character(Token& t, Span where) {
    t.broken = true;
    if (std::exchange(unknown_on_line_, true)) return;
    const std::string_view seen = out_.sources->text(where);
    for (const Lookalike& l : kLookalikes) {
      if (l.seen != seen) continue;
      const std::string meant = l.meant == " " ? "a blank" : "`" + std::string(l.meant) + "`";
      sink_.report(Kind::lookalike_character, where, character_name(seen), meant).hint("type " + meant);
      return;
    }
    Diagnostic& d = sink_.report(Kind::unknown_character, where, character_name(seen));
    if (seen == "#") d.hint("comments begin with `//`");
    if (seen == "\\") d.hint("a statement goes on after an operator or inside parentheses, no sign is needed");
    if (seen == "?") d.hint("a choice is written `if a then b else c`");
    if (seen == "\u00B0") d.hint("degrees are written `30 [deg]`");
    if (seen == "@" || seen == "$") d.hint("names consist of letters, digits and `_`");
  }

  void foreign_operator(Token& t) {
    t.broken = true;
    const std::string_view seen = out_.text(t);
    Diagnostic& d = sink_.report(Kind::foreign_operator, out_.span(t), seen);
    for (const auto& [foreign, ours] : kForeign) {
      if (foreign == seen) d.hint("write `" + std::string(ours) + "`");
    }
  }

  void number_with_dot(Token& number, Token& dot) {
    number.broken = dot.broken = true;
    const std::string written(out_.text(number));
    sink_.report(Kind::number_ends_with_dot, join(out_.span(number), out_.span(dot)), written + ".")
        .hint("write `" + written + "` or `" + written + ".0`");
  }

  void malformed_number(Token& number, Token& t) {
    if (std::exchange(number.broken, true)) {
      t.broken = true;
      return;
    }
    t.broken = true;
    const Span all = join(out_.span(number), out_.span(t));
    Diagnostic& d = sink_.report(Kind::malformed_number, all, printable(out_.sources->text(all), 40));
    if (t.type != MbcLexer::NAME) return;
    const std::string first(out_.text(number));
    const std::string rest = printable(out_.text(t), 40);
    if (first == "0" && (rest[0] == 'x' || rest[0] == 'b')) return void(d.hint("numbers are decimal"));
    if (rest[0] == '_') return void(d.hint("digits are written without separators"));
    d.hint(looks_like_unit(out_.text(t)) ? "a unit needs brackets: `" + first + " [" + rest + "]`"
                                         : "a product needs `*`: `" + first + "*" + rest + "`");
  }

  Sink& sink_;
  TokenList& out_;
  std::string_view text_;
  std::size_t skipped_;
  ByteOffsets offsets_;
  Nesting nesting_;
  std::uint32_t most_nesting_ = kSafeNesting;
  bool line_start_ = true;
  bool unknown_on_line_ = false;
};

}  // namespace

bool read_tokens(const SourceSet& sources, std::uint32_t file, Sink& sink, TokenList& out) {
  return Reader(sources, file, sink, out).run();
}

}  // namespace mbc::syntax
