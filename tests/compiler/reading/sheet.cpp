// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/reading/sheet.h"

#include "base/numbers.h"

namespace mbc::test {

using reading::Expression;
using reading::Form;
using reading::Symbols;

namespace {

std::string in_parentheses(const std::string& text) { return "(" + text + ")"; }

// A factor of a product, or the base or exponent of a power.
std::string factor(const Expression& e, const Symbols& symbols) {
  const bool simple = e.form == Form::symbol || e.form == Form::call || (e.form == Form::number && e.number >= 0);
  return simple ? text_of(e, symbols) : in_parentheses(text_of(e, symbols));
}

std::string power(const Expression& base, const Expression& exponent, const Symbols& symbols) {
  if (reading::is_number(exponent, 1)) return factor(base, symbols);
  return factor(base, symbols) + "^" + factor(exponent, symbols);
}

std::string under(const Expression& e, const Symbols& symbols) {
  return power(e.parts[0], reading::number(-e.parts[1].number), symbols);
}

std::string product(const std::vector<Expression>& factors, const Symbols& symbols) {
  std::string over, denominator;
  int denominators = 0;
  bool minus = false;
  for (const Expression& f : factors) {
    if (reading::is_number(f, -1)) {
      minus = true;
    } else if (reading::is_denominator(f)) {
      denominator += (denominators++ == 0 ? "" : "*") + under(f, symbols);
    } else {
      const bool sign = f.form == Form::number;
      const std::string text = sign || f.form == Form::power ? text_of(f, symbols) : factor(f, symbols);
      over += (over.empty() ? "" : "*") + text;
    }
  }
  if (over.empty()) over = "1";
  if (denominators > 0) over += "/" + (denominators > 1 ? in_parentheses(denominator) : denominator);
  return (minus ? "-" : "") + over;
}

}  // namespace

std::string text_of(const Expression& e, const Symbols& symbols) {
  switch (e.form) {
    case Form::number:
      return text::number(e.number);
    case Form::symbol:
      return symbols.name(e.symbol);
    case Form::sum: {
      std::string all;
      for (const Expression& p : e.parts) {
        const std::string term = text_of(p, symbols);
        if (all.empty())
          all = term;
        else
          all += term[0] == '-' ? " - " + term.substr(1) : " + " + term;
      }
      return all;
    }
    case Form::product:
      return product(e.parts, symbols);
    case Form::power:
      return reading::is_denominator(e) ? "1/" + under(e, symbols) : power(e.parts[0], e.parts[1], symbols);
    case Form::call: {
      std::string all = std::string(kernel::op_text(e.op)) + "(";
      for (std::size_t k = 0; k < e.parts.size(); ++k) all += (k == 0 ? "" : ", ") + text_of(e.parts[k], symbols);
      return all + ")";
    }
  }
  return "?";
}

std::string Sheet::simplified(Written e) const {
  const auto found = reading::Simplifier(graph, symbols).simplify(e.id);
  if (!found) return "too large";
  std::string all = text_of(found->expression, symbols);
  for (const Expression& c : found->conditions) all += " where " + text_of(c.parts[0], symbols) + " != 0";
  return all;
}

std::string Sheet::plain(Written e) const {
  const auto found = reading::plain(graph, e.id, symbols);
  return found ? text_of(*found, symbols) : "too large";
}

}  // namespace mbc::test
