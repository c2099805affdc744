// SPDX-License-Identifier: Apache-2.0
#include "compiler/reading/polynomial.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/epsilon.h"

namespace mbc::reading {
namespace {

constexpr double kCancelled = 32 * kEpsilon;  // of the larger of two coefficients
constexpr int kLargestWhole = 4096;           // of ratios of coefficients

// The smallest whole number whose product with the ratio is a whole number, or 0 where there is no small one.
std::int64_t denominator(double ratio) {
  for (int q = 1; q <= 64; ++q) {
    const double p = std::round(ratio * q);
    if (std::fabs(p) > kLargestWhole) return 0;
    if (std::fabs(ratio * q - p) <= kCancelled * std::fabs(p)) return q;
  }
  return 0;
}

}  // namespace

Polynomial constant_polynomial(double value) { return value == 0 ? Polynomial{} : Polynomial{{Monomial{}, value}}; }

Polynomial atom_polynomial(std::uint32_t atom, int exponent) { return {{Monomial{{atom, exponent}}, 1.0}}; }

void add_term(Polynomial& p, const Monomial& m, double coefficient) {
  const auto [it, is_new] = p.try_emplace(m, coefficient);
  if (is_new) return;
  const double larger = std::max(std::fabs(it->second), std::fabs(coefficient));
  it->second += coefficient;
  if (std::fabs(it->second) <= kCancelled * larger) p.erase(it);
}

void add_to(Polynomial& p, const Polynomial& q, double factor) {
  for (const auto& [m, c] : q) add_term(p, m, factor * c);
}

Monomial times(const Monomial& a, const Monomial& b) {
  Monomial result;
  result.reserve(a.size() + b.size());
  auto i = a.begin(), k = b.begin();
  while (i != a.end() && k != b.end()) {
    if (i->atom != k->atom) {
      result.push_back(i->atom < k->atom ? *i++ : *k++);
      continue;
    }
    if (i->exponent + k->exponent != 0) result.push_back({i->atom, i->exponent + k->exponent});
    ++i, ++k;
  }
  result.insert(result.end(), i, a.end());
  result.insert(result.end(), k, b.end());
  return result;
}

Polynomial times(const Polynomial& a, const Polynomial& b) {
  Polynomial result;
  for (const auto& [m, c] : a)
    for (const auto& [n, d] : b) add_term(result, times(m, n), c * d);
  return result;
}

Polynomial scaled(const Polynomial& p, double factor) {
  Polynomial result = p;
  for (auto& [m, c] : result) c *= factor;
  return result;
}

std::optional<double> constant_of(const Polynomial& p) {
  if (p.empty()) return 0.0;
  return p.size() == 1 && p.begin()->first.empty() ? std::optional(p.begin()->second) : std::nullopt;
}

Denominators denominators(const Polynomial& p) {
  Denominators found;
  for (const auto& [m, c] : p)
    for (const Factor& f : m)
      if (f.exponent < 0) found.insert(f.atom);
  return found;
}

Monomial common(const Monomial& a, const Monomial& b) {
  Monomial result;
  for (auto i = a.begin(), k = b.begin(); i != a.end() && k != b.end();) {
    if (i->atom != k->atom) {
      i->atom < k->atom ? ++i : ++k;
      continue;
    }
    if ((i->exponent < 0) == (k->exponent < 0))
      result.push_back(std::abs(i->exponent) < std::abs(k->exponent) ? *i : *k);
    ++i, ++k;
  }
  return result;
}

std::optional<Monomial> without(const Monomial& m, const Monomial& d) {
  Monomial result;
  auto i = m.begin();
  for (const Factor& f : d) {
    while (i != m.end() && i->atom < f.atom) result.push_back(*i++);
    if (i == m.end() || i->atom != f.atom || (i->exponent < 0) != (f.exponent < 0)) return std::nullopt;
    if (std::abs(i->exponent) < std::abs(f.exponent)) return std::nullopt;
    if (i->exponent != f.exponent) result.push_back({f.atom, i->exponent - f.exponent});
    ++i;
  }
  result.insert(result.end(), i, m.end());
  return result;
}

Content content(const Polynomial& p) {
  if (p.empty()) return {{}, 1};
  const double first = p.begin()->second;
  Content all{p.begin()->first, std::copysign(1.0, first)};
  std::int64_t multiple = 1;
  for (const auto& [m, c] : p) {
    all.monomial = common(all.monomial, m);
    const std::int64_t q = denominator(c / first);
    multiple = q == 0 || multiple == 0 ? 0 : std::lcm(multiple, q);
    if (multiple > kLargestWhole) multiple = 0;
  }
  if (multiple != 0) all.number = first / static_cast<double>(multiple);
  return all;
}

Polynomial without(const Polynomial& p, const Content& c) {
  Polynomial rest;
  for (const auto& [m, value] : p) {
    const double whole = value / c.number, nearest = std::round(whole);
    rest[*without(m, c.monomial)] = std::fabs(whole - nearest) <= kCancelled * std::fabs(nearest) ? nearest : whole;
  }
  return rest;
}

}  // namespace mbc::reading
