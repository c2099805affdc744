// SPDX-License-Identifier: Apache-2.0
#include "compiler/reading/print.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <vector>

#include "base/check.h"
#include "base/numbers.h"
#include "base/table.h"
#include "base/text.h"
#include "kernel/data_table.h"

namespace mbc::reading {

namespace {

using kernel::Op;

// A form that binds more tightly has a higher rank.
enum Rank : int { kTruth, kSum, kProduct, kPower, kAtom };

// A mark is this character and the depth of parentheses as a digit.
constexpr char kMark = '\x01';

constexpr std::size_t kLongFraction = 50;  // columns above its line

// Columns of one character of text.
struct Step {
  std::size_t bytes, columns;
};
Step step_of_text(std::string_view text, std::size_t k) {
  const std::size_t bytes = std::max<std::size_t>(utf8_length(text, k), 1);
  return {bytes, text::display_width(text.substr(k, bytes))};
}

// The same in LaTeX, roughly: a command is a letter, or nothing where it only changes what follows.
Step step_of_latex(std::string_view text, std::size_t k) {
  if (text[k] != '\\') {
    const bool none = std::string_view("{}_^& ").find(text[k]) != std::string_view::npos;
    const bool between = k > 0 && text[k - 1] == ' ' && (text[k] == '+' || text[k] == '-' || text[k] == '=');
    return {1, none ? std::size_t{0} : between ? std::size_t{3} : std::size_t{1}};
  }
  std::size_t end = k + 1;
  while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end]))) ++end;
  const std::string_view command = text.substr(k + 1, end - k - 1);
  if (command.empty()) return {std::min<std::size_t>(2, text.size() - k), 0};
  for (const std::string_view wide : {"sin", "cos", "tan", "exp", "min", "max", "sinh", "cosh", "tanh", "arctan"})
    if (command == wide) return {end - k, wide.size()};
  for (const std::string_view none : {"left", "right", "mathrm", "boldsymbol", "notag", "dot", "ddot", "frac",
                                      "operatorname", "text", "mathsf", "begin", "end"})
    if (command == none) return {end - k, 0};
  return {end - k, command == "qquad" ? std::size_t{4} : command == "quad" ? std::size_t{2} : std::size_t{1}};
}

class Printer {
 public:
  Printer(Language language, const TextOfSymbol& symbol)
      : language_(language), operators_(operators_of(language)), symbol_(symbol) {}

  // A condition where a number stands is 1 or 0 in languages that tell them apart.
  std::string write(const Expression& e, int outer, bool may_be_condition = false) {
    if (is_strict() && is_condition(e) && !may_be_condition)
      return call(reading::call(Op::select, {e, reading::number(1), reading::number(0)}), outer);
    switch (e.form) {
      case Form::number:
        return number(e.number, outer);
      case Form::symbol:
        return symbol_(e.symbol);
      case Form::sum:
        return parenthesised(kSum, outer, [&] { return sum(e); });
      case Form::product:
        return product(e.parts, outer);
      case Form::power:
        return e.parts[1].form == Form::number && e.parts[1].number < 0 ? product({e}, outer)
                                                                        : power(e.parts[0], e.parts[1], outer);
      case Form::call:
        return call(e, outer);
    }
    return "";
  }

 private:
  template <class Write>
  std::string parenthesised(int rank, int outer, Write&& write) {
    if (rank >= outer) return write();
    ++depth_;
    std::string inner = write();
    --depth_;
    return language_ == Language::latex ? "\\left(" + inner + "\\right)" : "(" + inner + ")";
  }

  std::string mark(int deeper = 0) const { return {kMark, static_cast<char>('0' + std::min(depth_ + deeper, 9))}; }

