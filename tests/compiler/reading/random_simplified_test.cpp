// SPDX-License-Identifier: Apache-2.0
// Tests simplified and named random expressions: their values, their order, and that they stay as they are when they
// are simplified again.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "compiler/reading/named.h"
#include "compiler/reading/solve.h"
#include "tests/compiler/ad/generator.h"
#include "tests/compiler/reading/sheet.h"

namespace mbc::test {
namespace {

using graph::Graph;
using graph::NodeId;
using reading::Expression;
using reading::Form;
using reading::Symbols;

constexpr LeafCounts kCounts{3, 2, 1, 3};

// The leaves of the generator, their symbols and values at a point.
struct LeavesOf {
  Symbols symbols;
  std::vector<double> values;

  LeavesOf(Graph& g, const Point& point) {
    const auto add = [&](LeafKind kind, std::uint32_t index, const std::string& name) {
      symbols.add(g.leaf(kind, index), name);
      values.push_back(point.at(kind, index));
    };
    add(LeafKind::time, 0, "t");
    for (std::uint32_t i = 0; i < kCounts.q; ++i) add(LeafKind::coordinate, i, "q" + std::to_string(i));
    for (std::uint32_t i = 0; i < kCounts.u; ++i) add(LeafKind::speed, i, "u" + std::to_string(i));
    for (std::uint32_t i = 0; i < kCounts.s; ++i) add(LeafKind::state, i, "s" + std::to_string(i));
    for (std::uint32_t i = 0; i < kCounts.param; ++i) add(LeafKind::param, i, "p" + std::to_string(i));
  }
};

// The expression as a node again.
NodeId node_of(Graph& g, const Expression& e, const std::map<std::uint32_t, NodeId>& of_symbol) {
  std::vector<NodeId> x;
  for (const Expression& p : e.parts) x.push_back(node_of(g, p, of_symbol));
  switch (e.form) {
    case Form::number:
      return g.constant(e.number);
    case Form::symbol:
      return of_symbol.at(e.symbol);
    case Form::sum:
      return g.sum(x);
    case Form::product: {
      NodeId all = g.one();
      for (const NodeId f : x) all = g.mul(all, f);
      return all;
    }
    case Form::power:
      return g.binary(Op::pow, x[0], x[1]);
    case Form::call:
      return g.make(e.op, x[0], x.size() > 1 ? x[1] : NodeId{}, x.size() > 2 ? x[2] : NodeId{});
  }
  return {};
}

std::map<std::uint32_t, NodeId> nodes(const Symbols& symbols) {
  std::map<std::uint32_t, NodeId> all;
  for (const auto& [id, s] : symbols.of_nodes()) all[s] = NodeId{id};
  return all;
}

// The largest change of the value by relative changes of 2^-52 of all operands.
double conditioned_error(const Tree& tree, const Point& point) {
  const Real exact = evaluate<Real>(tree, lift<Real>(point));
  Real largest = 0;
  for (std::uint64_t k = 0; k < 8; ++k) {
    SplitMix64 noise{Rng(k), 0x1p-52L};
    largest = std::max(largest, std::fabs(evaluate<Real>(tree, lift<Real>(point), &noise) - exact));
  }
  return static_cast<double>(largest);
}

// Polynomials in sines and cosines, as in mechanics.
Written mechanical(Rng& rng, Sheet& s, const std::vector<Written>& parameters, const std::vector<Written>& angles,
                   int operations) {
  std::vector<Written> made = parameters;
  for (const Written angle : angles) {
    made.push_back(sin(angle));
    made.push_back(cos(angle));
  }
  made.push_back(sin(angles[0] + angles[1]));
  made.push_back(cos(angles[0] - angles[1]));
  for (int k = 0; k < operations; ++k) {
    const Written a = made[rng.below(made.size())], b = made[rng.below(made.size())];
    const double what = rng.unit();
    made.push_back(what < 0.4 ? a * b : what < 0.7 ? a + b : what < 0.9 ? a - b : what < 0.95 ? 0.5 * a : a / made[0]);
  }
  Written all = s.number(0);
  for (int k = 0; k < 3; ++k) all = all + made[made.size() - 1 - static_cast<std::size_t>(k)];
  return all;
}

// Sums, products and quotients of three coordinates and small numbers.
Written rational(Rng& rng, Sheet& s, int operations) {
  std::vector<Written> made{s.coordinate("x"), s.coordinate("y"), s.coordinate("z"), s.number(1), s.number(2)};
  made.push_back(sin(made[0]));
  for (int k = 0; k < operations; ++k) {
    const Written a = made[rng.below(made.size())], b = made[rng.below(made.size())];
    const double what = rng.unit();
    made.push_back(what < 0.25 ? a * b : what < 0.5 ? a + b : what < 0.7 ? a - b : a / b);
  }
  const Written last = made.back(), other = made[made.size() - 2];
  return rng.unit() < 0.5 ? last : last - last * other / other;
}

}  // namespace

TEST_CASE("simplified random expressions have the values of their nodes") {
  Rng rng(46);
  int simplified = 0;
  for (int k = 0; k < 500; ++k) {
    const Point point = random_point(rng, kCounts);
    Generator generator(rng, point, kCounts);
    const Tree tree = generator.make(4 + rng.below(20u));
    Graph g;
    const NodeId node = build(g, tree);
    const LeavesOf leaves(g, point);
    const double value = evaluate_graph(g, std::array{node}, point)[0];
    const auto found = reading::Simplifier(g, leaves.symbols).simplify(node);
    const auto plain = reading::plain(g, node, leaves.symbols);
    REQUIRE(found);
    REQUIRE(plain);
    const double allowed = 1e-12 * std::fabs(value) + 64 * conditioned_error(tree, point);
    CAPTURE(text_of(*plain, leaves.symbols));
    CAPTURE(text_of(found->expression, leaves.symbols));
    CHECK(std::fabs(evaluate(*plain, leaves.values) - value) <= allowed);
    CHECK(std::fabs(evaluate(found->expression, leaves.values) - value) <= allowed);
    CHECK(length(found->expression) <= length(*plain));
    simplified += length(found->expression) < length(*plain);
  }
  CHECK(simplified > 40);
}

TEST_CASE("simplified polynomials of sines and cosines keep their values and stay as they are") {
  Rng rng(4);
  int same = 0;
  const int cases = 300;
  for (int k = 0; k < cases; ++k) {
    Sheet s;
    const std::vector<Written> parameters{s.parameter("m"), s.parameter("l"), s.parameter("J"), s.speed("u")};
    const std::vector<Written> angles{s.coordinate("a"), s.coordinate("b"), s.coordinate("c")};
    const Written e = mechanical(rng, s, parameters, angles, 8 + static_cast<int>(rng.below(8u)));
    const auto found = reading::Simplifier(s.graph, s.symbols).simplify(e.id);
    REQUIRE(found);
    for (int draw = 0; draw < 3; ++draw) {
      std::vector<double> values;
      Point point{0, {}, {}, {}, {}, {}};
      for (std::uint32_t i = 0; i < s.symbols.size(); ++i) values.push_back(rng.between(0.5, 2));
      point.q = point.u = point.param = values;
      const double value = evaluate_graph(s.graph, std::array{e.id}, point)[0];
      const double size = magnitude(found->expression, values) + std::fabs(value);
      CHECK(std::fabs(evaluate(found->expression, values) - value) <= 1e-12 * size);
    }
    const NodeId again = node_of(s.graph, found->expression, nodes(s.symbols));
    const auto twice = reading::Simplifier(s.graph, s.symbols).simplify(again);
    REQUIRE(twice);
    CHECK(length(twice->expression) <= length(found->expression));
    if (twice->expression == found->expression)
      ++same;
    else
      MESSAGE(text_of(found->expression, s.symbols), "   |   ", text_of(twice->expression, s.symbols));
  }
  CHECK(same == cases);
}

// Where a node divides by zero its simplified expression divides by zero too, or one of its conditions does not hold.
TEST_CASE("what random expressions divide by is seen or is a condition") {
  Rng rng(7);
  int cancelled = 0;
  for (int k = 0; k < 2000; ++k) {
    Sheet s;
    const Written e = rational(rng, s, 4 + static_cast<int>(rng.below(6u)));
    const auto found = reading::Simplifier(s.graph, s.symbols).simplify(e.id);
    REQUIRE(found);
    const std::vector<double> elsewhere{0.7, 1.3, 1.9};
    if (!std::isfinite(evaluate(found->expression, elsewhere))) continue;  // it divides by the number zero
    cancelled += !found->conditions.empty();
    CAPTURE(s.plain(e));
    CAPTURE(s.simplified(e));
    for (int draw = 0; draw < 20; ++draw) {
      std::vector<double> values;
      for (std::uint32_t i = 0; i < s.symbols.size(); ++i) values.push_back(static_cast<double>(rng.below(5u)) - 2);
      Point point{0, {}, {}, {}, {}, {}};
      point.q = values;
      if (std::isfinite(evaluate_graph(s.graph, std::array{e.id}, point)[0])) continue;
      const auto vanishes = [&](const Expression& value) {
        return !(std::fabs(evaluate(value, values)) > 1e-9 * magnitude(value, values));
      };
      const auto fails = [&](const Expression& condition) { return vanishes(condition.parts[0]); };
      const std::vector<Expression> seen = divisors(found->expression);
      CHECK((std::any_of(seen.begin(), seen.end(), vanishes) ||
             std::any_of(found->conditions.begin(), found->conditions.end(), fails)));
    }
  }
  CHECK(cancelled > 200);
}

TEST_CASE("the order in which a model was written does not show") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::vector<std::string> texts;
    for (const bool backwards : {false, true}) {
      Rng rng(seed);
      Sheet s;
      std::map<std::string, Written> leaf;
      std::vector<std::string> names{"m", "l", "J", "u", "a", "b", "c"};
      if (backwards) std::reverse(names.begin(), names.end());
      for (const std::string& name : names) leaf.emplace(name, name > "c" ? s.parameter(name) : s.coordinate(name));
      const Written e = mechanical(rng, s, {leaf.at("m"), leaf.at("l"), leaf.at("J"), leaf.at("u")},
                                   {leaf.at("a"), leaf.at("b"), leaf.at("c")}, 12);
      texts.push_back(s.simplified(e));
    }
    CHECK(texts[0] == texts[1]);
  }
}

}  // namespace mbc::test
