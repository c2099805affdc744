// SPDX-License-Identifier: Apache-2.0
#include "compiler/parse/describe_mistake.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "MbcParser.h"
#include "base/text.h"
#include "compiler/parse/value_of.h"
#include "compiler/parse/words.h"

namespace mbc::syntax {
namespace {

using P = MbcParser;

std::string_view sign(TokenType type) {
  constexpr std::pair<TokenType, std::string_view> signs[] = {
      {P::LPAREN, "("}, {P::RPAREN, ")"}, {P::RBRACK, "]"}, {P::LBRACE, "{"}, {P::RBRACE, "}"}, {P::COMMA, ","},
      {P::COLON, ":"},  {P::EQUALS, "="}, {P::EQ, "=="},    {P::TILDE, "~"},  {P::DOTDOT, ".."}};
  return value_of(type, signs, head_text(type));
}

class Describer {
 public:
  Describer(const TokenList& list, const Mistake& m, Sink& sink) : list_(list), m_(m), sink_(sink) {}

  void run() {
    const TokenType seen = at().type;
    if (seen == P::EQUALS && equality_expected()) return single_equals();
    if (seen == P::EQ && assignment_expected()) return double_equals();
    if (seen == P::DOTDOT && !expects(P::DOTDOT)) return misplaced_range();
    if (in_unit()) return unit();
    if (expects(P::NUMBER)) return value();
    if (expects(P::NAME)) return name();
    if (expects(P::ELSE)) return missing_else();
    if (m_.expected.empty() || (m_.expected.size() == 1 && expects(P::END))) return unexpected();
    expected_sign();
  }

 private:
  [[nodiscard]] const Token& at() const { return list_.tokens[m_.at]; }
  [[nodiscard]] const Token& before() const { return list_.tokens[m_.at == 0 ? 0 : m_.at - 1]; }
  [[nodiscard]] const Token& after() const {
    return list_.tokens[std::min<std::size_t>(m_.at + 1, list_.tokens.size() - 1)];
  }
  [[nodiscard]] TokenType head() const {
    const std::size_t first = std::min<std::size_t>(m_.statement + 1, list_.tokens.size() - 1);
    return list_.tokens[first].type;
  }
  [[nodiscard]] bool expects(TokenType type) const {
    return std::find(m_.expected.begin(), m_.expected.end(), type) != m_.expected.end();
  }
  [[nodiscard]] Span span() const { return list_.span(at()); }

  // ---- words for places and things ----

  [[nodiscard]] std::string found() const {
    const Token& t = at();
    if (t.type == kEndOfFile) return "the end of the file";
    if (t.begin == t.end) return "the end of the line";
    if (t.type == P::STRING) return "the string " + printable(list_.text(t), kExcerpt);
    if (is_reserved(t.type) || t.type == P::IF_BLOCK) return "the reserved word " + quoted(list_.text(t), kExcerpt);
    return quoted(list_.text(t), kExcerpt);
  }

  [[nodiscard]] std::string word(std::size_t token) const {
    return printable(list_.text(list_.tokens[std::min(token, list_.tokens.size() - 1)]), 40);
  }

  // "after `+`"
  [[nodiscard]] std::string after_what() const {
    const Token& t = before();
    return t.type == P::START || t.begin == t.end ? "here" : "after " + quoted(list_.text(t), kExcerpt);
  }

  // "a `force` statement"
  [[nodiscard]] std::string statement() const {
    constexpr std::pair<std::size_t, const char*> places[] = {
        {P::RuleHeader, "the header"},           {P::RuleInit_entry, "an `init` block"},
        {P::RuleSetting, "a `simulate` block"},  {P::RuleCheck, "a `check` statement"},
        {P::RuleSweep_entry, "a `sweep` block"}, {P::RuleAssign, "the block of an event"}};
    for (const auto& [rule, place] : places)
      if (rule == m_.statement_rule) return place;
    if (head() == P::TYPE_NAME) return "an instance of " + quoted(list_.text(list_.tokens[m_.statement + 1]), kExcerpt);
    const std::string word(head_text(head()));
    if (word.empty()) return "this statement";
    return statement_noun(word);
  }

