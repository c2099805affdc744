// SPDX-License-Identifier: Apache-2.0
#include "compiler/reading/simplify.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "base/split_mix64.h"
#include "compiler/graph/evaluate.h"
#include "compiler/reading/trigonometry.h"
#include "kernel/op_semantics.h"

namespace mbc::reading {

using graph::NodeId;
using kernel::Arithmetic;
using kernel::Op;

namespace {

constexpr std::size_t kMostTerms = 512;         // of the polynomial of a node
constexpr std::size_t kMostProducts = 16384;    // of terms in one product of polynomials
constexpr std::size_t kMostWork = 400000;       // products of terms for one node with all below it
constexpr std::size_t kLongestArgument = 1000;  // length() of what an atom is written as
constexpr int kHighestFactor = 16;              // of a sum that is multiplied out
constexpr int kDraws = 12, kEnoughDraws = 4;    // states that are drawn, and those with finite values that suffice
constexpr double kAgreement = 1e-9;             // of the magnitude of the terms

std::optional<Canonical> limited(Canonical c) {
  return c.polynomial.size() > kMostTerms ? std::nullopt : std::optional(std::move(c));
}

Denominators united(const std::vector<Canonical>& x) {
  Denominators all;
  for (const Canonical& c : x) all.insert(c.divided_by.begin(), c.divided_by.end());
  return all;
}

std::optional<Canonical> added(const std::vector<Canonical>& x, double factor_of_second) {
  Canonical c{x[0].polynomial, united(x), x[0].polynomial.size() + x[1].polynomial.size()};
  add_to(c.polynomial, x[1].polynomial, factor_of_second);
  return limited(std::move(c));
}

std::optional<Canonical> multiplied(const std::vector<Canonical>& x, const Atoms& atoms) {
  const std::size_t products = x[0].polynomial.size() * x[1].polynomial.size();
  if (products > kMostProducts) return std::nullopt;
  Canonical c{{}, united(x), products};
  c.polynomial = without_squared_sines(times(x[0].polynomial, x[1].polynomial), atoms);
  return limited(std::move(c));
}

Canonical negated(const Canonical& x) { return {scaled(x.polynomial, -1), x.divided_by, x.polynomial.size()}; }

// A number for every leaf and draw: of either sign in every other draw, else positive.
double drawn(const graph::Node& leaf, int draw) {
  const auto kind = static_cast<std::uint64_t>(leaf.leaf);
  SplitMix64 source((std::uint64_t{leaf.a} << 16) + (kind << 8) + static_cast<std::uint64_t>(draw) + 1);
  source.next();
  const double x = source.next();
  return draw % 2 == 0 || leaf.leaf == graph::LeafKind::param ? 1 + 0.8 * x : 1.5 * x;
}

void collect_symbols(const Expression& e, std::vector<std::uint32_t>& found) {
  if (e.form == Form::symbol && std::find(found.begin(), found.end(), e.symbol) == found.end())
    found.push_back(e.symbol);
  for (const Expression& p : e.parts) collect_symbols(p, found);
}

}  // namespace

Simplifier::Simplifier(const graph::Graph& graph, const Symbols& symbols)
    : graph_(graph), symbols_(symbols), atoms_(symbols), node_of_symbol_(symbols.size()) {
  for (const auto& [id, s] : symbols.of_nodes()) {
    made_[id] = Canonical{atom_polynomial(atoms_.of(symbol(s))), {}, 0};
    node_of_symbol_[s] = NodeId{id};
  }
}

Simplifier::Found Simplifier::atom(const Expression& e, Denominators divided_by, std::size_t work) {
  if (depth(e) > kDeepest || length(e) > kLongestArgument) return std::nullopt;
  return Canonical{atom_polynomial(atoms_.of(e)), std::move(divided_by), work};
}

// Returns the divisors that are not seen in an expression of the result.
Denominators Simplifier::cancelled(const Canonical& c, const Expression& written) const {
  const std::vector<Expression> seen = divisors(written);
  const auto is_seen = [&](std::uint32_t atom) {
    const Expression& e = atoms_[atom].written;  // 1/x^y is written with the base x
    const Expression& base = e.form == Form::power ? e.parts[0] : e;
    if (e.form == Form::number) return true;
    return std::any_of(seen.begin(), seen.end(), [&](const Expression& d) { return d == e || d == base; });
  };
  Denominators gone = c.divided_by;
  std::erase_if(gone, is_seen);
  return gone;
}

Simplifier::Found Simplifier::reciprocal(const Canonical& a) {
  if (a.polynomial.empty()) return std::nullopt;
  const auto inverse = [](const Monomial& m) {
    Monomial result = m;
    for (Factor& f : result) f.exponent = -f.exponent;
    return result;
  };
  const Polynomial form = shortest_form(a.polynomial, atoms_).polynomial;
  if (form.empty()) return std::nullopt;
  Content c = content(form);
  if (leading_coefficient(form, atoms_) / c.number < 0) c.number = -c.number;
  const Polynomial inside = without(form, c);
  Monomial under = inverse(c.monomial);
  if (form.size() > 1) {
    const Found sum = atom(written(inside, atoms_), {}, 0);
    if (!sum) return sum;
    under = times(under, inverse(sum->polynomial.begin()->first));
  }
  Canonical result{{{under, 1 / c.number}}, a.divided_by, 8 * form.size() * form.size()};
  result.divided_by.merge(denominators(result.polynomial));
  return result;
}

Simplifier::Found Simplifier::of_arithmetic(Arithmetic op, const std::vector<Canonical>& x) {
  switch (op) {
    case Arithmetic::neg:
      return negated(x[0]);
    case Arithmetic::add:
      return added(x, 1);
    case Arithmetic::sub:
      return added(x, -1);
    case Arithmetic::mul:
      return multiplied(x, atoms_);
    case Arithmetic::div: {
      const Found under = reciprocal(x[1]);
      return under ? multiplied({x[0], *under}, atoms_) : std::nullopt;
    }
    case Arithmetic::fma: {
      const Found product = multiplied({x[0], x[1]}, atoms_);
      return product ? added({*product, x[2]}, 1) : std::nullopt;
    }
    case Arithmetic::constant:
    case Arithmetic::leaf:
      break;
  }
  return std::nullopt;
}

// Functions and choices: an atom, with the sign of the argument taken out where the function is odd or even.
Simplifier::Found Simplifier::of_call(Op op, std::vector<Canonical> x) {
  double value[3] = {0, 0, 0};
  bool constant = op != Op::table;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const auto number = constant_of(x[k].polynomial);
    constant = constant && number;
    value[k] = number.value_or(0);
  }
  if (constant)
    if (const double v = kernel::apply(op, value[0], value[1], value[2]); std::isfinite(v))
      return Canonical{constant_polynomial(v), united(x), 0};
  double sign = 1;
  const auto parity = kernel::traits(op).parity;
  if (parity != kernel::OpTraits::Parity::none && !x[0].polynomial.empty() &&
      leading_coefficient(x[0].polynomial, atoms_) < 0) {
    x[0] = negated(x[0]);
    sign = parity == kernel::OpTraits::Parity::odd ? -1 : 1;
  }
  std::vector<Expression> arguments;
  std::size_t work = 0;
  for (const Canonical& c : x) {
    arguments.push_back(shortest(c.polynomial, atoms_));
    work += 8 * c.polynomial.size() * c.polynomial.size();
  }
  Found made = atom(op == Op::pow ? power(arguments[0], arguments[1]) : arranged(call(op, arguments), symbols_),
                    united(x), work);
  if (!made) return made;
  if (op == Op::sin || op == Op::cos)
    made->polynomial = atoms_.of_angle(op == Op::sin ? Trigonometric::sine : Trigonometric::cosine, x[0].polynomial);
  made->polynomial = scaled(made->polynomial, sign);
  return made;
}

