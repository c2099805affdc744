// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/normal_form.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace mbc::lower {

using kernel::Arithmetic;
using kernel::Piecewise;

namespace {

constexpr std::uint32_t kNowhere = 0xffffffffu;
constexpr double kCancelled = 1e-13;  // relative to the sizes added: a few hundred roundings

template <class T>
void append(std::string& key, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  key.append(bytes, sizeof(T));
}

using Parity = kernel::OpTraits::Parity;

Polynomial scaled(Polynomial p, double factor) {
  for (PolynomialTerm& t : p) {
    t.coefficient *= factor;
    t.size *= std::fabs(factor);
  }
  return p;
}

}  // namespace

NormalForms::NormalForms(const Graph& graph) : graph_(graph) { monomial({}); }

Polynomial NormalForms::constant(double value) const {
  return value == 0 ? Polynomial{} : Polynomial{{0, value, std::fabs(value)}};
}

Polynomial NormalForms::add(const Polynomial& a, const Polynomial& b, double factor) {
  Polynomial sum;
  sum.reserve(a.size() + b.size());
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->monomial < j->monomial)) {
      sum.push_back(*i++);
    } else if (i == a.end() || j->monomial < i->monomial) {
      sum.push_back({j->monomial, factor * j->coefficient, std::fabs(factor) * j->size});
      ++j;
    } else {
      const double c = i->coefficient + factor * j->coefficient, size = std::max(i->size, std::fabs(factor) * j->size);
      if (std::fabs(c) > kCancelled * size) sum.push_back({i->monomial, c, size});
      ++i;
      ++j;
    }
  }
  return sum;
}

std::uint32_t NormalForms::monomial(Monomial m) {
  std::string key;
  for (const auto& [atom, exponent] : m) {
    append(key, atom);
    append(key, exponent);
  }
  const auto [it, fresh] = monomial_of_.try_emplace(std::move(key), static_cast<std::uint32_t>(monomials_.size()));
  if (fresh) {
    squared_sine_.push_back(std::any_of(m.begin(), m.end(), [&](const auto& factor) {
      return factor.second >= 2 && cosine_[factor.first] != kNowhere;
    }));
    monomials_.push_back(std::move(m));
  }
  return it->second;
}

std::uint32_t NormalForms::times(std::uint32_t a, std::uint32_t b) {
  if (a == 0) return b;
  if (b == 0) return a;
  const std::uint64_t key = static_cast<std::uint64_t>(std::min(a, b)) << 32 | std::max(a, b);
  if (const auto known = products_.find(key); known != products_.end()) return known->second;
  const Monomial &x = monomials_[a], &y = monomials_[b];
  Monomial m;
  auto i = x.begin();
  auto j = y.begin();
  while (i != x.end() || j != y.end()) {
    if (j == y.end() || (i != x.end() && i->first < j->first)) {
      m.push_back(*i++);
    } else if (i == x.end() || j->first < i->first) {
      m.push_back(*j++);
    } else {
      const int exponent = truth_[i->first] ? 1 : i->second + j->second;
      if (exponent != 0) m.emplace_back(i->first, exponent);
      ++i;
      ++j;
    }
  }
  const std::uint32_t made = monomial(std::move(m));
  products_.emplace(key, made);
  return made;
}

void NormalForms::put(std::vector<PolynomialTerm>& list, const PolynomialTerm& term) {
  std::vector<PolynomialTerm> open{term};
  while (!open.empty()) {
    const PolynomialTerm t = open.back();
    open.pop_back();
    if (!squared_sine_[t.monomial]) {
      list.push_back(t);
      continue;
    }
    Monomial rest = monomials_[t.monomial];
    const auto sine = std::find_if(rest.begin(), rest.end(), [&](const auto& factor) {
      return factor.second >= 2 && cosine_[factor.first] != kNowhere;
    });
    const std::uint32_t cosine = cosine_[sine->first];
    sine->second -= 2;
    if (sine->second == 0) rest.erase(sine);
    const std::uint32_t without = monomial(std::move(rest));
    open.push_back({without, t.coefficient, t.size});
    open.push_back({times(without, monomial({{cosine, 2}})), -t.coefficient, t.size});
  }
}

Polynomial NormalForms::product(const Polynomial& a, const Polynomial& b) {
  if (a.empty() || b.empty()) return {};
  if (a.size() * b.size() > kMostTerms) {
    shortened_ = true;
    return a.size() >= b.size() ? product(whole(a), b) : product(a, whole(b));
  }
  work_ += a.size() * b.size();
  Polynomial all;
  all.reserve(a.size() * b.size());
  for (const PolynomialTerm& x : a)
    for (const PolynomialTerm& y : b)
      put(all, {times(x.monomial, y.monomial), x.coefficient * y.coefficient, x.size * y.size});
  std::sort(all.begin(), all.end(), [](const auto& x, const auto& y) { return x.monomial < y.monomial; });
  Polynomial result;
  for (std::size_t k = 0; k < all.size();) {
    PolynomialTerm t = all[k];
    for (++k; k < all.size() && all[k].monomial == t.monomial; ++k) {
      t.coefficient += all[k].coefficient;
      t.size = std::max(t.size, all[k].size);
    }
    if (std::fabs(t.coefficient) > kCancelled * t.size) result.push_back(t);
  }
  return result;
}

