// SPDX-License-Identifier: Apache-2.0
// Compares ad::derivative and ad::two_derivatives on random guarded expressions with the complex step and nested duals.
#include <doctest/doctest.h>

#include <string>

#include "compiler/ad/forward.h"
#include "tests/compiler/ad/error_stats.h"
#include "tests/compiler/ad/generator.h"
#include "tests/compiler/ad/guard.h"

namespace mbc::test {
namespace {

using graph::Graph;
using graph::Node;
using graph::NodeId;

constexpr LeafCounts kCounts{3, 2, 1, 2};

// A Rate tells how one leaf moves along the curve: not at all, at unit rate, at literal rates, at rates that are
// parameters, or from rest.
struct Rate {
  enum class Kind { still, unit, literal, param, from_rest } kind = Kind::still;
  double first = 0, second = 0;
  std::uint32_t index = 0;  // index of the first of the two parameters
};

struct Curve {
  Rate t;
  std::vector<Rate> q, u, s;

  [[nodiscard]] Rate at(LeafKind kind, std::uint32_t index) const {
    switch (kind) {
      case LeafKind::time:
        return t;
      case LeafKind::coordinate:
        return q[index];
      case LeafKind::speed:
        return u[index];
      case LeafKind::state:
        return s[index];
      default:
        return {};
    }
  }
};

Rate random_rate(Rng& rng, Point& point) {
  const double first = rng.sign() * rng.between(0.1, 2), second = rng.sign() * rng.between(0.1, 2);
  switch (rng.below(6u)) {
    case 0:
      return {};
    case 1:
      return {Rate::Kind::unit, 1, 0, 0};
    case 2:
      return {Rate::Kind::literal, first, second, 0};
    case 3:
      return {Rate::Kind::from_rest, 0, second, 0};
    default:
      point.param.push_back(first);
      point.param.push_back(second);
      return {Rate::Kind::param, first, second, static_cast<std::uint32_t>(point.param.size() - 2)};
  }
}

Curve random_curve(Rng& rng, Point& point) {
  Curve curve{{Rate::Kind::unit, 1, 0, 0}, {}, {}, {}};
  for (std::size_t i = 0; i < point.q.size(); ++i) curve.q.push_back(random_rate(rng, point));
  for (std::size_t i = 0; i < point.u.size(); ++i) curve.u.push_back(random_rate(rng, point));
  for (std::size_t i = 0; i < point.s.size(); ++i) curve.s.push_back(random_rate(rng, point));
  return curve;
}

// Returns the rule that describes the curve to the tested code.
ad::LeafRule leaf_rule(Graph& g, const Curve& curve, bool second) {
  return [&g, &curve, second](const Node& n) -> NodeId {
    const Rate rate = curve.at(n.leaf, n.a);
    switch (rate.kind) {
      case Rate::Kind::still:
        return {};
      case Rate::Kind::unit:
        return second ? NodeId{} : g.one();
      case Rate::Kind::literal:
        return g.constant(second ? rate.second : rate.first);
      case Rate::Kind::from_rest:
        return second ? g.constant(rate.second) : NodeId{};
      case Rate::Kind::param:
        return g.leaf(LeafKind::param, rate.index + (second ? 1 : 0));
    }
    return {};
  };
}

template <class T, class Seed>
Leaves<T> seeded(const Point& point, const Curve& curve, Seed&& seed) {
  Leaves<T> leaves = lift<T>(point);
  leaves.t = seed(point.t, curve.t);
  for (std::size_t i = 0; i < point.q.size(); ++i) leaves.q[i] = seed(point.q[i], curve.q[i]);
  for (std::size_t i = 0; i < point.u.size(); ++i) leaves.u[i] = seed(point.u[i], curve.u[i]);
  for (std::size_t i = 0; i < point.s.size(); ++i) leaves.s[i] = seed(point.s[i], curve.s[i]);
  return leaves;
}

Dual2 dual_seed(double x, const Rate& rate) {
  return {Dual1(static_cast<Real>(x), static_cast<Real>(rate.first)),
          Dual1(static_cast<Real>(rate.first), static_cast<Real>(rate.second))};
}
constexpr Real kStep = 1e-30L;
Complex complex_seed(double x, const Rate& rate) {
  return {static_cast<Real>(x), kStep * static_cast<Real>(rate.first)};
}

struct Results {
  ErrorStats value{"value"}, first{"first, dual"}, complex{"first, complex step"}, second{"second, dual"};
  ErrorStats oracles{"dual against complex step"};
  // number of first derivatives that differ between ad::derivative and ad::two_derivatives
  std::size_t disagreeing = 0;
};

void check_one(std::size_t case_number, Generator& generator, Rng& rng, Point point, Results& results) {
  const Tree tree = generator.make(3 + rng.below(12u));
  const Curve curve = random_curve(rng, point);
  const Leaves<Dual2> leaves = seeded<Dual2>(point, curve, dual_seed);
  const std::vector<Guarded> expected = guarded(
      [&](SplitMix64* noise) {
        const Dual2 x = evaluate(tree, leaves, noise);
        return std::vector<Real>{x.re.re, x.re.du, x.du.du};
      },
      case_number);

  Graph g;
  const NodeId root = build(g, tree);
  const ad::LeafRule d1 = leaf_rule(g, curve, false), d2 = leaf_rule(g, curve, true);
  const ad::TwoDerivatives d = ad::two_derivatives(g, {&root, 1}, d1, d2);
  const NodeId alone = ad::derivative(g, {&root, 1}, d1)[0];
  const NodeId roots[] = {root, d.first[0], d.second[0], alone};
  const std::vector<double> got = evaluate_graph(g, roots, point);
  results.disagreeing += alone != d.first[0];

  const auto add = [&](ErrorStats& stats, std::size_t i) {
    if (expected[i].well_conditioned)
      stats.add(got[i], expected[i].value, case_number);
    else
      stats.skip();
  };
  add(results.value, 0);
  add(results.first, 1);
  add(results.second, 2);
  if (expected[1].well_conditioned) {
    const Real step = evaluate(tree, seeded<Complex>(point, curve, complex_seed)).imag() / kStep;
    if (expected[1].value != 0) results.complex.add(got[1], step, case_number);
    const Real scale = expected[1].value == 0 ? 1 : std::fabs(expected[1].value);
    results.oracles.add(static_cast<double>((step - expected[1].value) / scale), 0, 1, case_number);
  }
}

void check_errors(ErrorStats& stats, std::size_t cases) {
  MBC_FIGURES(stats);
  CHECK(stats.quantile(0.9999) <= 1e-12);
  CHECK(stats.worst() <= 1e-10);
  CHECK(stats.nonzero() >= cases * 6 / 10);
}

TEST_CASE("first and second derivatives of random expressions") {
  const std::uint32_t wanted = random_cases(100000);
  Results results;
  Rng rng(20250101);
  std::size_t case_number = 0;
  std::array<std::size_t, graph::kOpCount> uses{};
  while (results.first.nonzero() < wanted) {
    const Point point = random_point(rng, kCounts);
    Generator generator(rng, point, kCounts);
    for (int k = 0; k < 10; ++k) check_one(case_number++, generator, rng, point, results);
    for (std::size_t op = 0; op < uses.size(); ++op) uses[op] += generator.uses()[op];
  }
  CHECK(results.disagreeing == 0);
  check_errors(results.value, case_number);
  check_errors(results.first, case_number);
  check_errors(results.complex, case_number);
  check_errors(results.second, case_number);
  MBC_FIGURES(results.oracles);
  CHECK(results.oracles.worst() <= 1e-13);
  CHECK(results.first.kept() > 0.8);
  CHECK(results.second.kept() > 0.7);
  for (std::size_t op = 0; op < uses.size(); ++op) {
    const auto kind = static_cast<Op>(op);
    if (graph::arity(kind) == 0 || kind == Op::fma || kind == Op::table) continue;
    CAPTURE(graph::op_text(kind));
    CHECK(uses[op] >= wanted / 100);
  }
}

}  // namespace
}  // namespace mbc::test
