// SPDX-License-Identifier: Apache-2.0
// Places and rotations as expressions: where axes are, seen from other axes.
#pragma once
#include <vector>

#include "compiler/sema/names.h"

namespace mbc::sema {

// Axes seen from other axes: r is their origin, and R, row-major, takes components in them to components in the others.
struct Pose {
  std::vector<NodeId> r, R;
};

Pose identity_pose(graph::Graph& g, std::size_t space);
// The pose of what is seen from axes that have the first pose.
Pose product(graph::Graph& g, const Pose& first, const Pose& second);
Pose inverse(graph::Graph& g, const Pose& p);

}  // namespace mbc::sema