Simplifier::Found Simplifier::of_operation(NodeId node) {
  const graph::Node& n = graph_.node(node);
  if (n.op == Op::constant) {
    const double value = graph_.constant_value(node);
    return std::isfinite(value) ? Found(Canonical{constant_polynomial(value), {}, 0}) : std::nullopt;
  }
  if (n.op == Op::leaf) return std::nullopt;
  std::vector<Canonical> x;
  for (const NodeId operand : graph::Operands(n)) {
    const Found& found = made_.at(operand.value);
    if (!found) return std::nullopt;
    x.push_back(*found);
  }
  return kernel::is_arithmetic(n.op) ? of_arithmetic(kernel::arithmetic(n.op), x) : of_call(n.op, std::move(x));
}

// The node by all below it. The work of all is counted, also of what was done before, so that the limit does not depend
// on what was asked for earlier.
Simplifier::Found Simplifier::whole(NodeId node) {
  if (graph_.node(node).op == Op::leaf) return made_.at(node.value);
  std::unordered_set<std::uint32_t> seen;
  for (const auto& [id, s] : symbols_.of_nodes()) seen.insert(id);
  std::size_t work = 0;
  const auto done = [&](NodeId id) { return id != node && seen.contains(id.value); };
  std::vector<NodeId> order;
  for (const NodeId operand : graph::Operands(graph_.node(node)))
    graph::each_below(graph_, operand, done, [&](NodeId id) {
      seen.insert(id.value);
      order.push_back(id);
    });
  for (const NodeId id : order) {
    const auto it = made_.find(id.value);
    const Found& found = it != made_.end() ? it->second : made_[id.value] = of_operation(id);
    work += 1 + (found ? found->work : 0);
    if (!found || work > kMostWork) return std::nullopt;
  }
  return of_operation(node);
}

