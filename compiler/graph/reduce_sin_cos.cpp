// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/reduce_sin_cos.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace mbc::graph {

namespace {

using Monomial = std::vector<std::pair<std::uint32_t, int>>;  // (atom, exponent > 0), ascending atoms
using Polynomial = std::map<Monomial, double>;

constexpr std::size_t kMostTerms = 60;                                    // of a sum; a longer one stays one factor
constexpr std::size_t kMostWork = 10'000;                                 // terms added or multiplied in all
constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();  // of products of a few literals

bool power_of_two(double c) {
  int exponent = 0;
  return std::frexp(std::fabs(c), &exponent) == 0.5;
}

Monomial times(const Monomial& a, const Monomial& b) {
  Monomial product;
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->first < j->first)) {
      product.push_back(*i++);
    } else if (i == a.end() || j->first < i->first) {
      product.push_back(*j++);
    } else {
      product.emplace_back(i->first, i->second + j->second);
      ++i;
      ++j;
    }
  }
  return product;
}

// Changes the exponent of an atom; an atom with the exponent 0 is removed.
Monomial shifted(Monomial m, std::uint32_t atom, int by) {
  const auto at = std::lower_bound(m.begin(), m.end(), std::pair{atom, std::numeric_limits<int>::min()});
  if (at == m.end() || at->first != atom)
    m.insert(at, {atom, by});
  else if ((at->second += by) == 0)
    m.erase(at);
  return m;
}

// Adds a term. Two coefficients that cancel up to the rounding of a few products leave no term.
void put(Polynomial& p, const Monomial& m, double c) {
  const auto [at, fresh] = p.try_emplace(m, c);
  if (fresh) return;
  const double sum = at->second + c;
  if (std::fabs(sum) <= kRounding * std::max(std::fabs(at->second), std::fabs(c)))
    p.erase(at);
  else
    at->second = sum;
}

class Expansion {
 public:
  // `all`: products of sums are multiplied out too.
  Expansion(const Graph& g, const std::vector<NodeId>& roots, bool all) : g_(g), all_(all) {
    for (NodeId id : reachable(g, roots)) {
      const Node& n = g.node(id);
      if (n.op == Op::sin) angles_[n.a].first = id.value;
      if (n.op == Op::cos) angles_[n.a].second = id.value;
      forms_[id.value] = expanded(id);
    }
    for (const auto& [angle, pair] : angles_)
      if (pair.first != kNone && pair.second != kNone) pairs_.push_back(pair);
  }

  // Replaces the squares of the sine and the cosine of an angle that have the same factor and sign, until none are
  // left.
  [[nodiscard]] Polynomial without_squares(NodeId root) const {
    Polynomial p = forms_.at(root.value);
    while (replace_one(p)) {
    }
    return p;
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  struct Pair {
    std::uint32_t first = kNone, second = kNone;  // sine, cosine
  };

  static Polynomial atom(NodeId id) { return {{{{id.value, 1}}, 1.0}}; }

  Polynomial expanded(NodeId id) {
    const Node& n = g_.node(id);
    if (n.op == Op::constant) {
      const double c = g_.constant_value(id);
      return c == 0 ? Polynomial{} : Polynomial{{Monomial{}, c}};
    }
    if (n.op == Op::neg) return scaled(forms_.at(n.a), -1);
    if (n.op == Op::add) return sum(id, forms_.at(n.a), forms_.at(n.b), 1);
    if (n.op == Op::sub) return sum(id, forms_.at(n.a), forms_.at(n.b), -1);
    return n.op == Op::mul ? product(id, forms_.at(n.a), forms_.at(n.b)) : atom(id);
  }

  static Polynomial scaled(Polynomial p, double factor) {
    for (auto& [m, c] : p) c *= factor;
    return p;
  }

  Polynomial sum(NodeId id, const Polynomial& a, const Polynomial& b, double sign) {
    if (a.size() + b.size() > kMostTerms || (work_ += a.size() + b.size()) > kMostWork) return atom(id);
    Polynomial total = a;
    for (const auto& [m, c] : b) put(total, m, sign * c);
    const auto exact_terms = std::count_if(total.begin(), total.end(), [&](const auto& term) { return exact(term); });
    return exact_terms > 1 ? atom(id) : total;
  }

  Polynomial product(NodeId id, const Polynomial& a, const Polynomial& b) {
    if (!all_ && a.size() > 1 && b.size() > 1) return atom(id);
    if (a.size() * b.size() > kMostTerms || (work_ += a.size() * b.size()) > kMostWork) return atom(id);
    Polynomial result;
    for (const auto& [m, c] : a)
      for (const auto& [k, d] : b) {
        if (!std::isnormal(c * d)) return atom(id);  // the product as written may be neither too large nor too small
        put(result, times(m, k), c * d);
      }
    return result;
  }

  // Returns whether the term is computed without a rounding, so that a sum of such terms may be exact too.
  [[nodiscard]] bool exact(const std::pair<const Monomial, double>& term) const {
    const auto& [m, c] = term;
    if (m.empty()) return true;
    if (m.size() > 1 || m[0].second > 1 || !power_of_two(c)) return false;
    const Op op = g_.node({m[0].first}).op;
    const bool sum = op == Op::add || op == Op::sub;  // a sum that is an atom has been kept because it is exact
    return sum || op == Op::leaf || op == Op::neg || (kernel::is_piecewise(op) && !kernel::is_truth(op));
  }

  [[nodiscard]] bool replace_one(Polynomial& p) const {
    for (const auto& [sine, cosine] : pairs_)
      for (const auto& [m, c] : p) {
        const auto at = std::find_if(m.begin(), m.end(), [&](const auto& f) { return f.first == sine; });
        if (at == m.end() || at->second < 2) continue;
        const Monomial rest = shifted(m, sine, -2), other = shifted(rest, cosine, 2), own = m;
        const auto partner = p.find(other);
        if (partner == p.end() || (partner->second < 0) != (c < 0)) continue;
        const double a = c, b = partner->second, shared = std::fabs(a) <= std::fabs(b) ? a : b;
        put(p, own, -shared);
        put(p, other, -shared);
        put(p, rest, shared);
        return true;
      }
    return false;
  }

  const Graph& g_;
  bool all_;
  std::unordered_map<std::uint32_t, Polynomial> forms_;
  std::map<std::uint32_t, Pair> angles_;
  std::vector<Pair> pairs_;
  std::size_t work_ = 0;
};

// Writes a polynomial as an expression: it takes out the atom that most terms hold, and so on.
class Writer {
 public:
  explicit Writer(Graph& g) : g_(g) {}

