// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/tree/pose.h"

#include "compiler/sema/rotations.h"

namespace mbc::sema {

Pose identity_pose(graph::Graph& g, std::size_t space) {
  Pose p{std::vector<NodeId>(space, g.zero()), std::vector<NodeId>(space * space, g.zero())};
  for (std::size_t k = 0; k < space; ++k) p.R[k * space + k] = g.one();
  return p;
}

Pose product(graph::Graph& g, const Pose& first, const Pose& second) {
  const std::size_t n = first.r.size();
  Pose out{matrix_product(g, first.R, second.r, n), matrix_product(g, first.R, second.R, n)};
  for (std::size_t k = 0; k < n; ++k) out.r[k] = g.add(first.r[k], out.r[k]);
  return out;
}

Pose inverse(graph::Graph& g, const Pose& p) {
  const std::size_t n = p.r.size();
  Pose out = p;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) out.R[i * n + j] = p.R[j * n + i];
  out.r = matrix_product(g, out.R, p.r, n);
  for (NodeId& x : out.r) x = g.neg(x);
  return out;
}

}  // namespace mbc::sema
