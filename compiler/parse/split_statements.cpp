#include "compiler/parse/split_statements.h"

#include <algorithm>
#include <string>
#include <utility>

#include "MbcLexer.h"
#include "compiler/diagnostics/render.h"
#include "compiler/parse/match_brackets.h"
#include "compiler/parse/words.h"

namespace mbc::syntax {
namespace {

using L = MbcLexer;

enum class Block : std::uint8_t { declarations, loads, init, settings, checks, sweep, assignments, muted };

std::string_view block_place(Block b) {
  switch (b) {
    case Block::loads:
      return "in a `nonideal` block";
    case Block::init:
      return "in an `init` block";
    case Block::settings:
      return "in a `simulate` block";
    case Block::checks:
      return "in a `test` block";
    case Block::sweep:
      return "in a `sweep` block";
    case Block::assignments:
      return "in the block of an event";
    default:
      return "in this block";
  }
}

std::string quoted(std::string_view text) { return "`" + printable(text, 60) + "`"; }

bool is_load_word(TokenType t) { return t == L::FORCE || t == L::TORQUE || t == L::LOAD; }

bool begins_operand(TokenType t) {
  switch (t) {
    case L::NAME:
    case L::NUMBER:
    case L::STRING:
    case L::LPAREN:
    case L::PLUS:
    case L::MINUS:
    case L::NOT:
    case L::IF:
      return true;
    default:
      return false;
  }
}

class Splitter {
 public:
  Splitter(const TokenList& in, ParseMode mode, Sink& sink) : in_(in), mode_(mode), sink_(sink) {
    out_.list.sources = in.sources;
    out_.list.file = in.file;
    out_.list.tokens.reserve(in.tokens.size() * 3 / 2);
    out_.blocks.reserve(in.tokens.size() * 3 / 2);
  }

  Statements run() {
    for (i_ = 0; i_ < in_.tokens.size() && !sink_.full(); ++i_) step();
    if (!at_end_) finish();
    return std::move(out_);
  }

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

