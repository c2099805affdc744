// SPDX-License-Identifier: Apache-2.0
// The motion of a point in axes that turn with it. The contributions of a particle or a mass centre to M and f are
// products of components, which are the same in all axes; in its own axes the components do not hold the angle of the
// turn.
#pragma once
#include <vector>

#include "compiler/ad/motion.h"
#include "compiler/lower/names.h"

namespace mbc::lower {

// `rows` are those of the components of `position` (partial velocities, velocity, acceleration at u' = 0), `weight` is
// gravity. If the position is a vector in turning axes (graph/planar_rotation.h), both are replaced by their components
// in these axes:
//   v = w' + phi' e x w,   v' = w'' + phi'' e x w + 2 phi' e x w' - phi'^2 w (in the plane of the turn).
void use_turning_axes(Graph& g, const std::vector<NodeId>& position, const ad::Motion& motion,
                      std::vector<ad::Row>& rows, std::vector<NodeId>& weight);

}  // namespace mbc::lower
