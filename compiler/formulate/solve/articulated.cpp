// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/solve/articulated.h"

#include <set>

namespace mbc::formulate {

using lower::Matrix3;
using lower::Tensor3;
using lower::TreeLink;
using lower::Vector3;

namespace {

constexpr std::size_t kAt[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};  // of the entries of a tensor

Vector3 row_of(const Matrix3& m, std::size_t i) { return {m[3 * i], m[3 * i + 1], m[3 * i + 2]}; }
Vector3 row_of(const Tensor3& m, std::size_t i) { return {m[kAt[i][0]], m[kAt[i][1]], m[kAt[i][2]]}; }

}  // namespace

ArticulatedInertia::ArticulatedInertia(Graph& g, const TreeInertia& of) : g_(g), algebra_(g), of_(of) {
  std::vector<Articulated> left;
  for (const TreeLink& l : of_.links) left.push_back(own(l.inertia));
  columns_.resize(of_.links.size());
  for (std::size_t i = of_.links.size(); i-- > 0;) {
    const TreeLink& l = of_.links[i];
    for (const lower::JointColumn& joint : l.columns) columns_[i].push_back(eliminate(l, joint, left[i]));
    if (l.carrier) add(left[*l.carrier], on_carrier(l, left[i]));
  }
}

ArticulatedInertia::Articulated ArticulatedInertia::own(const lower::PointInertia& of) const {
  const NodeId o = g_.zero();
  const auto& [x, y, z] = of.h;
  return {of.I, {o, g_.neg(z), y, z, o, g_.neg(x), g_.neg(y), x, o}, {of.mass, of.mass, of.mass, o, o, o}};
}

NodeId ArticulatedInertia::dot(const Pair& x, const Pair& y) const {
  return g_.add(algebra_.dot(x.turning, y.turning), algebra_.dot(x.sliding, y.sliding));
}

void ArticulatedInertia::add(Pair& to, NodeId factor, const Pair& of) const {
  to.turning = algebra_.sum(to.turning, algebra_.scaled(factor, of.turning));
  to.sliding = algebra_.sum(to.sliding, algebra_.scaled(factor, of.sliding));
}

ArticulatedInertia::Column ArticulatedInertia::eliminate(const TreeLink& link, const lower::JointColumn& joint,
                                                         Articulated& left) const {
  Column c{joint.speed, {joint.turns, algebra_.transposed_times(link.R, joint.slides)}, {}, {}};
  c.U.turning = algebra_.sum(algebra_.times(left.I, c.S.turning), algebra_.times(left.H, c.S.sliding));
  c.U.sliding = algebra_.sum(algebra_.transposed_times(left.H, c.S.turning), algebra_.times(left.K, c.S.sliding));
  NodeId d = dot(c.S, c.U);
  if (const auto more = of_.beside.find(joint.speed); more != of_.beside.end()) d = g_.add(d, more->second);
  c.inverse = g_.div(g_.one(), d);
  const Vector3 moment = algebra_.scaled(c.inverse, c.U.turning), force = algebra_.scaled(c.inverse, c.U.sliding);
  const auto less = [this](NodeId& from, NodeId x, NodeId y) { from = g_.sub(from, g_.mul(x, y)); };
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      less(left.H[3 * i + j], moment[i], c.U.sliding[j]);
      if (j > i) continue;
      less(left.I[kAt[i][j]], moment[i], c.U.turning[j]);
      less(left.K[kAt[i][j]], force[i], c.U.sliding[j]);
    }
  return c;
}

// With the axes turned, a = a_c - r x alpha_c and N_c = N + r x F give
//   H_c = H + [r] K,   I_c = I - H [r] + [r] H_c^T.
// Nothing that turns alone resists the rotation of its carrier at its point.
ArticulatedInertia::Articulated ArticulatedInertia::on_carrier(const TreeLink& link, const Articulated& of) const {
  Articulated out;
  out.I.fill(g_.zero());
  out.H.fill(g_.zero());
  out.K = algebra_.turned(link.R, of.K);
  if (!link.turns_alone) {
    out.I = algebra_.turned(link.R, of.I);
    Vector3 across[3];  // H R^T
    for (std::size_t i = 0; i < 3; ++i) across[i] = algebra_.times(link.R, row_of(of.H, i));
    for (std::size_t j = 0; j < 3; ++j) {
      const Vector3 column = algebra_.times(link.R, Vector3{across[0][j], across[1][j], across[2][j]});
      for (std::size_t i = 0; i < 3; ++i) out.H[3 * i + j] = column[i];
    }
  }
  const Matrix3 H = out.H;
  for (std::size_t j = 0; j < 3; ++j) {
    const Vector3 moment = algebra_.cross(link.r, row_of(out.K, j));
    for (std::size_t i = 0; i < 3; ++i) out.H[3 * i + j] = g_.add(out.H[3 * i + j], moment[i]);
  }
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const NodeId first = algebra_.cross(link.r, row_of(H, i))[j],
                   second = algebra_.cross(link.r, row_of(out.H, j))[i];
      out.I[kAt[i][j]] = g_.add(out.I[kAt[i][j]], g_.add(first, second));
    }
  return out;
}