  NodeId write(const Polynomial& p) {
    std::vector<Term> terms;
    for (const auto& [m, c] : p) terms.push_back({m, c});
    return sum(std::move(terms));
  }

 private:
  struct Term {
    Monomial monomial;
    double coefficient = 0;
  };

  NodeId sum(std::vector<Term> terms) {
    if (terms.empty()) return g_.zero();
    const double c = std::fabs(terms[0].coefficient);
    if (c != 1 && terms.size() > 1 && std::ranges::all_of(terms, [c](const Term& t) {
          return std::fabs(std::fabs(t.coefficient) - c) <= kRounding * c;
        })) {
      for (Term& t : terms) t.coefficient = t.coefficient < 0 ? -1 : 1;
      return g_.mul(g_.constant(c), sum(std::move(terms)));
    }
    if (const auto [atom, count] = most_common(terms); count > 1) {
      std::vector<Term> with, rest;
      for (Term& t : terms) {
        const bool holds = exponent(t.monomial, atom) > 0;
        if (holds) t.monomial = shifted(std::move(t.monomial), atom, -1);
        (holds ? with : rest).push_back(std::move(t));
      }
      return g_.add(g_.mul({atom}, sum(std::move(with))), sum(std::move(rest)));
    }
    NodeId total = g_.zero();
    for (const Term& t : terms) total = g_.add(total, product(t));
    return total;
  }

  NodeId product(const Term& t) {
    NodeId result = g_.one();
    for (const auto& [atom, exponent] : t.monomial) result = g_.mul(result, g_.power({atom}, exponent));
    return g_.mul(g_.constant(t.coefficient), result);
  }

  static int exponent(const Monomial& m, std::uint32_t atom) {
    for (const auto& [a, e] : m)
      if (a == atom) return e;
    return 0;
  }

  static std::pair<std::uint32_t, std::size_t> most_common(const std::vector<Term>& terms) {
    std::map<std::uint32_t, std::size_t> counts;
    for (const Term& t : terms)
      for (const auto& [atom, exponent] : t.monomial) ++counts[atom];
    std::pair<std::uint32_t, std::size_t> best{0, 0};
    for (const auto& entry : counts)
      if (entry.second > best.second) best = entry;
    return best;
  }

  Graph& g_;
};

// Returns true for one term and for terms of one sign, in which nothing cancels.
bool definite(const Polynomial& p) {
  return p.size() < 2 || std::ranges::all_of(p, [&](const auto& term) {
           return (term.second < 0) == (p.begin()->second < 0) &&
                  std::ranges::all_of(term.first, [](const auto& factor) { return factor.second % 2 == 0; });
         });
}

// Returns the number of operations; a sine or cosine counts as 20, a division or root as 4.
std::size_t cost(const Graph& g, const std::vector<NodeId>& roots) {
  std::size_t total = 0;
  for (NodeId id : reachable(g, roots)) {
    const Op op = g.node(id).op;
    total += op == Op::sin || op == Op::cos ? 20 : op == Op::div || op == Op::sqrt ? 4 : arity(op) > 0 && op != Op::neg;
  }
  return total;
}

bool sine_and_cosine(const Graph& g, const std::vector<NodeId>& roots) {
  std::set<std::uint32_t> sines, cosines;
  for (NodeId id : reachable(g, roots)) {
    const Node& n = g.node(id);
    if (n.op == Op::sin) sines.insert(n.a);
    if (n.op == Op::cos) cosines.insert(n.a);
  }
  return std::ranges::any_of(sines, [&](std::uint32_t angle) { return cosines.contains(angle); });
}

}  // namespace

std::vector<NodeId> reduce_sin_cos(Graph& g, const std::vector<NodeId>& values) {
  if (!sine_and_cosine(g, values)) return values;
  const Expansion partly(g, values, false), all(g, values, true);
  std::vector<Polynomial> forms;
  for (NodeId value : values) {
    forms.push_back(all.without_squares(value));
    if (!definite(forms.back())) forms.back() = partly.without_squares(value);
  }
  std::vector<NodeId> written;
  Writer writer(g);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const SpanScope scope(g, g.origin(values[k]));
    written.push_back(writer.write(forms[k]));
  }
  return cost(g, written) < cost(g, values) ? written : values;
}

}  // namespace mbc::graph