  std::string digits(double value) const {
    std::string text = text::number(value);
    const std::size_t exponent = text.find('e');
    if (language_ == Language::latex && exponent != std::string::npos) {
      std::string of = text.substr(exponent + 1);
      of.erase(0, of.starts_with('+') ? 1 : 0);
      of.erase(of.starts_with('-') ? 1 : 0,
               std::min(of.find_first_not_of("-0"), of.size()) - (of.starts_with('-') ? 1 : 0));
      return text.substr(0, exponent) + "\\cdot 10^{" + of + "}";
    }
    if (operators_.decimal_point && text.find_first_of(".en") == std::string::npos) text += ".0";
    return text;
  }

  std::string number(double value, int outer) {
    return parenthesised(value < 0 ? kSum : kAtom, outer, [&] { return digits(value); });
  }

  static bool negative(const Expression& e) {
    if (e.form == Form::number) return e.number < 0;
    return e.form == Form::product && !e.parts.empty() && e.parts[0].form == Form::number && e.parts[0].number < 0;
  }
  static Expression negated(Expression e) {
    (e.form == Form::number ? e : e.parts[0]).number *= -1;
    return e;
  }

  std::string sum(const Expression& e) {
    std::string out;
    for (const Expression& term : e.parts) {
      const bool minus = !out.empty() && negative(term);
      if (!out.empty()) out += " " + mark() + (minus ? "- " : "+ ");
      out += write(minus ? negated(term) : term, out.empty() ? int{kSum} : int{kProduct});
    }
    return out.empty() ? "0" : out;
  }

  // Factors with negative exponents are the denominator.
  struct Quotient {
    double coefficient = 1;
    std::vector<Expression> above, below;
  };
  static Quotient split(const std::vector<Expression>& factors) {
    Quotient out;
    for (const Expression& f : factors) {
      if (f.form == Form::number) {
        out.coefficient *= f.number;
      } else if (is_denominator(f)) {
        Expression under = power_of(f.parts[0], -f.parts[1].number);
        const bool first = under.form == Form::number;
        out.below.insert(first ? out.below.begin() : out.below.end(), std::move(under));
      } else {
        out.above.push_back(f);
      }
    }
    return out;
  }
  static Expression power_of(Expression base, double exponent) {
    Expression of;
    of.number = exponent;
    return reading::power(std::move(base), std::move(of));
  }

  std::string factors(const std::vector<Expression>& list, double coefficient) {
    std::string out;
    if (coefficient != 1 || list.empty()) out = digits(coefficient);
    for (const Expression& f : list) {
      if (!out.empty()) out += std::string(operators_.times) + mark(1);
      out += write(f, list.size() == 1 && out.empty() ? int{kProduct} : int{kPower});
    }
    return out;
  }

  std::string product(const std::vector<Expression>& list, int outer) {
    const Quotient q = split(list);
    const bool minus = std::signbit(q.coefficient);
    const double c = std::fabs(q.coefficient);
    return parenthesised(minus ? kSum : kProduct, outer, [&] {
      const std::string sign = minus ? "-" : "";
      if (q.below.empty())
        return sign + (c == 1 && q.above.size() == 1 ? write(q.above[0], kProduct) : factors(q.above, c));
      if (operators_.divided.empty()) return sign + fraction(q, c);
      const bool whole = c == 1 && q.above.size() == 1;
      const bool one = q.below.size() == 1;
      const std::string above = whole ? write(q.above[0], kProduct) : factors(q.above, c);
      return sign + above + std::string(operators_.divided) +
             (one ? write(q.below[0], kPower) : "(" + factors(q.below, 1) + ")");
    });
  }

  // A fraction is not broken; what is long above its line stands behind it.
  std::string fraction(const Quotient& q, double coefficient) {
    const auto inside = [&](const std::vector<Expression>& list, double of) {
      return on_one_line(of == 1 && list.size() == 1 ? write(list[0], kTruth) : factors(list, of));
    };
    const std::string above = inside(q.above, coefficient), below = "}{" + inside(q.below, 1) + "}";
    if (width_in_latex(above) <= kLongFraction) return "\\frac{" + above + below;
    return "\\frac{" + digits(coefficient) + below + std::string(operators_.times) + mark(1) + factors(q.above, 1);
  }

