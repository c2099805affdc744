// SPDX-License-Identifier: Apache-2.0
// Polynomials over atoms, with whole exponents of either sign. An atom is what is not taken apart: a symbol, a sine, a
// call, the sum in a denominator (atoms.h).
#pragma once
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace mbc::reading {

struct Factor {
  std::uint32_t atom;
  int exponent;  // not 0
  auto operator<=>(const Factor&) const = default;
};
using Monomial = std::vector<Factor>;           // by ascending atoms
using Polynomial = std::map<Monomial, double>;  // coefficients, none 0
// Atoms that are divided by.
using Denominators = std::set<std::uint32_t>;

Polynomial constant_polynomial(double value);
Polynomial atom_polynomial(std::uint32_t atom, int exponent = 1);

// A coefficient that is left of two that cancel but for rounding is 0.
void add_term(Polynomial& p, const Monomial& m, double coefficient);
void add_to(Polynomial& p, const Polynomial& q, double factor);
Monomial times(const Monomial& a, const Monomial& b);
Polynomial times(const Polynomial& a, const Polynomial& b);
Polynomial scaled(const Polynomial& p, double factor);
std::optional<double> constant_of(const Polynomial& p);
Denominators denominators(const Polynomial& p);

// Returns the common part of two monomials: of factors with exponents of one sign the smaller part.
Monomial common(const Monomial& a, const Monomial& b);
// m / d, where d is a part of m.
std::optional<Monomial> without(const Monomial& m, const Monomial& d);
// Returns the common part of all terms; the number makes the coefficients small whole numbers, the first of them
// positive, where they have ratios of small whole numbers.
struct Content {
  Monomial monomial;
  double number;
};
Content content(const Polynomial& p);
Polynomial without(const Polynomial& p, const Content& c);

}  // namespace mbc::reading
