// SPDX-License-Identifier: Apache-2.0
// Tests named subexpressions, expressions too large to be written whole, and the solution of few linear equations.
#include "compiler/reading/named.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <map>

#include "compiler/graph/evaluate.h"
#include "compiler/reading/solve.h"
#include "tests/compiler/ad/rng.h"
#include "tests/compiler/reading/sheet.h"

namespace mbc::test {
namespace {

using graph::NodeId;
using reading::Expression;
using reading::Form;
using reading::Page;

void count(const Expression& e, std::map<std::uint32_t, int>& uses) {
  if (e.form == Form::symbol) ++uses[e.symbol];
  for (const Expression& p : e.parts) count(p, uses);
}

std::map<std::uint32_t, int> uses_of(const Page& page) {
  std::map<std::uint32_t, int> uses;
  for (const auto& d : page.definitions) count(d.value.expression, uses);
  for (const auto& s : page.expressions) count(s.expression, uses);
  return uses;
}

// Definitions in their order and then the expressions have the values of the nodes.
void check_values(const Sheet& s, std::span<const NodeId> nodes, const Page& page) {
  Rng rng(1);
  std::map<std::uint32_t, double> of_leaf;
  const auto value_of = [&](const graph::Node& leaf) {
    return of_leaf.try_emplace(leaf.a, rng.between(0.5, 1.5)).first->second;
  };
  const std::vector<double> exact = graph::evaluate(s.graph, nodes, value_of);
  std::vector<double> values(s.symbols.size(), std::nan(""));
  for (const auto& [id, symbol] : s.symbols.of_nodes())
    if (s.graph.node({id}).op == graph::Op::leaf) values[symbol] = value_of(s.graph.node({id}));
  for (const auto& d : page.definitions) values[d.symbol] = evaluate(d.value.expression, values);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const double size = std::fabs(exact[k]) + magnitude(page.expressions[k].expression, values);
    CHECK(std::fabs(evaluate(page.expressions[k].expression, values) - exact[k]) <= 1e-11 * size);
  }
}

std::string page_text(const Sheet& s, const Page& page) {
  std::string all;
  for (const auto& d : page.definitions)
    all += s.symbols.name(d.symbol) + " = " + text_of(d.value.expression, s.symbols) + "\n";
  for (const auto& e : page.expressions) all += text_of(e.expression, s.symbols) + "\n";
  return all;
}

}  // namespace

TEST_CASE("what repeats in a long line is named, and nothing in short ones") {
  Sheet s;
  const Written a = s.coordinate("a"), b = s.coordinate("b"), x = s.coordinate("x"), y = s.coordinate("y");
  const Written root = sqrt(power(x - a, 2) + power(y - b, 2));
  const std::vector<NodeId> shorter{(root * a).id, (root * b).id};
  CHECK(named(s.graph, shorter, s.symbols).definitions.empty());
  Written sum = s.number(0);
  for (int k = 0; k < 4; ++k)
    sum =
        sum + s.parameter("k" + std::to_string(k)) * call(graph::Op::tanh, root * s.parameter("c" + std::to_string(k)));
  const std::vector<NodeId> longer{sum.id, (root * b).id};
  const Page page = named(s.graph, longer, s.symbols);
  REQUIRE(page.definitions.size() == 1);
  CHECK(s.symbols.name(page.definitions[0].symbol) == "z1");
  CHECK(text_of(page.definitions[0].value.expression, s.symbols) == "sqrt((x - a)^2 + (y - b)^2)");
  CHECK(text_of(page.expressions[1].expression, s.symbols) == "b*z1");
  CHECK(uses_of(page)[page.definitions[0].symbol] == 5);
  check_values(s, longer, page);
}

TEST_CASE("names of others are left alone") {
  Sheet s;
  const Written z1 = s.coordinate("z1"), x = s.coordinate("x");
  Written sum = s.number(0);
  for (int k = 0; k < 5; ++k)
    sum = sum + s.parameter("k" + std::to_string(k)) *
                    sqrt(call(graph::Op::tanh, x * z1 + z1 + x) + s.parameter("c" + std::to_string(k)));
  const Page page = named(s.graph, std::vector<NodeId>{sum.id}, s.symbols);
  REQUIRE(page.definitions.size() == 1);
  CHECK(s.symbols.name(page.definitions[0].symbol) == "zz1");
}

TEST_CASE("conditions of pieces are kept where the pieces are written out") {
  Sheet s;
  const Written x = s.coordinate("x");
  Written w = s.coordinate("a");
  for (int k = 0; k < 20; ++k) w = sqrt(1 + call(graph::Op::tanh, power(call(graph::Op::tanh, w * (x / x)), 2)));
  const Page page = named(s.graph, std::vector<NodeId>{w.id}, s.symbols);
  std::size_t conditions = page.expressions[0].conditions.size();
  for (const auto& d : page.definitions) conditions += d.value.conditions.size();
  CHECK(conditions > 0);
  CHECK(page.expressions[0].conditions.size() == 1);
}

