// SPDX-License-Identifier: Apache-2.0
// Polynomials as text: greedy factoring by length. A product of two sums covers some terms of the polynomial; the one
// that shortens the text most is taken out, then the rest and both sums are treated in the same way.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/epsilon.h"
#include "compiler/reading/atoms.h"

namespace mbc::reading {
namespace {

constexpr std::size_t kMostPairs = 48;      // Up to so many terms, what any two of them have in common is tried.
constexpr std::size_t kMostFactored = 200;  // Polynomials of more terms are written as they are.
constexpr double kSame = 64 * kEpsilon;     // Relative difference of ratios of coefficients that are the same.

// Terms that are outer * inner.
struct Covered {
  Polynomial outer, inner;
  double saved = 0;
};

class Factoring {
 public:
  // Atoms of the polynomials are indices of the list, which is in the order of names.
  explicit Factoring(const std::vector<const Atom*>& atoms, const Symbols& symbols)
      : atoms_(atoms), symbols_(symbols) {}

  [[nodiscard]] Expression write(const Polynomial& p) const {
    if (p.size() == 1) return term(p.begin()->first, p.begin()->second);
    const Content c = content(p);
    Expression inside = sums(without(p, c));
    Expression out = together({number(c.number), term(c.monomial, 1), inside});
    if (inside.form != Form::sum || c.number == 1) return out;
    // The number may stand in front of the sum or of each of its terms.
    for (Expression& t : inside.parts) t = together({number(c.number), t});
    Expression in = together({term(c.monomial, 1), arranged(sum(std::move(inside.parts)), symbols_)});
    return length(in) < length(out) ? in : out;
  }
  // The product in its order, with signs where they are read best: -(b - a)*x is (a - b)*x, (-a - b)*x is -(a + b)*x.
  [[nodiscard]] Expression together(std::vector<Expression> factors) const {
    Expression all = arranged(product(std::move(factors)), symbols_);
    if (all.form != Form::product) return all;
    for (Expression& f : all.parts) {
      if (f.form != Form::sum) continue;
      const auto minus =
          std::count_if(f.parts.begin(), f.parts.end(), [](const auto& t) { return coefficient(t) < 0; });
      const bool all_minus = static_cast<std::size_t>(minus) == f.parts.size();
      if (!all_minus && (minus == 0 || coefficient(all) > 0)) continue;
      f = arranged(negative(std::move(f)), symbols_);
      return together({number(-1), std::move(all)});
    }
    return all;
  }

 private:
  [[nodiscard]] Expression term(const Monomial& m, double c) const {
    std::vector<Expression> factors{number(c)};
    for (const Factor& f : m) factors.push_back(power(atoms_[f.atom]->written, number(f.exponent)));
    return together(std::move(factors));
  }

  [[nodiscard]] double size(const Monomial& m) const {
    double n = 0;
    for (const Factor& f : m) n += static_cast<double>(atoms_[f.atom]->length) + (std::abs(f.exponent) == 1 ? 1 : 3);
    return n;
  }
  [[nodiscard]] double size(const Polynomial& p) const {
    double n = p.size() > 1 ? 2 : 0;
    for (const auto& [m, c] : p) n += size(m) + 2 + (std::fabs(c) == 1 ? 0 : 2);
    return n;
  }

  // A polynomial of two terms or more without common factors.
  [[nodiscard]] Expression sums(const Polynomial& p) const {
    std::vector<Expression> terms;
    for (const auto& [m, c] : p) terms.push_back(term(m, c));
    Expression flat = arranged(sum(std::move(terms)), symbols_);
    const Covered best = p.size() > kMostFactored || p.size() < 3 ? Covered{} : best_product(p);
    if (best.saved <= 0) return flat;
    Polynomial rest = p;
    for (const auto& [m, c] : best.outer)
      for (const auto& [n, d] : best.inner) rest.erase(times(m, n));
    std::vector<Expression> parts{together({write(best.outer), write(best.inner)})};
    if (!rest.empty()) parts.push_back(write(rest));
    Expression factored = arranged(sum(std::move(parts)), symbols_);
    return length(factored) <= length(flat) ? factored : flat;
  }

  [[nodiscard]] static std::set<Monomial> candidates(const Polynomial& p) {
    std::set<Monomial> found;
    for (auto i = p.begin(); i != p.end(); ++i) {
      if (p.size() > kMostPairs)
        for (const Factor& f : i->first) found.insert({{f.atom, f.exponent < 0 ? -1 : 1}});
      else
        for (auto k = std::next(i); k != p.end(); ++k) found.insert(common(i->first, k->first));
    }
    found.erase(Monomial{});
    return found;
  }