  // Returns the noun for a missing name: "a particle".
  [[nodiscard]] std::string noun() const {
    if (m_.rule == P::RuleMember) return "a member";
    if (m_.rule == P::RuleBinder) return "a loop index";
    if (m_.rule == P::RuleParameter || m_.rule == P::RuleParameters) return "a parameter";
    if (m_.rule == P::RuleSetting_key) return "a setting";
    const std::string word(declared_noun(head()));
    if (word.empty()) return "anything";
    return with_article(word);
  }

  // ---- one function a kind ----

  [[nodiscard]] bool equality_expected() const {
    if (expects(P::EQUALS) || before().type == P::RESTITUTION || before().type == P::STATIC) return false;
    const TokenType h = head();
    if (h == P::CONSTRAINT) return !expects(P::COLON);
    return h == P::CHECK || h == P::WHEN || h == P::IF_BLOCK || expects(P::THEN);
  }

  void single_equals() {
    const TokenType h = head();
    const std::string place = h == P::CONSTRAINT ? "a constraint" : h == P::CHECK ? "a check" : "a condition";
    const bool turned = m_.at + 1 < list_.tokens.size() && list_.tokens[m_.at + 1].type == P::LT;
    sink_.report(Kind::single_equals, span(), place).hint(turned ? "write `<=`" : "write `==`");
  }

  [[nodiscard]] bool assignment_expected() const {
    if (expects(P::EQUALS)) return true;
    return m_.rule == P::RuleSetting || head() == P::COORD || head() == P::INPUT;
  }

  void double_equals() { sink_.report(Kind::double_equals, span(), statement()).hint("write `=`"); }

  void misplaced_range() {
    Diagnostic& d = sink_.report(Kind::misplaced_range, span(), "in " + statement());
    if (m_.rule == P::RuleDeclared || m_.rule == P::RuleBinder)
      return void(d.hint("the index of an array has a name: `p[i in 1..n]`"));
    if (m_.rule == P::RuleIndex || m_.rule == P::RulePostfix)
      d.hint("an index is one number; over all elements goes `sum(p[i].x for i in 1..n)`");
    else
      d.hint("ranges belong in `for i in 1..n`, `sum(e for i in 1..n)` and settings such as `time`");
  }

  [[nodiscard]] bool in_unit() const {
    return m_.rule == P::RuleUnit || m_.rule == P::RuleUnit_product || m_.rule == P::RuleUnit_factor ||
           m_.rule == P::RuleExponent;
  }

  void unit() {
    std::string why = "found " + found();
    if (at().type == P::RBRACK && before().type == P::UNIT_OPEN) why = "nothing stands between the brackets";
    Diagnostic& d = sink_.report(Kind::malformed_unit, span(), why + " " + after_what());
    if (list_.text(at()) == "." && before().type == P::NAME && after().type == P::NAME) {
      d.hint("products of units need `*`: `" + printable(list_.text(before()), 30) + "*" +
             printable(list_.text(after()), 30) + "`");
    } else if (at().type == P::NAME && before().type == P::NAME) {
      d.hint("products of units need `*`: `" + printable(list_.text(before()), 30) + "*" +
             printable(list_.text(at()), 30) + "`");
    } else if (at().type == P::RBRACK && before().type == P::UNIT_OPEN) {
      d.hint("a bare number has no brackets, or `[1]`");
    } else {
      d.hint("write a product of units with powers, as in `[kg*m^2/s]`");
    }
  }

  void value() {
    if (at().type == P::IF)
      return void(sink_.report(Kind::if_needs_parentheses, span()).hint("write `(if a then b else c)`"));
    Diagnostic& d = sink_.report(Kind::expected_value, span(), after_what(), found());
    if (at().type == P::EQUALS &&
        (before().type == head() || before().type == P::RESTITUTION || before().type == P::STATIC))
      d.hint("no `=` is written here");
    if (before().type == P::LPAREN && at().type == P::RPAREN) d.hint("a value or a vector belongs in the parentheses");
    if ((at().type == P::STAR && before().type == P::STAR)) d.hint("a power is written `x^2`");
    if (at().type == P::EQUALS && is_comparison(before().type)) d.hint("comparisons are `< <= > >= == !=`");
  }

