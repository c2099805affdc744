// SPDX-License-Identifier: Apache-2.0
// Compares the elimination that is written out (formulate/linear_plan, factorisation, row_factors, pivot_order) with
// dense linear algebra: accelerations, multipliers and pivots, with rows left out by the mask and dependent rows.
#include "compiler/formulate/solve/linear_plan.h"

#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <random>
#include <set>

#include "compiler/formulate/solve/pivot_order.h"
#include "compiler/graph/evaluate.h"

namespace mbc::test {
namespace {

using formulate::LinearSolution;
using formulate::LinearSystem;
using graph::Graph;
using graph::LeafKind;
using graph::Node;
using graph::NodeId;
using graph::Op;

// The values are leaves, so that nothing is folded.
struct Numbers {
  Graph g;
  std::vector<double> leaves, mask;

  NodeId leaf(double value) {
    leaves.push_back(value);
    return g.leaf(LeafKind::coordinate, static_cast<std::uint32_t>(leaves.size() - 1));
  }
  std::vector<double> evaluate(const std::vector<NodeId>& roots) const {
    return graph::evaluate(g, roots, [&](const Node& n) { return n.leaf == LeafKind::mask ? mask[n.a] : leaves[n.a]; });
  }
};

struct Dense {
  Eigen::MatrixXd M, A;
  Eigen::VectorXd f, b;
};

struct Case {
  Numbers numbers;
  Dense dense;
  LinearSystem system;
};

// Makes bodies of three speeds and joints of three rows between neighbours, as in a chain. The mass matrix of some
// bodies is full. Entries of rows are c times a leaf, as after differentiation.
void make(Case& c, int bodies, std::mt19937_64& random) {
  std::uniform_real_distribution<double> value(-1, 1);
  const int n = 3 * bodies, m = 3 * (bodies - 1);
  Dense& d = c.dense;
  d.M = Eigen::MatrixXd::Zero(n, n);
  d.A = Eigen::MatrixXd::Zero(m, n);
  d.f = Eigen::VectorXd::NullaryExpr(n, [&] { return value(random); });
  d.b = Eigen::VectorXd::NullaryExpr(m, [&] { return value(random); });
  for (int body = 0; body < bodies; ++body)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j <= i; ++j)
        if (i == j || body % 3 == 2)
          d.M(3 * body + i, 3 * body + j) = d.M(3 * body + j, 3 * body + i) = i == j ? 2 + value(random) : 0.3;
  LinearSystem& s = c.system;
  s.n = static_cast<std::uint32_t>(n);
  s.rows.resize(static_cast<std::size_t>(m));
  for (int r = 0; r < m; ++r)
    for (int k = 0; k < 6; ++k) {
      const int column = 3 * (r / 3) + k;
      const double x = value(random), factor = k % 2 == 0 ? 2 : -2;
      d.A(r, column) = factor * x;
      s.rows[static_cast<std::size_t>(r)][static_cast<std::uint32_t>(column)] =
          c.numbers.g.mul(c.numbers.g.constant(factor), c.numbers.leaf(x));
    }
  for (int i = 0; i < n; ++i) {
    s.group.push_back(static_cast<std::uint32_t>(i / 3));
    s.force.push_back(c.numbers.leaf(d.f(i)));
    for (int j = 0; j <= i; ++j)
      if (d.M(i, j) != 0)
        s.mass[{static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)}] = c.numbers.leaf(d.M(i, j));
  }
  for (int r = 0; r < m; ++r) s.right_side.push_back(c.numbers.leaf(d.b(r)));
  c.numbers.mask.assign(static_cast<std::size_t>(m), 1.0);
}

// Replaces row `copy` by `times` row `row`.
void repeat(Case& c, int copy, int row, double times) {
  c.dense.A.row(copy) = times * c.dense.A.row(row);
  c.dense.b(copy) = times * c.dense.b(row);
  const auto to = static_cast<std::size_t>(copy);
  c.system.rows[to].clear();
  for (int i = 0; i < c.dense.A.cols(); ++i)
    if (c.dense.A(copy, i) != 0) c.system.rows[to][static_cast<std::uint32_t>(i)] = c.numbers.leaf(c.dense.A(copy, i));
  c.system.right_side[to] = c.numbers.leaf(c.dense.b(copy));
}

struct Solved {
  Eigen::VectorXd acceleration, multiplier, pivot, scale;
};

Solved solve(Case& c) {
  const LinearSolution s = formulate::solve_unrolled(c.numbers.g, c.system);
  const auto vector = [&](const std::vector<NodeId>& nodes) {
    const std::vector<double> values = c.numbers.evaluate(nodes);
    return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size())));
  };
  return {vector(s.acceleration), vector(s.multiplier), vector(s.pivot), vector(s.pivot_scale)};
}

// Solves with the rows of `kept` only.
Solved by_dense(const Dense& d, const std::vector<int>& kept) {
  const Eigen::MatrixXd A = d.A(kept, Eigen::all), W = d.M.ldlt().solve(A.transpose());
  const Eigen::VectorXd free = d.M.ldlt().solve(d.f), b = d.b(kept);
  const Eigen::VectorXd lambda = (A * W).ldlt().solve(b - A * free);
  Solved s;
  s.acceleration = free + W * lambda;
  s.multiplier = Eigen::VectorXd::Zero(d.A.rows());
  s.multiplier(kept) = lambda;
  return s;
}

std::vector<int> all_rows(const Case& c) {
  std::vector<int> rows;
  for (int r = 0; r < c.dense.A.rows(); ++r)
    if (c.numbers.mask[static_cast<std::size_t>(r)] != 0) rows.push_back(r);
  return rows;
}