  void step() {
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

  void finish() {
    at_end_ = true;
    end_at_line();
    while (!outer_.empty()) close_block(now_or_end(), now_or_end());
    put(kEndOfFile, now_or_end(), now_or_end());
  }

  [[nodiscard]] std::uint32_t now_or_end() const { return in_.tokens[std::min(i_, in_.tokens.size() - 1)].begin; }

  void begin() {
    std::string doc;
    for (; doc_ < in_.docs.size() && in_.docs[doc_].token <= i_; ++doc_) {
      if (!doc.empty()) doc += '\n';
      doc += in_.docs[doc_].text;
    }
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
    first_ = false;
  }

  void add(TokenType type) {
    const Token& t = now();
    if (t.broken) current_.broken = true;
    if (t.type == L::LPAREN || t.type == L::LBRACK) ++current_.parentheses;
    if ((t.type == L::RPAREN || t.type == L::RBRACK) && current_.parentheses > 0) --current_.parentheses;
    while (doc_ < in_.docs.size() && in_.docs[doc_].token <= i_) ++doc_;  // inside a statement: documents nothing
    put(type, t.begin, t.end);
  }

  void end_at_line() {
    const std::uint32_t at = i_ == 0 ? 0 : in_.tokens[i_ - 1].end;
    end(at, at);
  }

  void end(std::uint32_t begin, std::uint32_t end) {
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

  void open_block() {
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

  [[nodiscard]] Block inner_block() const {
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
        return Block::assignments;
      default:
        return Block::muted;
    }
  }

  void close_block(std::uint32_t begin, std::uint32_t finish) {
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

  bool goes_on() {
    const TokenType type = now().type;
    if (is_binary(type) || type == L::ELSE) return true;
    // `let a = b +` before a line `let c = d`, `x = y +` before `z = 1` in a block: something is missing at the line's
    // end.
    if (continues_line(before())) return !begins_statement(in_, i_) && !begins_entry();
    if (type == L::LBRACE) {
      const bool reported = current_.broken;
      report(Kind::brace_on_next_line, in_.span(now())).hint("move it to the end of the line before");
      current_.broken = reported;  // clear enough to read on
      return true;
    }
    if (type != L::NAME) return false;
    const TokenType word = modifier_word(in_.text(now()));
    if (word == 0 || !modifier_continues(current_.head, word) || !ends_operand(before())) return false;
    if (!begins_operand(next().type) && next().type != L::LBRACE) return false;
    return word != L::AT || !is_event_line();
  }

  // `key = ` in a block of such entries.
  [[nodiscard]] bool begins_entry() const {
    const bool entries =
        block_ == Block::init || block_ == Block::settings || block_ == Block::sweep || block_ == Block::assignments;
    return entries && before() != L::COMMA && now().type == L::NAME && next().type == L::EQUALS;
  }

  // `at 2 [s] { ... }` begins a statement of its own, `at (1, 0, 0)` goes on.
  [[nodiscard]] bool is_event_line() const {
    for (std::size_t k = i_ + 1; k < in_.tokens.size() && !in_.tokens[k].line_start; ++k) {
      const Token& t = in_.tokens[k];
      if (t.type == L::LBRACE) return true;
      if (t.type == L::SEMI) return false;
      if (t.type == L::LPAREN && t.match != kNoToken && t.match > k) k = t.match;
    }
    return false;
  }

  // ---- the first word of a statement ----

  TokenType head() {
    const TokenType type = now().type;
    if (type == L::MBD) {
      if (!first_) report(Kind::second_header, in_.span(now()));
      return type;
    }
    switch (block_) {
      case Block::declarations:
      case Block::loads:
        return declaration_head();
      case Block::muted:
        current_.broken = true;
        return type;
      default:
        return entry_head();
    }
  }

  TokenType declaration_head() {
    TokenType type = now().type;
    if (type == L::NAME) type = word_head();
    if (type == L::IF) type = is_if_block() ? TokenType{L::IF_BLOCK} : TokenType{L::IF};
    if (current_.broken) return type;
    const bool declares = type == L::PARAM || type == L::LET || type == L::DEF || type == L::FOR ||
                          type == L::IF_BLOCK || type == L::TYPE_NAME || !head_text(type).empty();
    if (block_ == Block::loads && !is_load_word(type)) {
      report(Kind::misplaced_statement, in_.span(now()), statement_noun(in_.text(now())),
             std::string(block_place(block_)));
    } else if (begins_operand(type)) {
      if (mode_ == ParseMode::file) expression();
    } else if (!declares || is_reserved_inside(type)) {
      const Kind kind = now().line_start ? Kind::line_begins_with : Kind::unknown_statement;
      report(kind, in_.span(now()), quoted(in_.text(now())));
    }
    return type;
  }

  static bool is_reserved_inside(TokenType t) {
    return t == L::THEN || t == L::ELSE || t == L::IN || t == L::AND || t == L::OR;
  }

  TokenType word_head() {
    const std::string_view text = in_.text(now());
    const TokenType word = head_word(text);
    if (word != 0 && !(mode_ == ParseMode::repl && is_expression_in_repl(word))) return word;
    if (mode_ == ParseMode::file && word == 0 && entry_word(text) != 0 && next_on_line() &&
        begins_operand(next().type)) {
      const bool check = entry_word(text) == L::CHECK;
      report(Kind::misplaced_statement, in_.span(now()), statement_noun(text),
             check ? "outside of a `test` block" : "outside of a `sweep` block");
      return L::NAME;
    }
    if (next().type == L::NAME && next_on_line()) return L::TYPE_NAME;
    if (mode_ == ParseMode::file) unknown_word(now(), text);
    return L::NAME;
  }

  // In the REPL `force` and `load` may be names of values.
  [[nodiscard]] bool is_expression_in_repl(TokenType word) const {
    if (!next_on_line()) return true;
    const TokenType type = next().type;
    const bool takes_value = word == L::GRAVITY || word == L::SPACE || word == L::WHEN || word == L::AT_EVENT;
    if (type == L::LPAREN || type == L::MINUS || type == L::PLUS) return !takes_value;
    return is_binary(type) || type == L::DOT || type == L::PRIME || type == L::LBRACK || type == L::COMMA ||
           type == L::EQUALS || type == L::SEMI;
  }

  void unknown_word(const Token& word, std::string_view text) {
    const TokenType after = next_on_line() ? next().type : 0;
    const std::string guess = nearest(text, statement_words());
    if (guess.empty() && (after == L::LPAREN || after == L::DOT || is_binary(after))) return expression();
    Diagnostic& d = report(Kind::unknown_statement, in_.span(word), quoted(text));
    if (after == L::EQUALS || after == L::PRIME) {
      d.hint("write `let " + printable(text, 60) + " = ...` for a name, `param " + printable(text, 60) +
             " = ...` for data of a run");
    } else if (!guess.empty()) {
      d.hint("did you mean `" + guess + "`?");
    }
  }

  void expression() {
    report(Kind::expression_statement, in_.span(now())).hint("name it with `let x = ...`, or write `output x = ...`");
  }

  // `if a { }` or the expression `if a then b else c`: whichever sign comes first.
  [[nodiscard]] bool is_if_block() const {
    for (std::size_t k = i_ + 1; k < in_.tokens.size(); ++k) {
      const Token& t = in_.tokens[k];
      if (t.type == L::LBRACE) return true;
      if (t.type == L::THEN) return false;
      if (t.type == L::SEMI || t.type == L::RBRACE || (t.line_start && t.type == L::IF)) return true;
      if (t.type == L::LPAREN && t.match != kNoToken && t.match > k) k = t.match;
    }
    return true;
  }

  TokenType entry_head() {
    const TokenType type = now().type;
    const std::string_view text = in_.text(now());
    const bool names_next = next_on_line() && (next().type == L::NAME || next().type == L::STRING);
    const bool declares = type == L::PARAM || type == L::LET || type == L::DEF || type == L::FOR || type == L::IF ||
                          (type == L::NAME && head_word(text) != 0 && names_next);
    const TokenType entry = type == L::NAME ? entry_word(text) : 0;
    if (block_ == Block::checks && entry == L::CHECK) return entry;
    if (block_ == Block::sweep && entry == L::RECORD && next().type != L::EQUALS && next().type != L::DOT) return entry;
    if (declares) {
      report(Kind::misplaced_statement, in_.span(now()), statement_noun(text), std::string(block_place(block_)));
    } else if (block_ == Block::checks) {
      report(Kind::unknown_statement, in_.span(now()), quoted(text)).hint("a test holds statements `check ...`");
    }
    return type;
  }

  // ---- words and brackets inside a statement ----

  TokenType classify() {
    const Token& t = now();
    if (t.type == L::LBRACK) return bracket();
    if (t.type == L::IF) return is_else_if() ? TokenType{L::IF_BLOCK} : TokenType{L::IF};
    if (t.type != L::NAME || i_ < unit_end_ || last() == L::DOT) return t.type;
    const TokenType word = modifier_word(in_.text(t));
    return word == 0 ? TokenType{L::NAME} : modifier(word);
  }

  [[nodiscard]] bool is_else_if() const {
    const std::size_t n = out_.list.tokens.size();
    return n >= 2 && last() == L::ELSE && out_.list.tokens[n - 2].type == L::RBRACE;
  }

  TokenType modifier(TokenType word) {
    if (word == L::ON && is_load_word(last()) && is_load_word(current_.head))
      return anonymous_on() ? word : TokenType{L::NAME};
    if (!ends_operand(last())) return L::NAME;
    if (word == L::STEP || word == L::COUNT) return word;
    if (current_.parentheses > 0) return L::NAME;
    if (takes_modifier(current_.head, word)) return word;
    if (const std::string_view statement = head_text(current_.head);
        !statement.empty() && begins_operand(next().type)) {
      report(Kind::misplaced_modifier, in_.span(now()), std::string(in_.text(now())), statement_noun(statement));
    }
    return L::NAME;
  }

  // `force on bead: ...` has no name; in `force on on bead: ...` the first `on` is one.
  [[nodiscard]] bool anonymous_on() const {
    if (next().type != L::NAME) return false;
    if (in_.text(next()) != "on") return true;
    return i_ + 2 < in_.tokens.size() && in_.tokens[i_ + 2].type != L::NAME;
  }

  [[nodiscard]] Span bracket_span() const {
    const Token& close = now().match == kNoToken ? now() : in_.tokens[now().match];
    return join(in_.span(now()), in_.span(close));
  }

  // `[` of a unit, of an index, or a mistake.
  TokenType bracket() {
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
        if (unit_like && (t.space_before || is_declared_name())) unit_after_name(inside);
        return L::LBRACK;
      case L::PRIME:
        if (unit_like) {
          unit_after_name(inside);
        } else {
          report(Kind::index_of_value, in_.span(t), "a prime").hint("put the prime after the index: `p[1].x'`");
        }
        return L::LBRACK;
      default:
        report(Kind::bracket_for_vector, in_.span(t)).hint("a vector is written `(1, 0, 0)`");
        return L::LBRACK;
    }
  }

  TokenType open_unit() {
    unit_end_ = now().match;
    return L::UNIT_OPEN;
  }

  // The name just written is the one being declared: `param m`, `coord x = 0, y`.
  [[nodiscard]] bool is_declared_name() const {
    const std::size_t n = out_.list.tokens.size();
    if (current_.parentheses > 0 || n < 2) return false;
    const TokenType two_before = out_.list.tokens[n - 2].type;
    return n - 2 == current_.start + 1 || two_before == L::COMMA;
  }

  [[nodiscard]] bool is_input_unit(std::string_view inside) const {
    if (current_.head != L::INPUT) return false;
    if (last() == L::NAME && !is_declared_name()) return false;
    for (std::size_t k = i_ + 1; k < now().match; ++k) {
      if (in_.tokens[k].type == L::IN) return false;
    }
    return looks_like_unit(inside) || inside == "1" || now().space_before;
  }

  void unit_after_name(std::string_view inside) {
    const Token& name = in_.tokens[i_ - 1];
    const std::string text = last() == L::NAME ? quoted(in_.text(name)) : last() == L::PRIME ? "a prime" : "an index";
    const std::string unit = "[" + printable(inside, 40) + "]";
    Diagnostic& d = report(Kind::unit_after_name, bracket_span(), text);
    if (last() != L::NAME) return void(d.hint("a name has the unit of what it was declared with"));
    if (is_declared_name() && current_.head != 0) {
      d.hint("the unit follows the value: `" + printable(in_.text(name), 40) + " = 1 " + unit + "`");
    } else {
      d.hint("multiply by it, `" + printable(in_.text(name), 40) + "*(1 " + unit +
             ")`, or write an index without a blank");
    }
  }

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
  bool first_ = true;
  bool at_end_ = false;
  Diagnostic ignored_;
};

}  // namespace

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