// Each of these is beyond the limits as a whole, some of them by powers of two.
TEST_CASE("what is too large is written in pieces") {
  struct Large {
    const char* what;
    std::function<Written(Sheet&)> make;
    bool nested;  // so deeply that names used once are needed
  };
  const auto b = [](Sheet& s, int k) { return s.coordinate("b" + std::to_string(k)); };
  const Large large[] = {
      {"squares of squares",
       [](Sheet& s) {
         Written w = 0.01 * s.coordinate("x");
         for (int k = 0; k < 60; ++k) w = 0.5 * (w * w) + w;
         return w;
       },
       false},
      {"sines of sines",
       [](Sheet& s) {
         Written w = s.coordinate("x");
         for (int k = 0; k < 500; ++k) w = sin(w);
         return w;
       },
       true},
      {"products of sums of functions of themselves",
       [&](Sheet& s) {
         Written w = s.coordinate("x");
         for (int k = 0; k < 60; ++k) w = sin(w * (b(s, 2 * k) + b(s, 2 * k + 1)) + cos(w));
         return w;
       },
       false},
      {"quotients of quotients",
       [&](Sheet& s) {
         Written w = s.coordinate("x");
         for (int k = 0; k < 40; ++k) w = (w + b(s, k)) / (2 + w * w);
         return w;
       },
       false},
      {"powers of a long sum",
       [&](Sheet& s) {
         Written w = s.coordinate("x");
         for (int k = 0; k < 30; ++k) w = w + sin(b(s, k)) * b(s, k);
         return power(w, 9) + power(w, 7) * sin(power(w, 3));
       },
       false},
  };
  for (const Large& l : large) {
    CAPTURE(l.what);
    std::vector<std::string> texts;
    for (int time = 0; time < 2; ++time) {
      Sheet s;
      const std::vector<NodeId> node{l.make(s).id};
      const Page page = named(s.graph, node, s.symbols);
      check_values(s, node, page);
      texts.push_back(page_text(s, page));
      const auto uses = uses_of(page);
      if (!l.nested)
        for (const auto& d : page.definitions) CHECK(uses.at(d.symbol) > 1);
    }
    CHECK(texts[0] == texts[1]);
  }
}

TEST_CASE("what is large is not simplified, in bounded time") {
  Sheet s;
  Written product = s.number(1), sum = s.number(0);
  for (int k = 0; k < 24; ++k) {
    const std::string n = std::to_string(k);
    const Written x = s.coordinate("x" + n), y = s.coordinate("y" + n);
    product = product * (x + y + sin(x) * cos(y));
    sum = sum + product;
  }
  CHECK(s.simplified(product) == s.plain(product));
  const Page page = named(s.graph, std::vector<NodeId>{sum.id}, s.symbols);
  check_values(s, std::vector<NodeId>{sum.id}, page);
  Written terms = s.coordinate("first");
  for (int k = 0; k < 1500; ++k) terms = terms + s.coordinate("w" + std::to_string(k));
  CHECK(s.simplified(terms).size() > 1500 * 5);
}

TEST_CASE("few linear equations are solved") {
  Sheet s;
  const auto p = [&](const char* name) { return s.parameter(name); };
  const Written a = p("a"), b = p("b"), c = p("c"), d = p("d"), e = p("e"), h = p("h"), x = p("x"), y = p("y"),
                z = p("z");
  const NodeId zero = s.graph.zero();
  const std::vector<NodeId> right{x.id, y.id, z.id};
  const auto text = [&](const reading::Solution& solution, std::size_t i) {
    return s.simplified({&s.graph, s.graph.div(solution.numerators[i], solution.determinants[i])});
  };
  SUBCASE("apart") {
    const auto solution =
        reading::solve(s.graph, std::vector<NodeId>{a.id, zero, b.id, zero, c.id, zero, b.id, zero, d.id}, right);
    CHECK(text(solution, 0) == "(d*x - b*z)/(a*d - b^2)");
    CHECK(text(solution, 1) == "y/c");
    CHECK(text(solution, 2) == "(a*z - b*x)/(a*d - b^2)");
  }
  SUBCASE("together") {
    const std::vector<NodeId> matrix{a.id, b.id, c.id, b.id, d.id, e.id, c.id, e.id, h.id};
    const auto solution = reading::solve(s.graph, matrix, right);
    REQUIRE(solution.numerators.size() == 3);
    Rng rng(3);
    std::map<std::uint32_t, double> leaf;
    const auto value_of = [&](const graph::Node& n) { return leaf.try_emplace(n.a, rng.between(1, 2)).first->second; };
    const auto m = graph::evaluate(s.graph, matrix, value_of), f = graph::evaluate(s.graph, right, value_of);
    const auto over = graph::evaluate(s.graph, solution.numerators, value_of),
               under = graph::evaluate(s.graph, solution.determinants, value_of);
    for (std::size_t i = 0; i < 3; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < 3; ++k) sum += m[3 * i + k] * over[k] / under[k];
      CHECK(sum == doctest::Approx(f[i]).epsilon(1e-11));
    }
  }
  SUBCASE("too many") {
    std::vector<NodeId> matrix(16, a.id);
    CHECK(reading::solve(s.graph, matrix, std::vector<NodeId>(4, x.id)).numerators.empty());
  }
}

}  // namespace mbc::test
