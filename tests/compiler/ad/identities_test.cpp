// SPDX-License-Identifier: Apache-2.0
// Tests identities that hold exactly and need no reference: distances and angles do not change in a rigid rotation, and
// a homogeneous function obeys Euler's relations of first and second order.
#include <doctest/doctest.h>

#include <string>

#include "compiler/ad/motion.h"
#include "tests/compiler/ad/error_stats.h"
#include "tests/compiler/ad/tree.h"

namespace mbc::test {
namespace {

using graph::Graph;
using graph::Node;
using graph::NodeId;
using Vector = std::array<NodeId, 3>;

constexpr std::uint32_t kParticles = 4;

Vector position(Graph& g, std::uint32_t particle) {
  Vector r;
  for (std::uint32_t i = 0; i < 3; ++i) r[i] = g.leaf(LeafKind::coordinate, 3 * particle + i);
  return r;
}
Vector minus(Graph& g, const Vector& a, const Vector& b) {
  return {g.sub(a[0], b[0]), g.sub(a[1], b[1]), g.sub(a[2], b[2])};
}
Vector cross(Graph& g, const Vector& a, const Vector& b) {
  const auto component = [&](int i, int j) { return g.sub(g.mul(a[i], b[j]), g.mul(a[j], b[i])); };
  return {component(1, 2), component(2, 0), component(0, 1)};
}
NodeId dot(Graph& g, const Vector& a, const Vector& b) { return g.dot(a, b); }
NodeId norm(Graph& g, const Vector& a) { return g.sqrt(dot(g, a, a)); }

// Returns quantities of four particles that no rotation about the origin changes.
std::vector<NodeId> rotation_invariants(Graph& g) {
  const Vector a = position(g, 0), b = position(g, 1), c = position(g, 2), d = position(g, 3);
  const Vector ab = minus(g, b, a), ac = minus(g, c, a), ad = minus(g, d, a);
  const NodeId cosine = g.div(dot(g, ab, ac), g.mul(norm(g, ab), norm(g, ac)));
  const NodeId angle = g.binary(Op::atan2, norm(g, cross(g, ab, ac)), dot(g, ab, ac));
  const NodeId volume = dot(g, ab, cross(g, ac, ad));
  return {norm(g, ab),
          dot(g, ab, ab),
          norm(g, a),
          cosine,
          angle,
          volume,
          norm(g, cross(g, ac, ad)),
          g.unary(Op::exp, g.neg(norm(g, ad))),
          g.binary(Op::min, norm(g, ab), norm(g, ac)),
          g.unary(Op::ln, g.binary(Op::pow, norm(g, ac), g.constant(2.5)))};
}

// Every particle moves with omega x r, where omega = (u0, u1, u2).
ad::Motion rotation(Graph& g) {
  ad::Motion motion;
  motion.rate = [&g](std::uint32_t i) {
    const Vector omega{g.leaf(LeafKind::speed, 0), g.leaf(LeafKind::speed, 1), g.leaf(LeafKind::speed, 2)};
    return cross(g, omega, position(g, i / 3))[i % 3];
  };
  return motion;
}

ad::Motion cartesian_motion(Graph& g) {
  ad::Motion motion;
  motion.rate = [&g](std::uint32_t i) { return g.leaf(LeafKind::speed, i); };
  return motion;
}

Point random_positions(Rng& rng, std::size_t speeds) {
  Point point;
  for (std::uint32_t i = 0; i < 3 * kParticles; ++i) point.q.push_back(rng.between(-2, 2));
  for (std::size_t i = 0; i < speeds; ++i) point.u.push_back(rng.between(-2, 2));
  return point;
}

std::vector<double> cross_at(const std::vector<double>& omega, const std::vector<double>& q, std::size_t particle) {
  const double *w = omega.data(), *r = q.data() + 3 * particle;
  return {w[1] * r[2] - w[2] * r[1], w[2] * r[0] - w[0] * r[2], w[0] * r[1] - w[1] * r[0]};
}

// J (omega x r) = 0, compared with the sum of the sizes of its terms.
TEST_CASE("a rigid rotation changes no distance, angle or volume: first order") {
  Graph g;
  const ad::Motion motion = cartesian_motion(g);
  ErrorStats errors("J (omega x r)");
  double largest = 0;
  Rng rng(31);
  for (NodeId e : rotation_invariants(g)) {
    const ad::Row row = ad::differentiate(g, e, ad::Level::position, motion);
    std::vector<NodeId> entries;
    for (const auto& entry : row.jacobian) entries.push_back(entry.second);
    REQUIRE(entries.size() >= 3);
    for (std::size_t n = 0; n < random_cases(200); ++n) {
      const Point point = random_positions(rng, 3 * kParticles);
      const std::vector<double> j = evaluate_graph(g, entries, point), omega{rng.between(-1, 1), rng.between(-1, 1), 1};
      Real sum = 0, scale = 0;
      for (std::size_t i = 0; i < j.size(); ++i) {
        const std::uint32_t k = row.jacobian[i].first;
        const Real term = static_cast<Real>(j[i]) * cross_at(omega, point.q, k / 3)[k % 3];
        sum += term;
        scale += std::fabs(term);
        largest = std::max(largest, std::fabs(j[i]));
      }
      errors.add(static_cast<double>(sum), 0, scale, n);
    }
  }
  MBC_FIGURES(errors);
  CHECK(errors.worst() <= 1e-13);
  CHECK(largest > 1);
}

// Along the flow r' = omega x r, J, c and g vanish, compared with terms of size |q|^k |omega|^m.
TEST_CASE("a rigid rotation changes no distance, angle or volume: second order") {
  Graph g;
  const ad::Motion turning = rotation(g), free = cartesian_motion(g);
  ErrorStats first("J of a rotation"), second("g of a rotation");
  Rng rng(32);
  double largest = 0;
  for (NodeId e : rotation_invariants(g)) {
    const ad::Row row = ad::differentiate(g, e, ad::Level::position, turning);
    const ad::Row apart = ad::differentiate(g, e, ad::Level::position, free);
    std::vector<NodeId> roots{row.rate, row.bias, apart.bias};
    for (const auto& entry : row.jacobian) roots.push_back(entry.second);
    for (const auto& entry : apart.jacobian) roots.push_back(entry.second);
    for (std::size_t n = 0; n < random_cases(200); ++n) {
      Point point = random_positions(rng, 3 * kParticles);
      const std::vector<double> omega{point.u[0], point.u[1], point.u[2]};
      // The natural size of J and g is that of the same expression when the particles fly apart at the same speeds.
      Point flying = point;
      for (std::size_t i = 0; i < kParticles; ++i)
        for (std::size_t c = 0; c < 3; ++c) flying.u[3 * i + c] = cross_at(omega, point.q, i)[c];
      const std::vector<double> got = evaluate_graph(g, roots, point), size = evaluate_graph(g, roots, flying);
      Real slope = 0;
      for (std::size_t i = 3 + row.jacobian.size(); i < size.size(); ++i) slope += std::fabs(size[i]) * 4;
      for (std::size_t i = 3; i < 3 + row.jacobian.size(); ++i) first.add(got[i], 0, slope, n);
      second.add(got[1], 0, std::fabs(size[2]) + slope * 12, n);
      largest = std::max(largest, std::fabs(size[2]));
    }
  }
  MBC_FIGURES(first);
  MBC_FIGURES(second);
  CHECK(first.worst() <= 1e-13);
  CHECK(second.worst() <= 1e-12);
  CHECK(largest > 1);
}

// A Homogeneous is a random function of known degree of homogeneity in q.
struct Homogeneous {
  NodeId node;
  double degree = 0;
};

class HomogeneousGenerator {
 public:
  HomogeneousGenerator(Graph& g, Rng& rng) : g_(g), rng_(rng) {
    for (std::uint32_t i = 0; i < 4; ++i) pool_.push_back({g_.leaf(LeafKind::coordinate, i), 1});
  }
  Homogeneous make() {
    for (int k = 0; k < 8; ++k) pool_.push_back(step());
    return pool_.back();
  }