  void name() {
    if (is_reserved(at().type) || at().type == P::IF_BLOCK)
      return void(sink_.report(Kind::reserved_word, span(), list_.text(at()), noun()).hint("choose another name"));
    Diagnostic& d = sink_.report(Kind::expected_name, span(), after_what(), found());
    if (head() == P::FOR) d.hint("a loop is written `for i in 1..n { ... }`");
    if (head() == P::USE) d.hint("write `use joints` for a module, `use \"my_parts.mbd\"` for a file");
    if (head() == P::PARTICLE || head() == P::BODY) d.hint("for example `particle p(1) at (0, 0, 0)`");
    if (m_.rule == P::RuleMember && at().type == P::NUMBER) d.hint("components are `.x`, `.y`, `.z`");
  }

  void missing_else() { sink_.report(Kind::missing_else, span()).hint("add `else` and the other value"); }

  // Returns the statement for a first word that is close to one of the language: `outpt E = energy.total`.
  [[nodiscard]] std::string misspelt_head() const {
    if (head() != P::TYPE_NAME) return "";
    return meant_statement(word(m_.statement + 1));
  }

  // `1 kg`
  [[nodiscard]] bool unit_without_brackets() const {
    return before().type == P::NUMBER && at().type == P::NAME && looks_like_unit(list_.text(at()));
  }
  [[nodiscard]] std::string bracketed_unit() const {
    return "a unit needs brackets: `" + printable(list_.text(before()), 40) + " [" + printable(list_.text(at()), 40) +
           "]`";
  }

  void unexpected() {
    Diagnostic& d = sink_.report(Kind::unexpected_token, span(), found());
    const TokenType a = at().type;
    if (const std::string meant = misspelt_head(); !meant.empty()) return void(d.hint("did you mean `" + meant + "`?"));
    if (a == P::EQUALS && head() == P::FRAME) return void(d.hint("write `frame F on b at (1, 0, 0)`, without `=`"));
    if (head() == P::TYPE_NAME && a == P::NAME && after().type == P::LPAREN)  // `new Chain c(n = 3)`
      return void(d.hint("an instance is declared `" + word(m_.statement + 2) + " " + word(m_.at) + "(...)`"));
    if (head() == P::TYPE_NAME && a == P::EQUALS && std::islower(static_cast<unsigned char>(word(m_.statement + 1)[0])))
      return void(d.hint("`" + word(m_.statement + 1) + "` begins no statement; a value is named by `let " +
                         word(m_.at - 1) + " = ...`"));
    if (head() == P::TYPE_NAME && a == P::NAME)
      return void(d.hint("the arguments stand in parentheses: `" + word(m_.statement + 1) + " " +
                         word(m_.statement + 2) + "(...)`"));
    if (head() == P::USE)
      return void(d.hint("write `use joints, forces` for modules, `use \"my_parts.mbd\"` for a file"));
    if (a == P::LBRACK && before().type == P::RBRACK)
      return void(d.hint("several indices share one pair of brackets: `p[i in 1..n, j in 1..m]`"));
    if (head() == P::FRAME && before().type == P::NAME && a == P::NAME)
      return void(d.hint("write `frame F on b at (1, 0, 0)`"));
    if (a == P::EQUALS) return void(d.hint("one `=` per statement; a comparison is written `==`"));
    if (a == P::LBRACE) return void(d.hint("this statement has no block"));
    if (a == P::IF) return void(d.hint("a choice is written `if a then b else c`"));
    if (a == P::FOR) return void(d.hint("a loop is written `for i in 1..n { ... }`"));
    if (a == P::TILDE) return void(d.hint("`~` belongs in an `init` or `sweep` block"));
    if (m_.rule == P::RuleHeader) return void(d.hint("the header stands on a line of its own"));
    if (a == P::LET || a == P::PARAM || a == P::DEF) return void(d.hint("two statements on one line need `;`"));
    const bool entry = m_.statement_rule == P::RuleSetting || m_.statement_rule == P::RuleInit_entry;
    if (head() == P::TYPE_NAME && a == P::COMMA)
      return void(d.hint("each instance is a statement of its own: `Name a(...)`"));
    if (a == P::COMMA && entry) return void(d.hint("entries are separated by `;` or by line ends"));
    if (a == P::COMMA) return void(d.hint("a vector is written in parentheses: `(1, 0, 0)`"));
    if (a == P::NOT) return void(d.hint("unequal is written `!=`"));
    if (!ends_operand(before().type) || !(ends_operand(a) || a == P::LPAREN || a == P::TYPE_NAME)) return;
    const std::string text = printable(list_.text(at()), 40);
    if (unit_without_brackets()) return void(d.hint(bracketed_unit()));
    if (a == P::STRING || before().type == P::STRING) return;
    const std::string guess = a == P::NAME ? nearest(list_.text(at()), modifier_words()) : "";
    if (!guess.empty()) return void(d.hint("did you mean `" + guess + "`?"));
    if (text == "to") return void(d.hint("a range is written `0 .. 5`"));
    d.hint("a product needs `*`, a call needs parentheses; two statements on one line need `;`");
  }

