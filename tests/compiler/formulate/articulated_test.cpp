// SPDX-License-Identifier: Apache-2.0
// Random trees of numbers: M by composite inertias against the kinetic energy, and M^-1 by articulated inertias against
// M.
#include "compiler/formulate/solve/articulated.h"

#include <doctest/doctest.h>

#include <cmath>

#include "compiler/graph/drawn_numbers.h"
#include "tests/compiler/ad/rng.h"

using namespace mbc;
using graph::Graph;
using graph::NodeId;
using lower::PointInertia;
using lower::TreeLink;
using lower::Vector3;
using test::Rng;

namespace {

class RandomTree {
 public:
  explicit RandomTree(std::uint64_t seed) : rng_(seed), plane_(rng_.chance(0.3)) {
    const std::uint32_t count = 1 + rng_.below(20u);
    for (std::uint32_t i = 0; i < count; ++i) links_.push_back(link(i));
  }

  Graph& graph() { return g_; }
  [[nodiscard]] const std::vector<TreeLink>& links() const { return links_; }
  [[nodiscard]] const std::vector<double>& speeds() const { return u_; }
  [[nodiscard]] double value(NodeId node) const { return g_.constant_value(node); }
  Rng& rng() { return rng_; }

 private:
  NodeId number(double x) { return g_.constant(x); }
  Vector3 vector(double size) {
    return {number(rng_.between(-size, size)), number(rng_.between(-size, size)),
            number(plane_ ? 0 : rng_.between(-size, size))};
  }
  Vector3 axis() { return plane_ ? Vector3{number(0), number(0), number(rng_.between(0.5, 1))} : vector(1); }

  // I = D + m (c.c E - c c^T) about the point with the mass centre at c.
  PointInertia inertia() {
    const double m = rng_.between(0.5, 2), a = rng_.between(0.1, 0.3), b = rng_.between(0.1, 0.3);
    double c[3];
    for (double& x : c) x = rng_.between(-0.5, 0.5);
    if (plane_) c[2] = 0;
    const double square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    const auto entry = [&](std::size_t i, std::size_t j, double own) {
      return number(own + m * ((i == j ? square : 0) - c[i] * c[j]));
    };
    return {
        number(m),
        {number(m * c[0]), number(m * c[1]), number(m * c[2])},
        {entry(0, 0, a), entry(1, 1, b), entry(2, 2, 0.8 * (a + b)), entry(0, 1, 0), entry(0, 2, 0), entry(1, 2, 0)}};
  }

  TreeLink link(std::uint32_t i) {
    TreeLink l;
    if (i > 0 && rng_.chance(0.9)) l.carrier = rng_.below(i);
    l.turns_alone = rng_.chance(0.2);
    const std::vector<double> R = graph::drawn_rotation(i, static_cast<int>(rng_.below(1000u)), plane_ ? 2 : 3);
    for (std::size_t k = 0; k < 9; ++k) l.R[k] = number(k == 8 ? 1 : 0);
    for (std::size_t a = 0; a < (plane_ ? 2 : 3); ++a)
      for (std::size_t b = 0; b < (plane_ ? 2 : 3); ++b) l.R[3 * a + b] = number(R[a * (plane_ ? 2 : 3) + b]);
    l.r = vector(1);
    l.inertia = inertia();
    l.omega = l.r_rate = {number(0), number(0), number(0)};
    l.omega_bias = l.r_bias = l.omega;
    const std::uint32_t columns = l.turns_alone ? (plane_ ? 1 : 3) : 1 + rng_.below(2u);
    for (std::uint32_t k = 0; k < columns; ++k) {
      const bool turns = l.turns_alone || (k == 0 && rng_.chance(0.6));
      const Vector3 none{number(0), number(0), number(0)};
      l.columns.push_back({static_cast<std::uint32_t>(u_.size()), turns ? axis() : none, turns ? none : vector(1)});
      u_.push_back(rng_.between(-1, 1));
      for (std::size_t x = 0; x < 3; ++x) {
        l.omega[x] = g_.add(l.omega[x], g_.mul(l.columns.back().turns[x], number(u_.back())));
        l.r_rate[x] = g_.add(l.r_rate[x], g_.mul(l.columns.back().slides[x], number(u_.back())));
      }
    }
    return l;
  }

  Rng rng_;
  Graph g_;
  bool plane_;
  std::vector<TreeLink> links_;
  std::vector<double> u_;
};

}  // namespace

TEST_CASE("random trees: composite inertias give the kinetic energy, articulated ones the inverse") {
  for (std::uint64_t seed = 1; seed <= test::random_cases(300); ++seed) {
    INFO(seed);
    RandomTree tree(seed);
    Graph& g = tree.graph();
    const auto n = static_cast<std::uint32_t>(tree.speeds().size());
    const lower::TreeSums sums = lower::tree_dynamics(g, tree.links(), {g.zero(), g.zero(), g.zero()});
    std::vector<std::vector<double>> M(n, std::vector<double>(n, 0.0));
    for (const auto& [ij, value] : sums.mass) M[ij.first][ij.second] = M[ij.second][ij.first] = tree.value(value);
    double twice = 0;
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::uint32_t j = 0; j < n; ++j) twice += tree.speeds()[i] * M[i][j] * tree.speeds()[j];
    CHECK(tree.value(sums.kinetic) == doctest::Approx(twice / 2).epsilon(1e-12));

    // Rotors beside the tree, and speeds that no link has.
    formulate::SymmetricEntries beside;
    for (std::uint32_t i = 0; i < n + 2; ++i)
      if (i >= n || tree.rng().chance(0.3)) beside[{i, i}] = g.constant(tree.rng().between(0.1, 1));
    formulate::SparseRow force;
    for (std::uint32_t i = 0; i < n + 2; ++i)
      if (tree.rng().chance(0.8)) force[i] = g.constant(tree.rng().between(-1, 1));
    const auto inertia = formulate::tree_inertia(g, n + 2, tree.links(), beside);
    REQUIRE(inertia);
    const formulate::SparseRow found = formulate::ArticulatedInertia(g, *inertia).solve(force);
    const auto entry = [&](const formulate::SparseRow& row, std::uint32_t i) {
      return row.contains(i) ? tree.value(row.at(i)) : 0;
    };
    for (std::uint32_t i = 0; i < n + 2; ++i) {
      double left = -entry(force, i), size = 1;
      for (std::uint32_t j = 0; j < n + 2; ++j) {
        const double m =
            (i < n && j < n ? M[i][j] : 0) + (i == j && beside.contains({i, i}) ? tree.value(beside.at({i, i})) : 0);
        left += m * entry(found, j);
        size += std::fabs(m * entry(found, j));
      }
      CHECK(std::fabs(left) <= 1e-10 * size);
    }
  }
}

TEST_CASE("articulated inertias are for speeds that one joint has, and that nothing else couples") {
  RandomTree tree(3);
  Graph& g = tree.graph();
  const auto n = static_cast<std::uint32_t>(tree.speeds().size());
  CHECK(formulate::tree_inertia(g, n, tree.links(), {}));
  CHECK(!formulate::tree_inertia(g, n + 1, tree.links(), {}));  // a speed without inertia
  CHECK(!formulate::tree_inertia(g, n + 2, tree.links(),
                                 {{{n + 1, n}, g.one()}, {{n, n}, g.one()}, {{n + 1, n + 1}, g.one()}}));
  CHECK(!formulate::tree_inertia(g, n, {}, {}));
  std::vector<TreeLink> twice = tree.links();
  twice.push_back(twice.back());
  CHECK(!formulate::tree_inertia(g, n, twice, {}));
}
