// SPDX-License-Identifier: Apache-2.0
// The moment omega x I omega of a turning body, in its axes.
#pragma once
#include <vector>

#include "compiler/lower/names.h"
#include "compiler/sema/rotations.h"

namespace mbc::lower {

// Component i with (i, j, k) in cyclic order, principal moments collected: (I_kk - I_jj) w_j w_k + products of inertia.
inline NodeId gyroscopic(Graph& g, const std::vector<NodeId>& inertia, const std::vector<NodeId>& omega, std::size_t j,
                         std::size_t k) {
  const auto mixed = [&](std::size_t row) {
    NodeId total = g.zero();
    for (std::size_t c = 0; c < 3; ++c)
      if (c != row) total = g.add(total, g.mul(inertia[sema::kInertiaAt[row][c]], omega[c]));
    return total;
  };
  const NodeId principal = g.mul(g.sub(inertia[k], inertia[j]), g.mul(omega[j], omega[k]));
  return g.add(principal, g.sub(g.mul(omega[j], mixed(k)), g.mul(omega[k], mixed(j))));
}

}  // namespace mbc::lower