std::vector<Expression> Simplifier::conditions(const Denominators& gone) const {
  std::vector<Expression> list;
  for (const std::uint32_t a : gone) list.push_back(call(Op::ne, {atoms_[a].written, number(0)}));
  std::sort(list.begin(), list.end(),
            [&](const Expression& a, const Expression& b) { return compare(a, b, symbols_) < 0; });
  return list;
}

bool Simplifier::agrees(const Expression& e, const Expression& terms, NodeId node) const {
  std::vector<std::uint32_t> used;
  collect_symbols(e, used);
  collect_symbols(terms, used);
  std::vector<NodeId> roots{node};
  for (const std::uint32_t s : used) roots.push_back(node_of_symbol_[s]);
  const auto* tables = graph_.tables().get();
  std::vector<double> values(symbols_.size(), 0.0);
  int finite = 0;
  for (int draw = 0; draw < kDraws && finite < kEnoughDraws; ++draw) {
    const auto at = graph::evaluate(graph_, roots, [&](const graph::Node& leaf) { return drawn(leaf, draw); });
    for (std::size_t k = 0; k < used.size(); ++k) values[used[k]] = at[k + 1];
    const double value = evaluate(e, values, tables);
    if (!std::isfinite(at[0]) || !std::isfinite(value)) continue;
    const double size = magnitude(e, values, tables) + magnitude(terms, values, tables);
    if (!(std::fabs(value - at[0]) <= kAgreement * size)) return false;
    ++finite;
  }
  return finite > 0;
}

std::optional<Simplified> Simplifier::simplify(NodeId node) {
  std::optional<Expression> as_it_stands = plain(graph_, node, symbols_);
  if (const Found found = whole(node)) {
    const Expression e = shortest(found->polynomial, atoms_);
    const bool shorter = !as_it_stands || length(e) <= length(*as_it_stands);
    // The rounding errors of the node are relative to its terms as they stand, or multiplied out.
    const Expression terms = as_it_stands ? *as_it_stands : written(found->polynomial, atoms_);
    if (shorter && depth(e) <= kDeepest && agrees(e, terms, node))
      return Simplified{e, conditions(cancelled(*found, e))};
  }
  if (!as_it_stands) return std::nullopt;
  return Simplified{std::move(*as_it_stands), {}};
}

}  // namespace mbc::reading
