// SPDX-License-Identifier: Apache-2.0
// Writes expressions as sums of products, to decide whether a sum of them is identically zero. Every node becomes a
// polynomial in atoms: leaves, and functions of polynomials (sin, sqrt, a quotient's denominator, a comparison). Atoms
// count as independent except for sin^2 = 1 - cos^2, so a zero here is zero for all values of the leaves. The reverse
// does not hold (sin(2 x) is not 2 sin x cos x here), which is safe where "not known to be zero" means "leave it
// alone".
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/lower/names.h"

namespace mbc::lower {

// coefficient * monomial. `size` is the size of the terms added up to the coefficient: a sum that is only round-off
// beside it has cancelled.
struct PolynomialTerm {
  std::uint32_t monomial = 0;
  double coefficient = 0, size = 0;
};
using Polynomial = std::vector<PolynomialTerm>;  // ascending monomials, none cancelled; empty: zero

class NormalForms {
 public:
  explicit NormalForms(const Graph& graph);

  // The result is valid until the next call.
  const Polynomial& of(NodeId node);

  // a + factor * b
  static Polynomial add(const Polynomial& a, const Polynomial& b, double factor = 1);

  // Returns whether an expression was too long to write out, so that one or more atoms stand for parts of it.
  [[nodiscard]] bool shortened() const { return shortened_; }

 private:
  using Monomial = std::vector<std::pair<std::uint32_t, int>>;  // (atom, exponent), ascending atoms, no exponent 0

  static constexpr std::size_t kMostTerms = 2000;  // of a product; longer factors become atoms
  static constexpr std::size_t kMostWork = 3'000'000;

  Polynomial arithmetic(const Node& n, NodeId id);
  Polynomial piecewise(const Node& n);
  Polynomial expand(const Node& n, NodeId id);
  Polynomial function(const Node& n);
  Polynomial product(const Polynomial& a, const Polynomial& b);
  Polynomial reciprocal(const Polynomial& a);
  Polynomial whole(const Polynomial& a);  // a long sum as one atom
  Polynomial atom(std::string key, bool truth = false);
  [[nodiscard]] Polynomial constant(double value) const;

  std::uint32_t atom_number(std::string key, bool truth);
  // Adds a term to a list that is not in order yet; squares of sines become cosines.
  void put(std::vector<PolynomialTerm>& list, const PolynomialTerm& term);

  std::uint32_t monomial(Monomial m);
  std::uint32_t times(std::uint32_t a, std::uint32_t b);
  [[nodiscard]] const Polynomial& operand(std::uint32_t node) const { return forms_[place_[node]]; }
  [[nodiscard]] bool exhausted() const { return work_ > kMostWork; }
  static bool negative(const Polynomial& p) { return !p.empty() && p.front().coefficient < 0; }
  static std::string key_of(const Polynomial& p);

  const Graph& graph_;
  std::vector<std::uint32_t> place_;  // by node: index into forms_
  std::deque<Polynomial> forms_;
  std::unordered_map<std::string, std::uint32_t> atoms_;
  std::vector<bool> truth_;            // by atom: 0 or 1, so that its square is itself
  std::vector<std::uint32_t> cosine_;  // by atom: of a sine, its cosine
  std::deque<Monomial> monomials_;
  std::vector<bool> squared_sine_;  // by monomial: holds the square of a sine
  std::unordered_map<std::string, std::uint32_t> monomial_of_;
  std::unordered_map<std::uint64_t, std::uint32_t> products_;
  std::size_t work_ = 0;
  bool shortened_ = false;
};

}  // namespace mbc::lower
