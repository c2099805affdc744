// SPDX-License-Identifier: Apache-2.0
// Compares rotation matrices as atoms of differentiation (ad::Turning) with differentiation through the quaternion.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "compiler/ad/motion.h"
#include "compiler/graph/evaluate.h"
#include "compiler/sema/rotations.h"

namespace mbc::test {
namespace {

using graph::Graph;
using graph::LeafKind;
using graph::Node;
using graph::NodeId;
using graph::Op;

// The two bodies have q = (x_1, p_1; x_2, p_2) and u = (v_1, omega_1; v_2, omega_2). Scalar places are sufficient.
struct Bodies {
  Graph g;
  std::vector<NodeId> rate;
  std::vector<ad::Turning> turning;

  Bodies() {
    for (std::uint32_t b = 0; b < 2; ++b) {
      const auto q = [&](std::uint32_t k) { return g.leaf(LeafKind::coordinate, 5 * b + k); };
      const auto u = [&](std::uint32_t k) { return g.leaf(LeafKind::speed, 4 * b + k); };
      const std::vector<NodeId> p{q(1), q(2), q(3), q(4)}, omega{u(1), u(2), u(3)};
      rate.push_back(u(0));
      for (NodeId r : sema::quaternion_rate(g, p, omega)) rate.push_back(r);
      ad::Turning t;
      const std::vector<NodeId> R = sema::rotation_of(g, p);
      std::copy(R.begin(), R.end(), t.rotation.begin());
      std::copy(omega.begin(), omega.end(), t.omega.begin());
      turning.push_back(t);
    }
  }
  ad::Motion motion(bool atoms) const {
    const auto of = [this](std::uint32_t i) { return rate[i]; };
    return {of, {}, atoms ? std::span<const ad::Turning>(turning) : std::span<const ad::Turning>()};
  }
};

// Tests every level with expressions that contain entries of both signs.
TEST_CASE("R' = R skew(omega) gives the derivatives of the quaternion, of any length") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> value(-1, 1);
  Bodies m;
  Graph& g = m.g;
  const auto R = [&](std::size_t b, std::size_t k) { return m.turning[b].rotation[k]; };
  const NodeId x = g.leaf(LeafKind::coordinate, 0), w = g.leaf(LeafKind::speed, 6);
  const std::vector<NodeId> expressions{
      g.add(x, g.mul(g.constant(-2), R(0, 1))),
      g.sub(g.sub(g.mul(R(0, 0), R(1, 4)), g.mul(g.constant(-3), R(1, 0))), g.neg(R(0, 5))),
      g.binary(Op::atan2, R(0, 3), g.add(g.constant(3), R(1, 8))),
      g.sqrt(g.add(g.constant(4), g.mul(x, g.mul(R(0, 6), R(0, 2))))), g.unary(Op::sin, g.sub(R(1, 7), x))};
  for (int n = 0; n < 50; ++n) {
    std::vector<double> q(10), u(8), a(8);
    for (auto* v : {&q, &u, &a})
      for (double& e : *v) e = value(random);
    const auto at = [&](const Node& leaf) {
      return leaf.leaf == LeafKind::coordinate ? q[leaf.a] : leaf.leaf == LeafKind::speed ? u[leaf.a] : a[leaf.a];
    };
    for (std::size_t k = 0; k < expressions.size(); ++k)
      for (const ad::Level level : {ad::Level::position, ad::Level::velocity}) {
        const NodeId e = level == ad::Level::position ? expressions[k] : g.mul(w, expressions[k]);
        const ad::Row atoms = ad::differentiate(g, e, level, m.motion(true)),
                      through = ad::differentiate(g, e, level, m.motion(false));
        CAPTURE(k);
        std::vector<NodeId> roots{atoms.bias, through.bias, ad::time_derivative(g, e, m.motion(true)),
                                  ad::time_derivative(g, e, m.motion(false))};
        // An entry that vanishes for every quaternion is a structural zero only with atoms.
        for (std::uint32_t speed = 0; speed < 8; ++speed)
          for (const ad::Row* row : {&atoms, &through}) {
            roots.push_back(g.zero());
            for (const auto& [i, d] : row->jacobian)
              if (i == speed) roots.back() = d;
          }
        if (level == ad::Level::position) {
          roots.push_back(atoms.rate);
          roots.push_back(through.rate);
        }
        const std::vector<double> v = graph::evaluate(g, roots, at);
        for (std::size_t i = 0; i < v.size(); i += 2)
          CHECK(std::fabs(v[i] - v[i + 1]) <= 1e-11 * (1 + std::fabs(v[i])));
      }
  }
}

}  // namespace
}  // namespace mbc::test