TEST_CASE("accelerations, multipliers and the product of the pivots of independent rows") {
  std::mt19937_64 random(1);
  for (int n = 0; n < 40; ++n) {
    Case c;
    make(c, 2 + n % 4, random);
    const Solved got = solve(c), wanted = by_dense(c.dense, all_rows(c));
    CAPTURE(n);
    CHECK((got.acceleration - wanted.acceleration).norm() < 1e-9 * (1 + wanted.acceleration.norm()));
    CHECK((got.multiplier - wanted.multiplier).norm() < 1e-8 * (1 + wanted.multiplier.norm()));
    const Eigen::MatrixXd S = c.dense.A * c.dense.M.ldlt().solve(c.dense.A.transpose());
    CHECK(got.pivot.array().log().sum() == doctest::Approx(std::log(S.determinant())).epsilon(1e-8));
    CHECK((got.scale - S.diagonal()).norm() < 1e-13 * S.norm());
  }
}

TEST_CASE("rows left out by the mask have no multiplier, within blocks too") {
  std::mt19937_64 random(2);
  for (int n = 0; n < 64; ++n) {
    Case c;
    make(c, 3, random);
    for (int r = 0; r < 6; ++r) c.numbers.mask[static_cast<std::size_t>(r)] = (n >> r) & 1;
    const Solved got = solve(c);
    CAPTURE(n);
    if (n == 0) {
      CHECK(got.multiplier.norm() == 0);
      continue;
    }
    const Solved wanted = by_dense(c.dense, all_rows(c));
    CHECK((got.acceleration - wanted.acceleration).norm() < 1e-9 * (1 + wanted.acceleration.norm()));
    for (int r = 0; r < 6; ++r)
      if (c.numbers.mask[static_cast<std::size_t>(r)] == 0) CHECK(got.multiplier(r) == 0);
  }
}

TEST_CASE("a row that repeats another is skipped by its pivot, in its block and in others") {
  std::mt19937_64 random(3);
  for (const auto& [copy, row] : {std::pair{1, 0}, {2, 0}, {2, 1}, {5, 4}, {0, 2}}) {
    Case c;
    make(c, 4, random);
    repeat(c, copy, row, -1.5);
    const Solved got = solve(c);
    std::vector<int> kept = all_rows(c);
    CAPTURE(copy);
    const bool first_skipped = got.multiplier(row) == 0, second_skipped = got.multiplier(copy) == 0;
    CHECK(first_skipped != second_skipped);
    const int skipped = first_skipped ? row : copy;
    CHECK(std::fabs(got.pivot(skipped)) <= 1e-13 * got.scale(skipped));
    std::erase(kept, skipped);
    const Solved wanted = by_dense(c.dense, kept);
    CHECK((got.acceleration - wanted.acceleration).norm() < 1e-9 * (1 + wanted.acceleration.norm()));
    CHECK((got.multiplier - wanted.multiplier).norm() < 1e-8 * (1 + wanted.multiplier.norm()));
  }
}

TEST_CASE("a common factor 1/sqrt(s) of a row leaves what is reported of it as it is written") {
  std::mt19937_64 random(4);
  Case c;
  make(c, 3, random);
  Graph& g = c.numbers.g;
  const double s = 1.7, factor = 0.5 / std::sqrt(s);
  const NodeId d = g.div(g.constant(0.5), g.sqrt(c.numbers.leaf(s)));
  for (auto& [i, e] : c.system.rows[1]) e = g.mul(d, e);
  c.dense.A.row(1) *= factor;
  const double first = 0.4, second = -0.9;  // b = d x + y has one term with the factor and one without.
  c.dense.b(1) = factor * first + second;
  c.system.right_side[1] = g.add(g.mul(d, c.numbers.leaf(first)), c.numbers.leaf(second));
  const Solved got = solve(c), wanted = by_dense(c.dense, all_rows(c));
  CHECK((got.acceleration - wanted.acceleration).norm() < 1e-11 * (1 + wanted.acceleration.norm()));
  CHECK((got.multiplier - wanted.multiplier).norm() < 1e-10 * (1 + wanted.multiplier.norm()));
  const Eigen::MatrixXd S = c.dense.A * c.dense.M.ldlt().solve(c.dense.A.transpose());
  CHECK((got.scale - S.diagonal()).norm() < 1e-13 * S.norm());
  CHECK(got.pivot.array().log().sum() == doctest::Approx(std::log(S.determinant())).epsilon(1e-9));
}

TEST_CASE("a chain is eliminated from both ends, a ball joint in one block") {
  std::vector<std::vector<std::uint32_t>> path(9);
  for (std::uint32_t i = 0; i + 1 < 9; ++i) {
    path[i].push_back(i + 1);
    path[i + 1].push_back(i);
  }
  const auto order = formulate::pivot_order(path);
  REQUIRE(order.size() == 9);
  CHECK(std::set<std::uint32_t>{order[0][0], order[1][0]} == std::set<std::uint32_t>{0, 8});
  std::vector<std::vector<std::uint32_t>> joints(6);  // Two joints share a body.
  for (std::uint32_t i = 0; i < 6; ++i)
    for (std::uint32_t j = 0; j < 6; ++j)
      if (i != j) joints[i].push_back(j);
  CHECK(formulate::pivot_order(joints) == std::vector<std::vector<std::uint32_t>>{{0, 1, 2}, {3, 4, 5}});
}

TEST_CASE("of rows that are as good as each other the one whose pivot is a number goes first") {
  const std::vector<std::vector<std::uint32_t>> pair{{1}, {0}};
  CHECK(formulate::pivot_order(pair, 1) == std::vector<std::vector<std::uint32_t>>{{0}, {1}});
  CHECK(formulate::pivot_order(pair, 1, {false, true}) == std::vector<std::vector<std::uint32_t>>{{1}, {0}});
}

}  // namespace
}  // namespace mbc::test
