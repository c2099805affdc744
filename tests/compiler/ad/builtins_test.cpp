// SPDX-License-Identifier: Apache-2.0
// Tests the first and second partial derivatives of every operation at 10,000 points over its whole useful range: near
// the edges of its domain, in saturation, and for very small and very large arguments.
#include <doctest/doctest.h>

#include <cfloat>
#include <string>

#include "compiler/ad/forward.h"
#include "compiler/ad/rules.h"
#include "tests/compiler/ad/error_stats.h"
#include "tests/compiler/ad/tree.h"

namespace mbc::test {
namespace {

using graph::Graph;
using graph::Node;
using graph::NodeId;

struct Operands {
  double a = 0, b = 0;
};
using Sampler = Operands (*)(Rng&);

double any_sign(Rng& rng, double low, double high) { return rng.sign() * rng.log_between(low, high); }
// Returns 1 - d with d down to one unit in the last place.
double below_one(Rng& rng) { return 1 - rng.log_between(DBL_EPSILON, 1); }

Operands anywhere(Rng& r) {
  if (r.chance(0.3)) return {r.sign() * r.between(0.9, 1.1), r.sign() * r.between(0.9, 1.1)};
  return {any_sign(r, 1e-100, 1e100), any_sign(r, 1e-100, 1e100)};
}
Operands angle(Rng& r) { return {r.chance(0.5) ? any_sign(r, 1e-20, 1e6) : r.sign() * M_PI_2 * below_one(r), 0}; }
Operands in_unit(Rng& r) { return {r.sign() * (r.chance(0.5) ? below_one(r) : r.log_between(1e-20, 1)), 0}; }
Operands exponent(Rng& r) { return {r.chance(0.5) ? r.between(-700, 700) : any_sign(r, 1e-20, 700), 0}; }
Operands saturating(Rng& r) { return {r.chance(0.5) ? r.between(-345, 345) : any_sign(r, 1e-20, 345), 0}; }
Operands positive(Rng& r) {
  return {r.chance(0.3) ? 1 + r.sign() * r.log_between(1e-15, 0.5) : r.log_between(1e-200, 1e200), 0};
}
Operands wide(Rng& r) { return {any_sign(r, 1e-100, 1e100), 0}; }
Operands above_one(Rng& r) {
  return {1 + (r.chance(0.5) ? r.log_between(DBL_EPSILON, 1) : r.log_between(1, 1e100)), 0};
}
// Exponents are negative, huge, tiny and whole. Bases are near 1 if the exponent is large.
Operands powers(Rng& r) {
  switch (r.below(5u)) {
    case 0:
      return {r.log_between(1e-8, 1e8), r.between(-8, 8)};
    case 1:
      return {1 + r.sign() * r.log_between(1e-15, 1e-3), any_sign(r, 1, 1e5)};
    case 2:
      return {r.log_between(1e-40, 1e40), any_sign(r, 1e-12, 1)};
    case 3:
      return {r.log_between(1e-3, 1e3), std::floor(r.between(-40, 40))};
    default:
      return {r.between(0.5, 2), 1 + r.sign() * r.log_between(1e-15, 0.5)};
  }
}

struct BuiltIn {
  Op op;
  Sampler sample;
};
constexpr BuiltIn kSmooth[] = {
    {Op::neg, wide},     {Op::add, anywhere},    {Op::sub, anywhere},  {Op::mul, anywhere},   {Op::div, anywhere},
    {Op::pow, powers},   {Op::sqrt, positive},   {Op::sin, angle},     {Op::cos, angle},      {Op::tan, angle},
    {Op::asin, in_unit}, {Op::acos, in_unit},    {Op::atan, wide},     {Op::atan2, anywhere}, {Op::exp, exponent},
    {Op::ln, positive},  {Op::log10, positive},  {Op::sinh, exponent}, {Op::cosh, exponent},  {Op::tanh, saturating},
    {Op::asinh, wide},   {Op::acosh, above_one}, {Op::atanh, in_unit}};
constexpr BuiltIn kPiecewise[] = {
    {Op::abs, wide}, {Op::sign, wide}, {Op::floor, wide}, {Op::min, anywhere}, {Op::max, anywhere}};

Dual2 seeded(double x, Real d1, Real d2) { return {Dual1(static_cast<Real>(x), d1), Dual1(d2, 0)}; }

// Computes the partial derivatives a, b, aa, ab, bb by nested duals.
std::array<Real, 5> oracle(Op op, Operands at) {
  const auto run = [&](Real a1, Real b1, Real a2, Real b2) {
    return apply_op<Dual2>(op, seeded(at.a, a1, a2), seeded(at.b, b1, b2), Dual2(0.0L));
  };
  const bool two = graph::arity(op) == 2;
  const Dual2 aa = run(1, 0, 1, 0);
  if (!two) return {aa.re.du, 0, aa.du.du, 0, 0};
  const Dual2 bb = run(0, 1, 0, 1), ab = run(1, 0, 0, 1);
  return {aa.re.du, bb.re.du, aa.du.du, ab.du.du, bb.du.du};
}

Real complex_step(Op op, Operands at, bool in_a) {
  constexpr Real h = 1e-30L;
  const Complex a(static_cast<Real>(at.a), in_a ? h : 0), b(static_cast<Real>(at.b), in_a ? 0 : h);
  return apply_op<Complex>(op, a, b, 0).imag() / h;
}

// Returns the scale for the error of a partial derivative that is a difference of two terms.
Real natural_scale(Op op, Operands at, std::size_t which, Real expected) {
  const Real a = at.a, b = at.b;
  if (op == Op::atan2 && which == 3) return 1 / (a * a + b * b);
  if (op == Op::pow && which == 3) return std::pow(a, b - 1) * (1 + std::fabs(b * std::log(a)));
  return std::fabs(expected);
}

bool in_range(Real x) { return x == 0 || (std::fabs(x) > 1e-250L && std::fabs(x) < 1e250L); }
bool moderate(double x) { return std::fabs(x) > 1e-6 && std::fabs(x) < 20; }

struct Built {
  Graph g;
  NodeId a = g.leaf(LeafKind::coordinate, 0), b = g.leaf(LeafKind::coordinate, 1);
};

ad::LeafRule along(Graph& g, std::uint32_t index) {
  return [&g, index](const Node& n) { return n.a == index ? g.one() : NodeId{}; };
}

void check_smooth(const BuiltIn& built_in) {
  const Op op = built_in.op;
  Built m;
  const NodeId v = m.g.make(op, m.a, m.b, {});
  const ad::Partials p = ad::partials(m.g, v, true);
  const NodeId first_a = ad::derivative(m.g, {&v, 1}, along(m.g, 0))[0];
  const NodeId first_b = ad::derivative(m.g, {&v, 1}, along(m.g, 1))[0];
  const auto or_zero = [&](NodeId id) { return id.valid() ? id : m.g.zero(); };
  const NodeId roots[] = {first_a, first_b, or_zero(p.aa), or_zero(p.ab), or_zero(p.bb)};

  const std::string name(graph::op_text(op));
  ErrorStats first(name + " first"), second(name + " second"), by_complex(name + " first, complex step");
  Rng rng(1000 + static_cast<std::uint64_t>(op));
  const std::uint32_t points = random_cases(10000);
  for (std::uint32_t k = 0; k < points; ++k) {
    const Operands at = built_in.sample(rng);
    const std::vector<double> got = evaluate_graph(m.g, roots, Point{0, {at.a, at.b}, {}, {}, {}, {}});
    const std::array<Real, 5> expected = oracle(op, at);
    const std::size_t inputs = graph::arity(op);
    for (std::size_t i = 0; i < 5; ++i) {
      if (!in_range(expected[i])) continue;
      if (i < 2) first.add(got[i], expected[i], k);
      if (i >= 2) second.add(got[i], expected[i], natural_scale(op, at, i, expected[i]), k);
    }
    if (moderate(at.a) && (inputs == 1 || moderate(at.b)))
      for (std::size_t i = 0; i < inputs; ++i)
        if (in_range(expected[i])) by_complex.add(got[i], complex_step(op, at, i == 0), k);
  }
  MBC_FIGURES(first);
  MBC_FIGURES(second);
  MBC_FIGURES(by_complex);
  CHECK(first.worst() <= 1e-13);
  CHECK(second.worst() <= 1e-13);
  CHECK(by_complex.worst() <= 1e-13);
  CHECK(first.nonzero() >= points * 8 / 10);
  CHECK(by_complex.count() >= points / 50);
  const bool linear = op == Op::neg || op == Op::add || op == Op::sub;
  CHECK((second.nonzero() > 0) == !linear);
}

// Literal exponents become products and quotients. Their derivatives must equal those of the power.
void check_literal_exponent(double exponent) {
  Graph g;
  const NodeId x = g.leaf(LeafKind::coordinate, 0);
  const NodeId v = g.binary(Op::pow, x, g.constant(exponent));
  const auto d = ad::two_derivatives(g, {&v, 1}, along(g, 0), [](const Node&) { return NodeId{}; });
  const NodeId roots[] = {v, d.first[0], d.second[0]};
  ErrorStats errors("pow(x, " + std::to_string(exponent) + ")");
  Rng rng(77);
  const bool whole = exponent == std::floor(exponent);
  for (std::uint32_t k = 0; k < random_cases(500); ++k) {
    const double base = (whole ? rng.sign() : 1) * rng.log_between(1e-6, 1e6);
    const std::vector<double> got = evaluate_graph(g, roots, Point{0, {base}, {}, {}, {}, {}});
    const Real b = base, e = exponent;
    errors.add(got[0], std::pow(b, e), k);
    errors.add(got[1], e * std::pow(b, e - 1), k);
    errors.add(got[2], e * (e - 1) * std::pow(b, e - 2), k);
  }
  MBC_FIGURES(errors);
  CHECK(errors.worst() <= 1e-13);
  CHECK(errors.nonzero() >= random_cases(500));
}

void check_piecewise(const BuiltIn& built_in) {
  const Op op = built_in.op;
  Built m;
  const NodeId v = m.g.make(op, m.a, m.b, {});
  const NodeId roots[] = {ad::derivative(m.g, {&v, 1}, along(m.g, 0))[0],
                          ad::derivative(m.g, {&v, 1}, along(m.g, 1))[0]};
  Rng rng(2000 + static_cast<std::uint64_t>(op));
  std::size_t wrong = 0, nonzero_a = 0, nonzero_b = 0;
  const std::uint32_t points = random_cases(10000);
  for (std::uint32_t k = 0; k < points; ++k) {
    const Operands at = built_in.sample(rng);
    const std::vector<double> got = evaluate_graph(m.g, roots, Point{0, {at.a, at.b}, {}, {}, {}, {}});
    const std::array<Real, 5> expected = oracle(op, at);
    wrong += got[0] != expected[0] || got[1] != expected[1];
    nonzero_a += got[0] != 0;
    nonzero_b += got[1] != 0;
  }
  CHECK(wrong == 0);
  const bool flat = op == Op::sign || op == Op::floor;
  CHECK((nonzero_a > points / 4) == !flat);
  CHECK((nonzero_b > points / 4) == (graph::arity(op) == 2));
}

TEST_CASE("every smooth operation alone, over its whole range") {
  for (const BuiltIn& built_in : kSmooth) {
    CAPTURE(graph::op_text(built_in.op));
    check_smooth(built_in);
  }
}

TEST_CASE("every literal exponent") {
  for (int e = -20; e <= 20; ++e) {
    if (e == 0) continue;
    CAPTURE(e);
    if (e == 1) continue;  // The second derivative is the literal zero, which is tested below.
    check_literal_exponent(e);
  }
  for (double e : {0.5, 1.5, -0.5, 2.5, 1.0 / 3, -7.25}) {
    CAPTURE(e);
    check_literal_exponent(e);
  }
  Graph g;
  const NodeId x = g.leaf(LeafKind::coordinate, 0);
  CHECK(g.binary(Op::pow, x, g.one()) == x);
}

TEST_CASE("piecewise operations have exactly the derivative of the chosen piece") {
  for (const BuiltIn& built_in : kPiecewise) {
    CAPTURE(graph::op_text(built_in.op));
    check_piecewise(built_in);
  }
}

TEST_CASE("a selection has the derivative of the branch that is taken") {
  Graph g;
  const NodeId x = g.leaf(LeafKind::coordinate, 0), y = g.leaf(LeafKind::coordinate, 1);
  const NodeId v = g.select(g.binary(Op::lt, x, y), g.mul(x, y), g.unary(Op::sin, x));
  const auto d = ad::two_derivatives(
      g, {&v, 1}, [&](const Node& n) { return n.a == 0 ? g.one() : g.constant(3); },
      [&](const Node& n) { return n.a == 0 ? g.constant(5) : NodeId{}; });
  const NodeId roots[] = {d.first[0], d.second[0]};
  const auto below = evaluate_graph(g, roots, Point{0, {0.5, 2}, {}, {}, {}, {}});  // This branch is x*y.
  CHECK(below[0] == 2 + 3 * 0.5);
  CHECK(below[1] == 2 * 3 + 2 * 5);
  const auto above = evaluate_graph(g, roots, Point{0, {0.5, 0.25}, {}, {}, {}, {}});  // This branch is sin(x).
  CHECK(above[0] == doctest::Approx(std::cos(0.5)).epsilon(1e-15));
  CHECK(above[1] == doctest::Approx(-std::sin(0.5) + 5 * std::cos(0.5)).epsilon(1e-15));
}

TEST_CASE("conditions and whole-number functions have no derivative at all") {
  for (Op op :
       {Op::lt, Op::le, Op::eq, Op::ne, Op::sign, Op::floor, Op::logical_and, Op::logical_or, Op::logical_not}) {
    Built m;
    const NodeId v = m.g.make(op, m.a, m.b, {});
    CAPTURE(graph::op_text(op));
    CHECK(kernel::is_piecewise(op));
    CHECK(m.g.is_zero(ad::derivative(m.g, {&v, 1}, along(m.g, 0))[0]));
    CHECK(m.g.is_zero(ad::derivative(m.g, {&v, 1}, along(m.g, 1))[0]));
  }
}

TEST_CASE("a fused product-sum is differentiated like the product and sum it is") {
  Graph g;
  const NodeId x = g.leaf(LeafKind::coordinate, 0), y = g.leaf(LeafKind::coordinate, 1);
  const NodeId v = g.ternary(Op::fma, x, y, g.unary(Op::sin, x));
  const auto d = ad::two_derivatives(
      g, {&v, 1}, [&](const Node& n) { return n.a == 0 ? g.one() : g.constant(3); },
      [&](const Node& n) { return n.a == 0 ? g.constant(5) : NodeId{}; });
  const NodeId roots[] = {d.first[0], d.second[0]};
  const auto got = evaluate_graph(g, roots, Point{0, {0.5, 2}, {}, {}, {}, {}});
  CHECK(got[0] == doctest::Approx(2 + 1.5 + std::cos(0.5)).epsilon(1e-15));
  CHECK(got[1] == doctest::Approx(6 + 10 - std::sin(0.5) + 5 * std::cos(0.5)).epsilon(1e-15));
}

}  // namespace
}  // namespace mbc::test
