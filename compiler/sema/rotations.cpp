// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/rotations.h"

#include <array>

#include "compiler/graph/planar_rotation.h"

namespace mbc::sema {

// The unit quaternion of a rotation matrix (Shepperd 1978). Of the four expressions it takes one with a large divisor,
// so that no digits are lost near a half turn.
std::vector<NodeId> quaternion_of(graph::Graph& g, const std::vector<NodeId>& R) {
  const auto r = [&](int i, int j) { return R[static_cast<std::size_t>(3 * i + j)]; };
  const NodeId one = g.one();
  const NodeId squares[4] = {
      g.add(one, g.add(r(0, 0), g.add(r(1, 1), r(2, 2)))), g.add(one, g.sub(r(0, 0), g.add(r(1, 1), r(2, 2)))),
      g.add(one, g.sub(r(1, 1), g.add(r(0, 0), r(2, 2)))), g.add(one, g.sub(r(2, 2), g.add(r(0, 0), r(1, 1))))};
  const NodeId off[3] = {g.sub(r(2, 1), r(1, 2)), g.sub(r(0, 2), r(2, 0)), g.sub(r(1, 0), r(0, 1))};
  const NodeId sums[3] = {g.add(r(0, 1), r(1, 0)), g.add(r(0, 2), r(2, 0)), g.add(r(1, 2), r(2, 1))};
  std::vector<std::vector<NodeId>> candidates(4);
  for (std::size_t k = 0; k < 4; ++k) {
    const NodeId root = g.sqrt(squares[k]);  // 2 |p_k|
    const NodeId half = g.mul(g.constant(0.5), root), scale = g.div(g.constant(0.5), root);
    const auto s = [&](NodeId x) { return g.mul(scale, x); };
    if (k == 0) candidates[k] = {half, s(off[0]), s(off[1]), s(off[2])};
    if (k == 1) candidates[k] = {s(off[0]), half, s(sums[0]), s(sums[1])};
    if (k == 2) candidates[k] = {s(off[1]), s(sums[0]), half, s(sums[2])};
    if (k == 3) candidates[k] = {s(off[2]), s(sums[1]), s(sums[2]), half};
  }
  // any with p_k^2 >= 1/4 will do, and there is always one
  std::vector<NodeId> p = candidates[3];
  for (std::size_t k = 3; k-- > 0;) {
    const NodeId large = g.binary(Op::lt, g.constant(0.99), squares[k]);
    for (std::size_t c = 0; c < 4; ++c) p[c] = g.select(large, candidates[k][c], p[c]);
  }
  return p;
}

// Rotation matrix of Euler parameters of any length, R(p/|p|) = E - 2/|p|^2 (..): one division for the nine entries.
std::vector<NodeId> rotation_of(graph::Graph& g, const std::vector<NodeId>& p) {
  const NodeId one = g.one(), scale = g.div(g.constant(2), g.dot(p, p));
  const auto product = [&](std::size_t i, std::size_t j) { return g.mul(g.mul(scale, p[i]), p[j]); };
  const auto diagonal = [&](std::size_t j, std::size_t k) { return g.sub(one, g.add(product(j, j), product(k, k))); };
  const NodeId xy = product(1, 2), xz = product(3, 1), yz = product(2, 3);
  const NodeId wx = product(1, 0), wy = product(2, 0), wz = product(3, 0);
  return {diagonal(2, 3), g.sub(xy, wz), g.add(xz, wy), g.add(xy, wz), diagonal(1, 3),
          g.sub(yz, wx),  g.sub(xz, wy), g.add(yz, wx), diagonal(1, 2)};
}

// 2 (p0 p' - p0' p - p x p') with the vector part p. The terms are paired so that its derivative at p'' = 0 cancels.
std::vector<NodeId> angular_velocity(graph::Graph& g, const std::vector<NodeId>& p, const std::vector<NodeId>& rate) {
  const auto difference = [&](std::size_t i, std::size_t j) {  // p_i p_j' - p_j p_i'
    return g.sub(g.mul(p[i], rate[j]), g.mul(p[j], rate[i]));
  };
  const NodeId two = g.constant(2);
  return {g.mul(two, g.add(difference(0, 1), difference(3, 2))), g.mul(two, g.add(difference(0, 2), difference(1, 3))),
          g.mul(two, g.add(difference(0, 3), difference(2, 1)))};
}

std::vector<NodeId> angular_velocity_of(graph::Graph& g, std::vector<NodeId> R,
                                        const std::function<std::vector<NodeId>(const std::vector<NodeId>&)>& rates_of,
                                        std::size_t space) {
  const std::size_t n = space;
  std::vector<NodeId> omega(n == 3 ? 3 : 1, g.zero());
  while (const std::optional<graph::PlanarRotation> turn = graph::outer_rotation(g, R, n)) {
    const NodeId rate = rates_of({turn->angle})[0], turning = turn->j == (turn->i + 1) % 3 ? rate : g.neg(rate);
    R = turn->inside;
    if (n == 2) omega[0] = g.add(omega[0], turning);
    for (std::size_t k = 0; n == 3 && k < 3; ++k)
      omega[k] = g.add(omega[k], g.mul(R[3 * (3 - turn->i - turn->j) + k], turning));
  }
  const std::vector<NodeId> rate = rates_of(R);
  const auto entry = [&](std::size_t i, std::size_t j) {
    NodeId total = g.zero();
    for (std::size_t k = 0; k < n; ++k) total = g.add(total, g.mul(R[k * n + i], rate[k * n + j]));
    return total;
  };
  if (n == 2) return {g.add(omega[0], entry(1, 0))};
  const NodeId rest[] = {entry(2, 1), entry(0, 2), entry(1, 0)};
  for (std::size_t k = 0; k < 3; ++k) omega[k] = g.add(omega[k], rest[k]);
  return omega;
}

std::vector<NodeId> quaternion_rate(graph::Graph& g, const std::vector<NodeId>& p, const std::vector<NodeId>& omega) {
  std::vector<NodeId> half;
  for (NodeId w : omega) half.push_back(g.mul(g.constant(0.5), w));
  const auto term = [&](std::size_t i, std::size_t k) { return g.mul(p[i], half[k]); };
  return {g.neg(g.add(term(1, 0), g.add(term(2, 1), term(3, 2)))), g.add(term(0, 0), g.sub(term(2, 2), term(3, 1))),
          g.add(term(0, 1), g.sub(term(3, 0), term(1, 2))), g.add(term(0, 2), g.sub(term(1, 1), term(2, 0)))};
}

std::vector<NodeId> rotation_of_unit(graph::Graph& g, const std::vector<NodeId>& p) {
  const NodeId one = g.one(), two = g.constant(2);
  const auto twice = [&](std::size_t i, std::size_t j) { return g.mul(two, g.mul(p[i], p[j])); };
  const auto diagonal = [&](std::size_t j, std::size_t k) { return g.sub(one, g.add(twice(j, j), twice(k, k))); };
  return {
      diagonal(2, 3), g.sub(twice(1, 2), twice(0, 3)), g.add(twice(1, 3), twice(0, 2)), g.add(twice(1, 2), twice(0, 3)),
      diagonal(1, 3), g.sub(twice(2, 3), twice(0, 1)), g.sub(twice(1, 3), twice(0, 2)), g.add(twice(2, 3), twice(0, 1)),
      diagonal(1, 2)};
}

std::vector<NodeId> times_inertia(graph::Graph& g, const std::vector<NodeId>& inertia, const std::vector<NodeId>& v) {
  if (v.size() == 1) return {g.mul(inertia[0], v[0])};
  std::vector<NodeId> h;
  for (const auto& row : kInertiaAt)
    h.push_back(g.dot(std::array{inertia[row[0]], inertia[row[1]], inertia[row[2]]}, v));
  return h;
}

std::vector<NodeId> matrix_product(graph::Graph& g, std::span<const NodeId> a, std::span<const NodeId> b,
                                   std::size_t n) {
  const std::size_t columns = b.size() / n;
  std::vector<NodeId> out;
  for (std::size_t i = 0; i < a.size(); i += n)
    for (std::size_t j = 0; j < columns; ++j) {
      NodeId total = g.zero();
      for (std::size_t k = 0; k < n; ++k) total = g.add(total, g.mul(a[i + k], b[k * columns + j]));
      out.push_back(total);
    }
  return out;
}

std::vector<NodeId> cross(graph::Graph& g, const std::vector<NodeId>& a, const std::vector<NodeId>& b) {
  std::vector<NodeId> out;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    out.push_back(g.sub(g.mul(a[j], b[k]), g.mul(a[k], b[j])));
  }
  return out;
}

}  // namespace mbc::sema