  [[nodiscard]] Covered best_product(const Polynomial& p) const {
    Covered best;
    std::set<Polynomial> tried;
    for (const Monomial& d : candidates(p)) {
      Polynomial inner;
      for (const auto& [m, c] : p)
        if (const auto rest = without(m, d)) inner[*rest] = c;
      if (inner.size() < 2) continue;
      inner = without(inner, content(inner));
      if (!tried.insert(inner).second) continue;
      Covered found{multiples(p, inner), inner};
      for (const auto& [m, c] : found.outer)
        for (const auto& [n, e] : inner) found.saved += size(times(m, n)) + 2 + (std::fabs(c * e) == 1 ? 0 : 2);
      found.saved -= size(found.outer) + size(found.inner);
      if (found.saved > best.saved) best = std::move(found);
    }
    return best;
  }

  // The terms by which `inner` can be multiplied so that all products are terms of p.
  [[nodiscard]] static Polynomial multiples(const Polynomial& p, const Polynomial& inner) {
    Polynomial outer;
    std::set<Monomial> used;
    for (const auto& [m, c] : p) {
      const auto e = without(m, inner.begin()->first);
      if (!e) continue;
      const double ratio = c / inner.begin()->second;
      std::vector<Monomial> products;
      for (const auto& [n, d] : inner) {
        products.push_back(times(*e, n));
        const auto found = p.find(products.back());
        if (found == p.end() || used.contains(products.back()) ||
            std::fabs(found->second - ratio * d) > kSame * std::fabs(found->second))
          break;
        if (products.size() < inner.size()) continue;
        outer[*e] = ratio;
        used.insert(products.begin(), products.end());
      }
    }
    return outer;
  }

  const std::vector<const Atom*>& atoms_;
  const Symbols& symbols_;
};

// The atoms of a polynomial by names.
std::vector<std::uint32_t> sorted_atoms(const Polynomial& p, const Atoms& atoms) {
  std::set<std::uint32_t> all;
  for (const auto& [m, c] : p)
    for (const Factor& f : m) all.insert(f.atom);
  std::vector<std::uint32_t> sorted(all.begin(), all.end());
  std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) {
    return compare(atoms[a].written, atoms[b].written, atoms.symbols()) < 0;
  });
  return sorted;
}

Polynomial renumbered(const Polynomial& p, const std::vector<std::uint32_t>& sorted) {
  std::map<std::uint32_t, std::uint32_t> place;
  for (std::uint32_t k = 0; k < sorted.size(); ++k) place[sorted[k]] = k;
  Polynomial result;
  for (const auto& [m, c] : p) {
    Monomial n;
    for (const Factor& f : m) n.push_back({place[f.atom], f.exponent});
    std::sort(n.begin(), n.end());
    result[n] = c;
  }
  return result;
}

// Returns the common multiple of all denominators.
Monomial common_denominator(const Polynomial& p) {
  std::map<std::uint32_t, int> exponents;
  for (const auto& [m, c] : p)
    for (const Factor& f : m) exponents[f.atom] = std::max(exponents[f.atom], -f.exponent);
  Monomial result;
  for (const auto& [atom, exponent] : exponents)
    if (exponent > 0) result.push_back({atom, exponent});
  return result;
}

Expression over_common_denominator(const Factoring& factoring, const Polynomial& p, const Monomial& denominator) {
  const Polynomial above = times(p, Polynomial{{denominator, 1.0}});
  Polynomial under{{Monomial{}, 1.0}};
  for (const Factor& f : denominator) under = times(under, atom_polynomial(f.atom, -f.exponent));
  Expression over = factoring.write(above);
  if (is_number(over, 0)) return over;
  return factoring.together({std::move(over), factoring.write(under)});
}

}  // namespace

Expression written(const Polynomial& p, const Atoms& atoms) {
  if (p.empty()) return number(0);
  const std::vector<std::uint32_t> sorted = sorted_atoms(p, atoms);
  std::vector<const Atom*> list;
  for (const std::uint32_t a : sorted) list.push_back(&atoms[a]);
  const Factoring factoring(list, atoms.symbols());
  const Polynomial by_name = renumbered(p, sorted);
  Expression e = factoring.write(by_name);
  const Monomial denominator = common_denominator(by_name);
  if (denominator.empty() || p.size() == 1) return e;
  Expression quotient = over_common_denominator(factoring, by_name, denominator);
  return length(quotient) <= length(e) ? quotient : e;
}

double leading_coefficient(const Polynomial& p, const Atoms& atoms) {
  const Polynomial by_name = renumbered(p, sorted_atoms(p, atoms));
  // A constant stands first in the order of monomials, but is no guide to the sign of an angle.
  const auto first =
      by_name.size() > 1 && by_name.begin()->first.empty() ? std::next(by_name.begin()) : by_name.begin();
  return first->second;
}

}  // namespace mbc::reading