  std::string power(const Expression& base, const Expression& exponent, int outer) {
    const bool known = exponent.form == Form::number;
    if (known && exponent.number == 1) return write(base, outer);
    if (exponent.form != Form::symbol && coefficient(exponent) == 0.5 && is_denominator(exponent))
      return filled(Op::sqrt, {drawn(write(base, kTruth))});
    const bool whole = known && exponent.number == std::round(exponent.number) && std::fabs(exponent.number) < 100;
    if (whole && language_ == Language::c && base.form == Form::symbol && exponent.number <= 3)
      return parenthesised(kProduct, outer, [&] {
        const std::string one = write(base, kAtom);
        return exponent.number == 2 ? one + "*" + one : one + "*" + one + "*" + one;
      });
    if (whole && language_ == Language::text)
      return parenthesised(kPower, outer,
                           [&] { return write(base, kAtom) + raised(static_cast<int>(exponent.number)); });
    if (language_ == Language::c) return filled(Op::pow, {write(base, kTruth), write(exponent, kTruth)});
    const bool latex = language_ == Language::latex;
    return parenthesised(kPower, outer, [&] {
      return filled(Op::pow, {latex && base.form == Form::call ? "{" + write(base, kAtom) + "}" : write(base, kAtom),
                              latex ? on_one_line(write(exponent, kTruth)) : write(exponent, kAtom)});
    });
  }

  // Braces of LaTeX keep their contents on one line.
  [[nodiscard]] std::string drawn(const std::string& marked) const {
    return language_ == Language::latex ? on_one_line(marked) : marked;
  }

  static std::string raised(int exponent) {
    constexpr std::string_view kRaised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string out;
    for (const char c : std::to_string(exponent))
      out += c == '-' ? std::string("⁻") : std::string(kRaised[static_cast<std::size_t>(c - '0')]);
    return out;
  }

  [[nodiscard]] std::string filled(Op op, const std::vector<std::string>& operands) const {
    return reading::filled(pattern_of(op, language_), operands);
  }

  // A number where a condition stands is compared with zero in languages that tell them apart.
  [[nodiscard]] Expression as_condition(const Expression& of, std::size_t k) const {
    const Expression& part = of.parts[k];
    if (!is_strict() || is_condition(part) || !is_place_of_condition(of, k)) return part;
    return reading::call(Op::ne, {part, reading::number(0)});
  }
  static bool is_place_of_condition(const Expression& of, std::size_t k) {
    const bool logical = of.op == Op::logical_and || of.op == Op::logical_or || of.op == Op::logical_not;
    return logical || (of.op == Op::select && k == 0);
  }
  static bool is_condition(const Expression& e) { return e.form == Form::call && kernel::is_truth(e.op); }
  [[nodiscard]] bool is_strict() const {
    return language_ == Language::ascii || language_ == Language::sympy || language_ == Language::julia;
  }

  std::string call(const Expression& e, int outer) {
    if (e.op == Op::table) {
      const kernel::TableKey key = kernel::TableKey::of(e.parts.at(1).number);
      return "table" + std::to_string(key.table + 1) + std::string(key.order, '\'') + "(" + write(e.parts[0], kTruth) +
             ")";
    }
    const bool between = pattern_of(e.op, language_).starts_with("$1") && e.op != Op::pow;
    if (e.op == Op::pow) return power(e.parts[0], e.parts[1], outer);
    const bool cases = language_ == Language::latex && e.op == Op::select;  // they have no bracket at their end
    return parenthesised(between || cases ? kTruth : kAtom, outer, [&] {
      std::vector<std::string> operands;
      if (!between) ++depth_;
      for (std::size_t k = 0; k < e.parts.size(); ++k)
        operands.push_back(write(as_condition(e, k), between ? int{kSum} : int{kTruth}, is_place_of_condition(e, k)));
      if (language_ == Language::latex)  // what stands in braces or cases is not broken
        for (std::string& operand : operands) operand = on_one_line(operand);
      if (!between) --depth_;
      return filled(e.op, operands);
    });
  }

