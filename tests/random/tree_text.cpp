// SPDX-License-Identifier: Apache-2.0
#include "tests/random/tree_text.h"

#include <array>
#include <charconv>

namespace mbc::test {

std::string literal(double x) {
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x).ptr;
  const std::string text(buffer.data(), end);
  return x < 0 ? "(" + text + ")" : text;
}

std::string TreeText::leaf(LeafKind kind, std::uint32_t index) {
  if (kind == LeafKind::time) return "t";
  if (kind == LeafKind::param) return "k" + std::to_string(index + 1);
  const std::string particle = "p" + std::to_string(index / space_ + 1);
  const std::string axis(1, "xyz"[index % space_]);
  const std::uint32_t way = rng_.below(3u);
  const std::string position = particle + (way == 0 && space_ > 1 ? ".pos." : ".") + axis;
  switch (kind) {
    case LeafKind::coordinate:
      return position;
    case LeafKind::speed:
      return way == 0 ? position + "'" : particle + (way == 1 && space_ > 1 ? ".vel." : ".v") + axis;
    default:
      return way == 0 ? position + "''" : particle + (way == 1 && space_ > 1 ? ".acc." : ".a") + axis;
  }
}

std::string TreeText::operation(const Term& term, const std::vector<std::string>& text) {
  const std::uint32_t n = graph::arity(term.op);
  const std::string a = n > 0 ? text[term.a] : "", b = n > 1 ? text[term.b] : "", c = n > 2 ? text[term.c] : "";
  switch (term.op) {
    case Op::neg:
      return "(-" + a + ")";
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
    case Op::lt:
    case Op::le:
    case Op::eq:
    case Op::ne:
    case Op::logical_and:
    case Op::logical_or:
      return "(" + a + " " + std::string(graph::op_text(term.op)) + " " + b + ")";
    case Op::logical_not:
      return "(not " + a + ")";
    case Op::pow:
      return "(" + a + ")^" + b;
    case Op::select:
      return "(if " + a + " then " + b + " else " + c + ")";
    default:
      return std::string(graph::op_text(term.op)) + "(" + a + (n > 1 ? ", " + b : "") + ")";
  }
}

std::string TreeText::print(const Tree& tree, const std::map<std::uint32_t, std::string>& spelled) {
  const std::size_t size = tree.terms.size();
  std::vector<std::uint32_t> uses(size, 0);
  std::vector<bool> reached(size, false);
  reached[size - 1] = true;
  for (std::size_t i = size; i-- > 0;) {
    const Term& term = tree.terms[i];
    const std::uint32_t n = graph::arity(term.op);
    if (!reached[i] || spelled.count(static_cast<std::uint32_t>(i)) != 0) continue;
    const std::uint32_t operands[] = {term.a, term.b, term.c};
    for (std::uint32_t k = 0; k < n; ++k) {
      reached[operands[k]] = true;
      ++uses[operands[k]];
    }
  }
  std::vector<std::string> text(size);
  for (std::size_t i = 0; i < size; ++i) {
    if (!reached[i]) continue;
    const Term& term = tree.terms[i];
    const std::uint32_t n = graph::arity(term.op);
    if (const auto found = spelled.find(static_cast<std::uint32_t>(i)); found != spelled.end()) {
      text[i] = found->second;
    } else if (term.op == Op::constant) {
      text[i] = literal(term.number);
      continue;
    } else if (term.op == Op::leaf) {
      text[i] = leaf(term.leaf, term.a);
      continue;
    } else {
      const bool number = term.op != Op::lt && term.op != Op::le && term.op != Op::eq && term.op != Op::ne &&
                          term.op != Op::logical_and && term.op != Op::logical_or && term.op != Op::logical_not;
      // The second argument of this `def` may be an exponent, which must stay written out.
      if (number && n > 0 && term.op != Op::select && term.op != Op::pow && rng_.chance(0.1)) {
        const std::string name = "f" + std::to_string(static_cast<int>(term.op));
        if (defined_.insert(name).second) {
          std::vector<std::string> formal{"x", "y", "z"};
          Term body = term;
          body.a = 0;
          body.b = 1;
          declarations_ += "def " + name + (n > 1 ? "(x, y)" : "(x)") + " = " + operation(body, formal) + "\n";
        }
        text[i] = name + "(" + text[term.a] + (n > 1 ? ", " + text[term.b] : "") + ")";
      } else {
        text[i] = operation(term, text);
      }
      if (!number) continue;
    }
    if (uses[i] > 1 || (uses[i] == 1 && rng_.chance(0.05))) {
      const std::string name = "e" + std::to_string(++lets_);
      declarations_ += "let " + name + " = " + text[i] + "\n";
      text[i] = name;
    }
  }
  return text.back();
}

}  // namespace mbc::test
