// SPDX-License-Identifier: Apache-2.0
// The one differentiation operator of mechanics (docs/numerics.md, section 2). Along the motion q' = W(q,t) u + X(q,t):
//
//   position level     e(t,q):      e' = J u + c,   e'' = J u' + g,   J = e_q W
//   velocity level     e(t,q,u):    e' = J u' + g,                    J = e_u
//   acceleration level e(t,q,u,u'): e  = J u' + g,                    J = e_u' (must not depend on u')
//
// so that every constraint is the row J u' = -g. g of the position level comes from a second-order Taylor pass along
// the flow that carries q'' = d/dt(W u + X) at u' = 0 (zero for Cartesian coordinates, not zero for quaternions), g of
// the velocity level from one first-order pass along (t, q' , u' = 0). No Hessian is ever formed.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "compiler/ad/forward.h"
#include "compiler/ad/names.h"
#include "kernel/problem/level.h"

namespace mbc::ad {

using problem::Level;

// Axes whose matrix (rows in space, columns in the axes) turns with speeds of its own, R' = R skew(omega) in every
// state. Its entries are atoms of differentiation, so that passes do not enter the quaternions and norms below them.
struct Turning {
  std::array<NodeId, 9> rotation;  // row-major
  std::array<NodeId, 3> omega;     // speed leaves
};

// The motion of the leaves. rate(i) is q_i' as an expression of t, q, u; it must be valid for every coordinate.
struct Motion {
  std::function<NodeId(std::uint32_t coordinate)> rate;
  std::function<NodeId(std::uint32_t state)> state_rate;  // s_k'; may be empty when there are no states
  std::span<const Turning> turning = {};
};

struct Row {
  std::vector<std::pair<std::uint32_t, NodeId>>
      jacobian;  // (speed, dE/du_speed), ascending speed, structural zeros left out
  NodeId bias;   // g
  NodeId rate;   // e' on the motion: position level J u + c, else invalid
};

// The level of an expression by the leaves it holds (after simplification).
Level level_of(const Graph& g, NodeId e);

// Returns the total time derivative of e; u' appears as accel leaves. `e` must not hold accel leaves.
NodeId time_derivative(Graph& g, NodeId e, const Motion& motion);

Row differentiate(Graph& g, NodeId e, Level level, const Motion& motion);

// Returns e_q W of e(t,q,u,s): the derivative of e along each speed while everything else is constant, including the
// speeds in e. Ascending speed, structural zeros left out.
std::vector<std::pair<std::uint32_t, NodeId>> coordinate_slopes(Graph& g, NodeId e, const Motion& motion);

}  // namespace mbc::ad