  Language language_;
  const Operators& operators_;
  const TextOfSymbol& symbol_;
  int depth_ = 0;
};

}  // namespace

std::string print(const Expression& expression, Language language, const TextOfSymbol& symbol) {
  return Printer(language, symbol).write(expression, kTruth, true);
}

std::string listed(const std::vector<std::string>& marked) {
  std::string out;
  for (const std::string& one : marked) out += (out.empty() ? "" : std::string(", ") + kMark + "0") + one;
  return out;
}

std::string on_one_line(std::string_view marked) {
  std::string out;
  for (std::size_t k = 0; k < marked.size(); ++k)
    if (marked[k] == kMark)
      ++k;
    else
      out += marked[k];
  return out;
}

namespace {

// The lines of a marked text, each at most `width` columns; the first begins at `used`, the others at `indent`.
std::vector<std::string> lines_of(std::string_view marked, std::size_t width, std::size_t used, std::size_t indent,
                                  Step (*step)(std::string_view, std::size_t)) {
  std::vector<std::string> out;
  while (true) {
    // The best mark of this line: the least deep one in its second half, else the last one that fits.
    std::size_t column = used, best = 0, last = 0;
    char depth = '9' + 1;
    for (std::size_t k = 0; k < marked.size();) {
      if (marked[k] == kMark) {
        if (column <= width && k > 0) last = k;
        if (column <= width && k > 0 && column > used + (width - std::min(used, width)) / 3 && marked[k + 1] <= depth) {
          depth = marked[k + 1];
          best = k;
        }
        k += 2;
        continue;
      }
      const Step s = step(marked, k);
      column += s.columns;
      k += s.bytes;
      if (column > width && (best || last)) break;
    }
    if (column <= width || (!best && !last)) break;
    const std::size_t end = best ? best : last;
    out.push_back(on_one_line(marked.substr(0, end)));
    while (out.back().ends_with(' ')) out.back().pop_back();
    marked.remove_prefix(end);
    used = indent;
  }
  out.push_back(on_one_line(marked));
  return out;
}

std::size_t count_of(std::string_view text, std::string_view command) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(command, at)) != std::string_view::npos; at += command.size())
    n += at + command.size() < text.size() && std::isalpha(static_cast<unsigned char>(text[at + command.size()])) ? 0
                                                                                                                  : 1;
  return n;
}

}  // namespace

std::size_t width_in_latex(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t k = 0; k < text.size();) {
    const Step s = step_of_latex(text, k);
    columns += s.columns;
    k += s.bytes;
  }
  return columns;
}

std::string on_lines(std::string_view marked, std::size_t width, std::size_t used, std::string_view between) {
  const std::size_t indent = text::display_width(between.substr(std::min(between.rfind('\n') + 1, between.size())));
  std::string out;
  for (const std::string& line : lines_of(marked, width, used, indent, step_of_text))
    out += (out.empty() ? "" : std::string(between)) + line;
  return out;
}

std::string on_lines_in_latex(std::string_view marked, std::size_t width, std::size_t used, std::string_view between) {
  std::string out;
  std::size_t open = 0;
  for (std::string line : lines_of(marked, width, used, width_in_latex(between), step_of_latex)) {
    for (std::size_t k = 0; k < open; ++k) line.insert(0, "\\left.");
    open = count_of(line, "\\left") - count_of(line, "\\right");
    for (std::size_t k = 0; k < open; ++k) line += "\\right.";
    out += (out.empty() ? "" : std::string(between)) + line;
  }
  return out;
}

}  // namespace mbc::reading
