// SPDX-License-Identifier: Apache-2.0
// Tests the order conditions of the tableau of order 8 for every rooted tree in extended precision: E. Hairer, S. P.
// Norsett, G. Wanner, "Solving Ordinary Differential Equations I", section II.2, theorem 2.13, and II.6 for the
// interpolation within a step.
#include "kernel/tableau_dop853.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

namespace {

using Real = long double;
namespace table = mbc::kernel::dop853;
constexpr std::size_t kAll = 16;
using Stages = std::array<Real, kAll>;

// A rooted tree is stored as the trees on its root in ascending order. Its nodes and its density are rho and gamma of
// the book.
struct Tree {
  std::vector<std::size_t> branches;
  int nodes = 1;
  Real density = 1;
};

// Returns every tree of up to `most` nodes once, with smaller trees first.
std::vector<Tree> trees(int most) {
  std::vector<Tree> all{{}};
  // Adds branches no later than `last` with `left` nodes in total.
  const auto grow = [&all](auto&& self, const Tree& tree, std::size_t last, int left, std::vector<Tree>& out) -> void {
    if (left == 0) out.push_back(tree);
    for (std::size_t k = 0; k <= last && left > 0; ++k) {
      if (all[k].nodes > left) continue;
      Tree more = tree;
      more.branches.push_back(k);
      self(self, more, k, left - all[k].nodes, out);
    }
  };
  for (int nodes = 2; nodes <= most; ++nodes) {
    std::vector<Tree> made;
    grow(grow, Tree{}, all.size() - 1, nodes - 1, made);
    for (Tree& tree : made) {
      tree.nodes = nodes;
      tree.density = nodes;
      for (std::size_t k : tree.branches) tree.density *= all[k].density;
      all.push_back(tree);
    }
  }
  return all;
}

// Returns a_ij of all sixteen stages. The thirteenth stage is the rate at the end of the step.
Real a(std::size_t i, std::size_t j) {
  if (j >= i) return 0;
  if (i < 12) return table::kA[i - 1][j];
  return i == 12 ? table::kB[j] : table::kMoreA[i - 13][j];
}

// Returns for each tree and stage the product of sum_j a_ij over the branches.
std::vector<Stages> weights(const std::vector<Tree>& all) {
  std::vector<Stages> out;
  for (const Tree& tree : all) {
    Stages of{};
    for (std::size_t i = 0; i < kAll; ++i) {
      of[i] = 1;
      for (std::size_t branch : tree.branches) {
        Real sum = 0;
        for (std::size_t j = 0; j < i; ++j) sum += a(i, j) * out[branch][j];
        of[i] *= sum;
      }
    }
    out.push_back(of);
  }
  return out;
}

Real sum(const Stages& weight, const Stages& of_tree) {
  Real out = 0;
  for (std::size_t i = 0; i < kAll; ++i) out += weight[i] * of_tree[i];
  return out;
}

Stages of(const Real* values, std::size_t count) {
  Stages out{};
  for (std::size_t j = 0; j < count; ++j) out[j] = values[j];
  return out;
}

// Returns the weights of the stages in the state at t + theta h (runtime/integrators/dop853.h).
Stages between(Real theta) {
  Stages out{};
  for (std::size_t j = 0; j < kAll; ++j) {
    const Real b = j < 12 ? table::kB[j] : 0, bent = (j == 0 ? 1 : 0) - b, last = b - (j == 12 ? 1 : 0) - bent;
    Real value = table::kD[2][j] + theta * table::kD[3][j];
    value = table::kD[1][j] + (1 - theta) * value;
    value = table::kD[0][j] + theta * value;
    value = last + (1 - theta) * value;
    value = bent + theta * value;
    out[j] = theta * (b + (1 - theta) * value);
  }
  return out;
}

// Returns the largest |Phi(tree) - theta^nodes/gamma| over the trees with this number of nodes.
Real defect(const Stages& weight, int nodes, Real theta = 1, bool of_error = false) {
  static const std::vector<Tree> all = trees(9);
  static const std::vector<Stages> of_trees = weights(all);
  Real worst = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all[k].nodes != nodes) continue;
    const Real wanted = of_error ? 0 : std::pow(theta, static_cast<Real>(nodes)) / all[k].density;
    worst = std::max(worst, std::fabs(sum(weight, of_trees[k]) - wanted));
  }
  return worst;
}

}  // namespace

TEST_CASE("there are as many rooted trees as there are") {
  std::array<int, 10> count{};
  for (const Tree& tree : trees(9)) ++count[static_cast<std::size_t>(tree.nodes)];
  CHECK(count == std::array<int, 10>{0, 1, 1, 2, 4, 9, 20, 48, 115, 286});
}

TEST_CASE("the stages lie where their rows add up to") {
  for (std::size_t i = 1; i < kAll; ++i) {
    Real row = 0;
    for (std::size_t j = 0; j < i; ++j) row += a(i, j);
    const Real c = i < 12 ? table::kC[i - 1] : i == 12 ? 1 : table::kMoreC[i - 13];
    CHECK(std::fabs(row - c) < 1e-17L);
  }
}

TEST_CASE("the method has order 8, its estimates 5 and 3") {
  const Stages b = of(table::kB, 12);
  for (int nodes = 1; nodes <= 8; ++nodes) {
    CAPTURE(nodes);
    CHECK(defect(b, nodes) < 1e-17L);
  }
  CHECK(defect(b, 9) > 1e-8L);
  const Stages error = of(table::kError5, 12);
  for (int nodes = 1; nodes <= 5; ++nodes) {
    CAPTURE(nodes);
    CHECK(defect(error, nodes, 1, true) < 1e-17L);
  }
  CHECK(defect(error, 6, 1, true) > 1e-6L);
  Stages third{};
  third[0] = table::kThird[0];
  third[8] = table::kThird[1];
  third[11] = table::kThird[2];
  for (int nodes = 1; nodes <= 3; ++nodes) CHECK(defect(third, nodes) < 1e-17L);
  CHECK(defect(third, 4) > 1e-4L);
}

TEST_CASE("what lies between the ends of a step has order 7") {
  for (const Real theta : {0.1L, 0.3L, 0.5L, 0.77L, 0.95L, 1.0L}) {
    CAPTURE(static_cast<double>(theta));
    const Stages b = between(theta);
    for (int nodes = 1; nodes <= 7; ++nodes) {
      CAPTURE(nodes);
      CHECK(defect(b, nodes, theta) < 1e-16L);
    }
    if (theta < 1) CHECK(defect(b, 8, theta) > 1e-9L);
  }
}