 private:
  Homogeneous pick() { return pool_[rng_.below(pool_.size())]; }
  // All operands are positive at the tested points (q > 0, and no differences).
  Homogeneous step() {
    const Homogeneous a = pick(), b = pick();
    switch (rng_.below(8u)) {
      case 0:
        return {g_.mul(a.node, b.node), a.degree + b.degree};
      case 1:
        return {g_.div(a.node, b.node), a.degree - b.degree};
      case 2:
        return {g_.sqrt(a.node), a.degree / 2};
      case 3:
        return {g_.binary(Op::pow, a.node, g_.constant(1.5)), a.degree * 1.5};
      case 4:
        return same_degree(a, b, Op::add);
      case 5:
        return same_degree(a, b, rng_.chance(0.5) ? Op::min : Op::max);
      case 6:
        return {g_.mul(a.node, g_.unary(Op::atan, ratio())), a.degree};
      default:
        return {g_.mul(a.node, g_.unary(Op::exp, g_.neg(ratio()))), a.degree};
    }
  }
  NodeId ratio() { return g_.div(leaf(), leaf()); }
  NodeId leaf() { return g_.leaf(LeafKind::coordinate, rng_.below(4u)); }
  Homogeneous same_degree(Homogeneous a, Homogeneous b, Op op) {
    const NodeId scaled = g_.mul(b.node, g_.binary(Op::pow, leaf(), g_.constant(a.degree - b.degree)));
    return {g_.binary(op, a.node, scaled), a.degree};
  }

  Graph& g_;
  Rng& rng_;
  std::vector<Homogeneous> pool_;
};

// From f(s q) = s^k f(q) follows, along q' = q and q'' = 0, f' = k f and f'' = k (k - 1) f.
TEST_CASE("Euler's relations of homogeneous functions") {
  ErrorStats first("q.f_q = k f"), second("q.f_qq q = k(k-1) f");
  Rng rng(33);
  for (std::size_t n = 0; n < random_cases(5000); ++n) {
    Graph g;
    const Homogeneous f = HomogeneousGenerator(g, rng).make();
    if (std::fabs(f.degree) > 8) continue;
    const auto d = ad::two_derivatives(
        g, {&f.node, 1}, [&](const Node& leaf) { return g.leaf(leaf.leaf, leaf.a); },
        [](const Node&) { return NodeId{}; });
    Point point;
    for (int i = 0; i < 4; ++i) point.q.push_back(rng.between(0.5, 2));
    const NodeId roots[] = {f.node, d.first[0], d.second[0]};
    const std::vector<double> got = evaluate_graph(g, roots, point);
    const Real k = f.degree, value = got[0], size = std::fabs(value) * (1 + k * k);
    first.add(got[1], k * value, size, n);
    second.add(got[2], k * (k - 1) * value, size, n);
  }
  MBC_FIGURES(first);
  MBC_FIGURES(second);
  CHECK(first.worst() <= 1e-13);
  CHECK(second.worst() <= 1e-12);
  CHECK(first.nonzero() >= random_cases(3000));
  CHECK(second.nonzero() >= random_cases(2000));
}

}  // namespace
}  // namespace mbc::test
