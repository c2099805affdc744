// SPDX-License-Identifier: Apache-2.0
#include "compiler/reading/symbols.h"

#include <algorithm>

#include "base/digits.h"

namespace mbc::reading {

std::uint32_t Symbols::add(std::string name) {
  names_.push_back(std::move(name));
  return size() - 1;
}

std::uint32_t Symbols::add(graph::NodeId node, std::string name) {
  const std::uint32_t symbol = add(std::move(name));
  of_node_[node.value] = symbol;
  return symbol;
}

std::optional<std::uint32_t> Symbols::of(graph::NodeId node) const {
  const auto it = of_node_.find(node.value);
  return it == of_node_.end() ? std::nullopt : std::optional(it->second);
}

namespace {

std::string_view digits(std::string_view name, std::size_t from) {
  std::size_t end = from;
  while (end < name.size() && is_digit(name[end])) ++end;
  while (from + 1 < end && name[from] == '0') ++from;
  return name.substr(from, end - from);
}

int order(std::size_t a, std::size_t b) { return a < b ? -1 : a > b ? 1 : 0; }

// Symbols come first, then sums, then calls; a denominator comes last.
int rank(const Expression& e) {
  if (is_denominator(e)) return 5;
  switch (e.form) {
    case Form::number:
      return 0;
    case Form::symbol:
      return 1;
    case Form::power:
      return e.parts[0].form == Form::power ? 4 : rank(e.parts[0]);
    case Form::sum:
      return 2;
    case Form::call:
      return 3;
    case Form::product:
      return 4;
  }
  return 4;
}

// The factors that are no numbers, by which terms are compared first.
std::vector<const Expression*> factors(const Expression& e) {
  if (e.form == Form::number) return {};
  if (e.form != Form::product) return {&e};
  std::vector<const Expression*> list;
  for (const Expression& p : e.parts)
    if (coefficient(p) == 1) list.push_back(&p);
  return list;
}

int compare_factors(const Expression& a, const Expression& b, const Symbols& symbols);

// Terms without their numbers.
int compare_terms(const Expression& a, const Expression& b, const Symbols& symbols) {
  const auto x = factors(a), y = factors(b);
  for (std::size_t k = 0; k < x.size() && k < y.size(); ++k)
    if (const int c = compare_factors(*x[k], *y[k], symbols)) return c;
  return order(x.size(), y.size());
}

int compare_factors(const Expression& a, const Expression& b, const Symbols& symbols) {
  if (const int by_rank = order(static_cast<std::size_t>(rank(a)), static_cast<std::size_t>(rank(b)))) return by_rank;
  const bool power_a = a.form == Form::power, power_b = b.form == Form::power;
  if (power_a || power_b) {
    if (const int by_base = compare(power_a ? a.parts[0] : a, power_b ? b.parts[0] : b, symbols)) return by_base;
    if (power_a && power_b) return -compare(a.parts[1], b.parts[1], symbols);
    return power_a ? -1 : 1;
  }
  if (a.form == Form::symbol) {
    if (const int by_name = compare_names(symbols.name(a.symbol), symbols.name(b.symbol))) return by_name;
    return order(a.symbol, b.symbol);
  }
  if (a.form == Form::call && a.op != b.op) return kernel::op_text(a.op).compare(kernel::op_text(b.op)) < 0 ? -1 : 1;
  for (std::size_t k = 0; k < a.parts.size() && k < b.parts.size(); ++k)
    if (const int c = compare(a.parts[k], b.parts[k], symbols)) return c;
  return order(a.parts.size(), b.parts.size());
}

bool has_denominator(const Expression& e) {
  return is_denominator(e) || std::any_of(e.parts.begin(), e.parts.end(), has_denominator);
}

// Sorted terms that differ by their numbers become one; where something is divided by, only if it does not vanish.
void collect_terms(std::vector<Expression>& terms, const Symbols& symbols) {
  std::vector<Expression> collected;
  for (Expression& t : terms) {
    if (!collected.empty() && compare_terms(collected.back(), t, symbols) == 0) {
      const double c = coefficient(collected.back()), all = c + coefficient(t);
      if (c == 0) {  // 0/x + 1/x
        collected.back() = std::move(t);
        continue;
      }
      if (all != 0 || !has_denominator(t)) {
        Expression sum = all == 0 ? number(0) : arranged(product({number(all / c), collected.back()}), symbols);
        collected.pop_back();
        if (all != 0) collected.push_back(std::move(sum));
        continue;
      }
    }
    collected.push_back(std::move(t));
  }
  terms = std::move(collected);
}

}  // namespace

int compare_names(std::string_view a, std::string_view b) {
  for (std::size_t i = 0, k = 0;;) {
    if (i == a.size() || k == b.size()) return i == a.size() && k == b.size() ? 0 : i == a.size() ? -1 : 1;
    if (is_digit(a[i]) && is_digit(b[k])) {
      const std::string_view x = digits(a, i), y = digits(b, k);
      if (x.size() != y.size()) return order(x.size(), y.size());
      if (const int c = x.compare(y)) return c < 0 ? -1 : 1;
      while (i < a.size() && is_digit(a[i])) ++i;
      while (k < b.size() && is_digit(b[k])) ++k;
    } else if (a[i] != b[k]) {
      return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[k]) ? -1 : 1;
    } else {
      ++i, ++k;
    }
  }
}

int compare(const Expression& a, const Expression& b, const Symbols& symbols) {
  if (const int by_factors = compare_terms(a, b, symbols)) return by_factors;
  const double c = coefficient(a), d = coefficient(b);
  return c < d ? -1 : c > d ? 1 : 0;
}

Expression arranged(Expression e, const Symbols& symbols) {
  const auto before = [&](const Expression& a, const Expression& b) { return compare(a, b, symbols) < 0; };
  const bool commutative_call =
      e.form == Form::call && kernel::traits(e.op).order == kernel::OpTraits::Order::commutative;
  if (e.form == Form::sum || commutative_call) std::sort(e.parts.begin(), e.parts.end(), before);
  if (commutative_call && kernel::is_truth(e.op) && e.parts[0].form == Form::number)
    std::swap(e.parts[0], e.parts[1]);  // x != 0
  if (e.form == Form::product) {
    // A number, the factors, the number of a denominator, its other factors.
    const auto key = [](const Expression& f) {
      return f.form == Form::number ? 0 : coefficient(f) != 1 ? 2 : is_denominator(f) ? 3 : 1;
    };
    std::sort(e.parts.begin(), e.parts.end(), [&](const Expression& a, const Expression& b) {
      return key(a) != key(b) ? key(a) < key(b) : before(a, b);
    });
  }
  // b - a is read more easily than -a + b.
  if (e.form == Form::sum) {
    collect_terms(e.parts, symbols);
    const auto positive = [](const Expression& t) { return coefficient(t) > 0; };
    const auto first = std::find_if(e.parts.begin(), e.parts.end(), positive);
    if (first != e.parts.end()) std::rotate(e.parts.begin(), first, first + 1);
    return sum(std::move(e.parts));
  }
  return e;
}

}  // namespace mbc::reading