std::string NormalForms::key_of(const Polynomial& p) {
  std::string key;
  append(key, static_cast<std::uint32_t>(p.size()));
  for (const PolynomialTerm& t : p) {
    append(key, t.monomial);
    append(key, t.coefficient);
  }
  return key;
}

std::uint32_t NormalForms::atom_number(std::string key, bool truth) {
  const auto [it, fresh] = atoms_.try_emplace(std::move(key), static_cast<std::uint32_t>(truth_.size()));
  if (fresh) {
    truth_.push_back(truth);
    cosine_.push_back(kNowhere);
  }
  return it->second;
}

Polynomial NormalForms::atom(std::string key, bool truth) {
  return {{monomial({{atom_number(std::move(key), truth), 1}}), 1, 1}};
}

// The first coefficient is made positive, so that sums that differ only by their sign are the same atom.
Polynomial NormalForms::whole(const Polynomial& a) {
  if (a.size() < 2) return a;
  const double sign = negative(a) ? -1 : 1;
  return scaled(atom("sum" + key_of(scaled(a, sign))), sign);
}

Polynomial NormalForms::reciprocal(const Polynomial& a) {
  Polynomial one = whole(a);
  if (one.empty()) return atom("1/0");
  Monomial inverse = monomials_[one[0].monomial];
  for (const auto& [at, exponent] : inverse)
    if (truth_[at]) return atom("1/" + key_of(one));
  for (auto& [at, exponent] : inverse) exponent = -exponent;
  const double c = 1 / one[0].coefficient;
  return {{monomial(std::move(inverse)), c, std::fabs(c)}};
}

// An operation that is no sum or product becomes an atom named by the normal forms of its operands.
Polynomial NormalForms::function(const Node& n) {
  const auto name = [](Op op, const std::string& operands) {
    std::string key = "f";
    append(key, static_cast<std::uint8_t>(op));
    return key + operands;
  };
  const Polynomial& a = operand(n.a);
  const Parity parity = kernel::traits(n.op).parity;
  const double sign = parity != Parity::none && negative(a) ? -1 : 1;
  std::string operands = key_of(scaled(a, sign));
  if (graph::arity(n.op) == 2) operands += key_of(operand(n.b));
  const std::uint32_t made = atom_number(name(n.op, operands), kernel::is_comparison(n.op));
  if (n.op == Op::sin) cosine_[made] = atom_number(name(Op::cos, operands), false);
  return {{monomial({{made, 1}}), parity == Parity::odd ? sign : 1, 1}};
}

Polynomial NormalForms::arithmetic(const Node& n, NodeId id) {
  switch (kernel::arithmetic(n.op)) {
    case Arithmetic::constant:
      return constant(graph_.constant_value(id));
    case Arithmetic::leaf: {
      std::string key = "x";
      append(key, static_cast<std::uint8_t>(n.leaf));
      append(key, n.a);
      return atom(std::move(key));
    }
    case Arithmetic::neg:
      return scaled(operand(n.a), -1);
    case Arithmetic::add:
      return add(operand(n.a), operand(n.b));
    case Arithmetic::sub:
      return add(operand(n.a), operand(n.b), -1);
    case Arithmetic::mul:
      return product(operand(n.a), operand(n.b));
    case Arithmetic::div:
      return product(operand(n.a), reciprocal(operand(n.b)));
    case Arithmetic::fma:
      return add(product(operand(n.a), operand(n.b)), operand(n.c));
  }
  return function(n);
}

Polynomial NormalForms::piecewise(const Node& n) {
  switch (kernel::piecewise(n.op)) {
    case Piecewise::logical_and:
      return product(operand(n.a), operand(n.b));
    case Piecewise::logical_not:
      return add(constant(1), operand(n.a), -1);
    case Piecewise::logical_or:
      return add(add(operand(n.a), operand(n.b)), product(operand(n.a), operand(n.b)), -1);
    case Piecewise::select:  // c a + (1 - c) b, so that opposite choices cancel piece by piece
      return add(operand(n.c), product(operand(n.a), add(operand(n.b), operand(n.c), -1)));
    case Piecewise::abs:
    case Piecewise::sign:
    case Piecewise::floor:
    case Piecewise::min:
    case Piecewise::max:
    case Piecewise::lt:
    case Piecewise::le:
    case Piecewise::eq:
    case Piecewise::ne:
      return function(n);
  }
  return function(n);
}

Polynomial NormalForms::expand(const Node& n, NodeId id) {
  if (kernel::is_arithmetic(n.op)) return arithmetic(n, id);
  return kernel::is_piecewise(n.op) ? piecewise(n) : function(n);
}

const Polynomial& NormalForms::of(NodeId root) {
  if (place_.size() < graph_.size()) place_.resize(graph_.size(), kNowhere);
  const auto done = [this](NodeId id) { return place_[id.value] != kNowhere; };
  graph::each_below(graph_, root, done, [&](NodeId id) {
    const Node& n = graph_.node(id);
    Polynomial form;
    if (exhausted() && graph::arity(n.op) > 1) {
      std::string key = "n";
      append(key, id.value);
      form = atom(std::move(key));
      shortened_ = true;
    } else {
      form = expand(n, id);
      if (form.size() > 2 * kMostTerms) {
        form = whole(form);
        shortened_ = true;
      }
    }
    place_[id.value] = static_cast<std::uint32_t>(forms_.size());
    forms_.push_back(std::move(form));
  });
  return forms_[place_[root.value]];
}

}  // namespace mbc::lower
