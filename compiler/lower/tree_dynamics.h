// SPDX-License-Identifier: Apache-2.0
// Dynamics of a tree of bodies in the axes of each body, by recursion (R. Featherstone, Rigid Body Dynamics Algorithms,
// 2008, chapters 5 and 6; accelerations of points instead of spatial ones). A link is placed by its point P, fixed in
// its body. Seen from the carrier, with R from axes of the link to those of the carrier, r the place of P, Omega the
// angular velocity of R in axes of the link:
//
//   omega = R^T omega_c + Omega,   v = R^T (v_c + omega_c x r + r')
//   alpha = R^T alpha_c + S_w u' + gamma_w,   gamma_w = Omega' - Omega x R^T omega_c at u' = 0
//   a     = R^T (a_c + alpha_c x r + S_r u' + gamma_r),   gamma_r = r'' + 2 omega_c x r' + omega_c x (omega_c x r)
//
// A link that turns alone has omega = Omega, alpha = S_w u' + gamma_w. The ground has a = -g.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "compiler/lower/vector3.h"

namespace mbc::lower {

// Mass, first and second moments about a point: m, h = m c, and the tensor (xx, yy, zz, xy, xz, yz).
struct PointInertia {
  NodeId mass;
  Vector3 h;
  Tensor3 I;
};

// The motion of a joint per unit of one speed.
struct JointColumn {
  std::uint32_t speed = 0;
  Vector3 turns, slides;  // S_w in axes of the link, S_r in those of the carrier
};

struct TreeLink {
  std::optional<std::uint32_t> carrier;  // a link before this one
  bool turns_alone = false;
  Matrix3 R;
  Vector3 r, r_rate, omega;    // r' on the motion; Omega
  Vector3 r_bias, omega_bias;  // r'' and Omega' at u' = 0
  std::vector<JointColumn> columns;
  PointInertia inertia;  // of its own body, about P
};

// Calls visit(NodeId&) for every expression of a link.
template <class Visit>
void each_node(TreeLink& l, Visit&& visit) {
  const auto all = [&](auto&... lists) { (..., std::ranges::for_each(lists, visit)); };
  all(l.R, l.r, l.r_rate, l.omega, l.r_bias, l.omega_bias, l.inertia.h, l.inertia.I);
  visit(l.inertia.mass);
  for (JointColumn& c : l.columns) all(c.turns, c.slides);
}

struct TreeSums {
  std::map<std::pair<std::uint32_t, std::uint32_t>, NodeId> mass;  // speeds i >= j
  std::map<std::uint32_t, NodeId> force;                           // of gravity and of inertia at u' = 0
  NodeId kinetic, potential;
};

// `gravity`: in the axes of the ground.
TreeSums tree_dynamics(Graph& g, const std::vector<TreeLink>& links, const Vector3& gravity);

}  // namespace mbc::lower