  [[nodiscard]] bool is_list() const {
    return m_.rule == P::RuleTuple || m_.rule == P::RuleArguments || m_.rule == P::RuleIndex ||
           m_.rule == P::RuleParameters || m_.rule == P::RuleDeclared;
  }

  void expected_sign() {
    std::vector<std::string> signs;
    for (const TokenType type : m_.expected) {
      if (type == P::FOR || type == P::COMMA) continue;
      if (const std::string_view text = sign(type); !text.empty()) signs.push_back("`" + std::string(text) + "`");
      if (type == P::STRING) signs.emplace_back("a title in double quotes");
    }
    if (signs.empty()) return unexpected();
    const bool in_parentheses = is_list() && (expects(P::RPAREN) || expects(P::RBRACK));
    if (expects(P::COMMA) || in_parentheses) signs.insert(signs.begin(), "`,`");
    std::string all = signs[0];
    for (std::size_t k = 1; k < signs.size(); ++k) all += (k + 1 == signs.size() ? " or " : ", ") + signs[k];
    const std::string place = in_parentheses ? after_what() : "in " + statement();
    Diagnostic& d = sink_.report(Kind::expected_token, span(), all, place, found());
    const TokenType a = at().type;
    if (m_.statement_rule == P::RuleAssign && list_.text(before()) == "stop")
      d.hint("`stop` has a text, which the summary gives: `stop \"fell\"`");
    if (head() == P::DEF && a == P::EQUALS)
      d.hint("a value is named by `let " + word(m_.at - 1) + " = ...`; a function has parameters: `def f(x) = ...`");
    if (expects(P::COLON) && a == P::EQUALS) d.hint("a colon separates the name from the expression");
    const bool load = head() == P::FORCE || head() == P::TORQUE || head() == P::LOAD;
    if (expects(P::COLON) && load && a == P::NAME) {
      d.hint("write `" + std::string(head_text(head())) + " NAME on TARGET: EXPRESSION`");
    }
    if (m_.rule == P::RuleParameters || m_.rule == P::RuleParameter) {
      if (a == P::NAME) d.hint("a parameter is written `name: type = default`, and parameters are separated by `,`");
      if (a == P::EQ) d.hint("a default is written with one `=`");
    } else if (m_.rule == P::RuleArguments && a == P::COLON) {
      d.hint("an argument is given with `=`: `n = 50`");
    } else if (m_.rule == P::RuleDeclared && expects(P::RBRACK)) {
      d.hint("an array is declared with its index and range: `p[i in 1..n]`");
    } else if (in_parentheses && unit_without_brackets()) {
      d.hint(bracketed_unit());
    } else if (in_parentheses && ends_operand(before().type) && (ends_operand(a) || a == P::LPAREN)) {
      d.hint("a product needs `*`, arguments and components a `,`");
    }
    if (in_parentheses && a == P::EQUALS) d.hint("a comparison is written `==`");
    if (expects(P::LBRACE) && head() == P::IF_BLOCK)
      d.hint("write `if a { ... }`, or the expression `if a then b else c`");
    if (expects(P::LPAREN) && a == P::LBRACE && (head() == P::MODEL || head() == P::JOINT))
      d.hint("without parameters the parentheses stay empty: `" + std::string(head_text(head())) + " Name() { ... }`");
    if (head() == P::FOR && (expects(P::IN) || expects(P::LBRACE))) d.hint("a loop is written `for i in 1..n { ... }`");
    if (expects(P::LBRACE) && (head() == P::MODEL || head() == P::JOINT))
      d.hint("write `" + std::string(head_text(head())) + " Name(...) { ... }`, the brace on the same line");
    if (expects(P::DOTDOT)) d.hint("a range is written `1..n`");
  }

  const TokenList& list_;
  const Mistake& m_;
  Sink& sink_;
};

}  // namespace

void describe_mistake(const TokenList& list, const Mistake& mistake, Sink& sink) {
  Describer(list, mistake, sink).run();
}

}  // namespace mbc::syntax
