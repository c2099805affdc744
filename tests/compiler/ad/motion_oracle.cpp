// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/ad/motion_oracle.h"

namespace mbc::test {

namespace {

std::vector<Real> rates(const std::vector<Tree>& trees, const Point& point, SplitMix64* noise) {
  const Leaves<Real> leaves = lift<Real>(point);
  std::vector<Real> result;
  for (const Tree& tree : trees) result.push_back(evaluate(tree, leaves, noise));
  return result;
}

void seed(std::vector<Dual1>& leaves, const std::vector<Real>& derivative) {
  for (std::size_t i = 0; i < leaves.size(); ++i) leaves[i].du = i < derivative.size() ? derivative[i] : 0;
}

// Returns the flow of t, q and s with u' = accel.
Leaves<Dual1> flow(const Point& point, const std::vector<Real>& q1, const std::vector<Real>& s1,
                   const std::vector<Real>& accel) {
  Leaves<Dual1> leaves = lift<Dual1>(point);
  leaves.t.du = 1;
  seed(leaves.q, q1);
  seed(leaves.s, s1);
  seed(leaves.u, accel);
  return leaves;
}

std::vector<Real> slopes(const std::vector<Tree>& trees, const Leaves<Dual1>& leaves, SplitMix64* noise) {
  std::vector<Real> result;
  for (const Tree& tree : trees) result.push_back(evaluate(tree, leaves, noise).du);
  return result;
}

std::vector<Real> accelerations(const Point& point) { return {point.a.begin(), point.a.end()}; }

// Computes the first and second derivative of e along the flow, with the leaves q + q' x + q'' x^2/2 as nested duals.
Dual2 along_flow(const Tree& e, const Kinematics& k, const Point& point, const std::vector<Real>& accel,
                 SplitMix64* noise) {
  const std::vector<Real> q1 = rates(k.rate, point, noise), s1 = rates(k.state_rate, point, noise);
  const Leaves<Dual1> moving = flow(point, q1, s1, accel);
  const std::vector<Real> q2 = slopes(k.rate, moving, noise), s2 = slopes(k.state_rate, moving, noise);
  Leaves<Dual2> leaves = lift<Dual2>(point);
  leaves.t = {Dual1(leaves.t.re.re, 1), Dual1(1, 0)};
  for (std::size_t i = 0; i < q1.size(); ++i) leaves.q[i] = {Dual1(leaves.q[i].re.re, q1[i]), Dual1(q1[i], q2[i])};
  for (std::size_t i = 0; i < s1.size(); ++i) leaves.s[i] = {Dual1(leaves.s[i].re.re, s1[i]), Dual1(s1[i], s2[i])};
  return evaluate(e, leaves, noise);
}

// Returns d(q')/du_j or d(s')/du_j of every rate.
std::vector<Real> column(const std::vector<Tree>& trees, const Point& point, std::size_t j, SplitMix64* noise) {
  Leaves<Dual1> leaves = lift<Dual1>(point);
  leaves.u[j].du = 1;
  return slopes(trees, leaves, noise);
}

std::uint32_t product_sum(Tree& tree, const std::vector<std::uint32_t>& left, const std::vector<std::uint32_t>& right) {
  std::uint32_t total = tree.op(Op::mul, left[0], right[0]);
  for (std::size_t i = 1; i < left.size(); ++i) total = tree.op(Op::add, total, tree.op(Op::mul, left[i], right[i]));
  return total;
}

// Returns factor * (sum of signs[i] q_(index[i]) u_i).
Tree quaternion_rate(const std::uint32_t (&index)[3], const double (&signs)[3]) {
  Tree tree;
  std::vector<std::uint32_t> q, u;
  for (std::uint32_t i = 0; i < 3; ++i) {
    q.push_back(tree.op(Op::mul, tree.number(0.5 * signs[i]), tree.leaf(LeafKind::coordinate, index[i])));
    u.push_back(tree.leaf(LeafKind::speed, i));
  }
  product_sum(tree, q, u);
  return tree;
}

// Returns row `row` of the rotation matrix of the unit quaternion q0..q3 times (u3, u4, u5).
Tree body_velocity(std::uint32_t row) {
  Tree tree;
  const auto q = [&](std::uint32_t i) { return tree.leaf(LeafKind::coordinate, i); };
  const auto twice = [&](std::uint32_t a, std::uint32_t b) {
    return tree.op(Op::mul, tree.number(2), tree.op(Op::mul, q(a), q(b)));
  };
  // The entries are R_ii, R_ij and R_ik with 1-based vector parts.
  const std::uint32_t i = row, j = (row + 1) % 3, k = (row + 2) % 3;
  const std::uint32_t unit = tree.number(1);
  std::vector<std::uint32_t> r(3), u(3);
  r[i] = tree.op(Op::sub, tree.op(Op::sub, unit, twice(j + 1, j + 1)), twice(k + 1, k + 1));
  r[j] = tree.op(Op::sub, twice(i + 1, j + 1), twice(0, k + 1));
  r[k] = tree.op(Op::add, twice(i + 1, k + 1), twice(0, j + 1));
  for (std::uint32_t c = 0; c < 3; ++c) u[c] = tree.leaf(LeafKind::speed, 3 + c);
  product_sum(tree, r, u);
  return tree;
}

// Returns X plus the sum of W_j u_j, each an expression of t and q. About a third of the terms are absent.
Tree random_rate(Rng& rng, Generator& generator, std::uint32_t speeds) {
  Tree tree = generator.make(1 + rng.below(3u));
  std::uint32_t total = tree.root();
  for (std::uint32_t j = 0; j < speeds; ++j) {
    if (rng.chance(0.35)) continue;
    const std::uint32_t w = tree.append(generator.make(1 + rng.below(3u)));
    total = tree.op(Op::add, total, tree.op(Op::mul, w, tree.leaf(LeafKind::speed, j)));
  }
  return tree;
}

}  // namespace

Kinematics cartesian(std::uint32_t n) {
  Kinematics k{{n, n, 0, 2}, {}, {}};
  for (std::uint32_t i = 0; i < n; ++i) {
    Tree tree;
    tree.leaf(LeafKind::speed, i);
    k.rate.push_back(tree);
  }
  return k;
}

Kinematics rigid_body() {
  Kinematics k{{7, 6, 0, 2}, {}, {}};
  k.rate.push_back(quaternion_rate({1, 2, 3}, {-1, -1, -1}));
  k.rate.push_back(quaternion_rate({0, 3, 2}, {1, -1, 1}));
  k.rate.push_back(quaternion_rate({3, 0, 1}, {1, 1, -1}));
  k.rate.push_back(quaternion_rate({2, 1, 0}, {-1, 1, 1}));
  for (std::uint32_t row = 0; row < 3; ++row) k.rate.push_back(body_velocity(row));
  return k;
}

Kinematics random_kinematics(Rng& rng, const Point& point, const LeafCounts& counts) {
  Kinematics k{counts, {}, {}};
  Generator of_position(rng, point, {counts.q, 0, 0, counts.param});
  Generator of_all(rng, point, counts);
  for (std::uint32_t i = 0; i < counts.q; ++i) k.rate.push_back(random_rate(rng, of_position, counts.u));
  for (std::uint32_t i = 0; i < counts.s; ++i) k.state_rate.push_back(of_all.make(3));
  return k;
}

ad::Motion build_motion(graph::Graph& g, const Kinematics& k) {
  ad::Motion motion;
  motion.rate = [&g, &k](std::uint32_t i) { return build(g, k.rate.at(i)); };
  if (!k.state_rate.empty()) motion.state_rate = [&g, &k](std::uint32_t i) { return build(g, k.state_rate.at(i)); };
  return motion;
}

RowNumbers position_by_duals(const Tree& e, const Kinematics& k, const Point& point, SplitMix64* noise) {
  const Dual2 d = along_flow(e, k, point, {}, noise);
  RowNumbers row{d.re.du, d.du.du, {}};
  for (std::size_t j = 0; j < point.u.size(); ++j) {
    const std::vector<Real> q1 = column(k.rate, point, j, noise), s1 = column(k.state_rate, point, j, noise);
    Leaves<Dual1> leaves = flow(point, q1, s1, {});
    leaves.t.du = 0;
    row.jacobian.push_back(evaluate(e, leaves, noise).du);
  }
  return row;
}

RowNumbers velocity_by_duals(const Tree& e, const Kinematics& k, const Point& point, SplitMix64* noise) {
  const Leaves<Dual1> moving = flow(point, rates(k.rate, point, noise), rates(k.state_rate, point, noise), {});
  const Real slope = evaluate(e, moving, noise).du;
  RowNumbers row{slope, slope, {}};
  for (std::size_t j = 0; j < point.u.size(); ++j) {
    Leaves<Dual1> leaves = lift<Dual1>(point);
    leaves.u[j].du = 1;
    row.jacobian.push_back(evaluate(e, leaves, noise).du);
  }
  return row;
}

std::vector<Real> velocity_jacobian(const Tree& e, const Point& point) {
  constexpr Real h = 1e-30L;
  std::vector<Real> jacobian;
  for (std::size_t j = 0; j < point.u.size(); ++j) {
    Leaves<Complex> leaves = lift<Complex>(point);
    leaves.u[j] += Complex(0, h);
    jacobian.push_back(evaluate(e, leaves).imag() / h);
  }
  return jacobian;
}

std::vector<Real> position_jacobian(const Tree& e, const Kinematics& k, const Point& point) {
  constexpr Real h = 1e-30L;
  std::vector<Real> jacobian;
  for (std::size_t j = 0; j < point.u.size(); ++j) {
    Leaves<Complex> speeds = lift<Complex>(point), leaves = lift<Complex>(point);
    speeds.u[j] += Complex(0, h);
    for (std::size_t i = 0; i < k.rate.size(); ++i) leaves.q[i] += Complex(0, evaluate(k.rate[i], speeds).imag());
    for (std::size_t i = 0; i < k.state_rate.size(); ++i)
      leaves.s[i] += Complex(0, evaluate(k.state_rate[i], speeds).imag());
    jacobian.push_back(evaluate(e, leaves).imag() / h);
  }
  return jacobian;
}

Real second_rate(const Tree& e, const Kinematics& k, const Point& point, SplitMix64* noise) {
  return along_flow(e, k, point, accelerations(point), noise).du.du;
}

Real first_rate(const Tree& e, const Kinematics& k, const Point& point, SplitMix64* noise) {
  const std::vector<Real> q1 = rates(k.rate, point, noise), s1 = rates(k.state_rate, point, noise);
  return evaluate(e, flow(point, q1, s1, accelerations(point)), noise).du;
}

}  // namespace mbc::test