void ArticulatedInertia::add(Articulated& to, const Articulated& of) const {
  to.I = algebra_.sum(to.I, of.I);
  to.K = algebra_.sum(to.K, of.K);
  for (std::size_t k = 0; k < 9; ++k) to.H[k] = g_.add(to.H[k], of.H[k]);
}

void ArticulatedInertia::take_to_carrier(const TreeLink& link, const Pair& wrench, Pair& to) const {
  const Vector3 force = algebra_.times(link.R, wrench.sliding);
  to.sliding = algebra_.sum(to.sliding, force);
  to.turning = algebra_.sum(to.turning, algebra_.cross(link.r, force));
  if (!link.turns_alone) to.turning = algebra_.sum(to.turning, algebra_.times(link.R, wrench.turning));
}

ArticulatedInertia::Pair ArticulatedInertia::carried(const TreeLink& link, const Pair& carrier) const {
  const Vector3 a = algebra_.sum(carrier.sliding, algebra_.cross(carrier.turning, link.r));
  return {link.turns_alone ? algebra_.zero() : algebra_.transposed_times(link.R, carrier.turning),
          algebra_.transposed_times(link.R, a)};
}

// From the leaves on the forces that the eliminated speeds leave, from the roots on the accelerations.
SparseRow ArticulatedInertia::solve(const SparseRow& x) const {
  const auto value = [&](std::uint32_t speed) {
    const auto it = x.find(speed);
    return it == x.end() ? g_.zero() : it->second;
  };
  const Pair still{algebra_.zero(), algebra_.zero()};
  std::vector<Pair> passed(of_.links.size(), still), moved;
  SparseRow scaled, out;  // scaled: what is left of x, by d
  for (std::size_t i = of_.links.size(); i-- > 0;) {
    for (const Column& c : columns_[i]) {
      const NodeId part = scaled[c.speed] = g_.mul(c.inverse, g_.sub(value(c.speed), dot(c.S, passed[i])));
      add(passed[i], part, c.U);
    }
    if (const TreeLink& l = of_.links[i]; l.carrier) take_to_carrier(l, passed[i], passed[*l.carrier]);
  }
  for (std::size_t i = 0; i < of_.links.size(); ++i) {
    const TreeLink& l = of_.links[i];
    Pair a = l.carrier ? carried(l, moved[*l.carrier]) : still;
    for (std::size_t k = columns_[i].size(); k-- > 0;) {
      const Column& c = columns_[i][k];
      const NodeId rate = out[c.speed] = g_.sub(scaled.at(c.speed), g_.mul(c.inverse, dot(c.U, a)));
      add(a, rate, c.S);
    }
    moved.push_back(a);
  }
  for (const auto& [speed, mass] : of_.beside)
    if (!out.contains(speed)) out[speed] = g_.div(value(speed), mass);
  std::erase_if(out, [this](const auto& entry) { return g_.is_zero(entry.second); });
  return out;
}

std::optional<TreeInertia> tree_inertia(const Graph& g, std::uint32_t n, std::vector<TreeLink> links,
                                        const SymmetricEntries& mass) {
  TreeInertia out{std::move(links), {}};
  std::set<std::uint32_t> speeds;
  for (const TreeLink& l : out.links)
    for (const lower::JointColumn& c : l.columns)
      if (!speeds.insert(c.speed).second) return {};
  if (speeds.empty()) return {};
  for (const auto& [ij, value] : mass) {
    if (g.is_zero(value)) continue;
    if (ij.first != ij.second) return {};
    out.beside[ij.first] = value;
    speeds.insert(ij.first);
  }
  return speeds.size() == n ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace mbc::formulate
