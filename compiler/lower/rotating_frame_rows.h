// SPDX-License-Identifier: Apache-2.0
// The motion of a point in axes that turn with it: what a particle or a mass centre adds to M and f is made of products
// of components, which are the same in all axes, and in its own ones it does not hold the angle they have turned by.
#pragma once
#include <vector>

#include "compiler/ad/motion.h"
#include "compiler/lower/names.h"

namespace mbc::lower {

// `rows`: of the components of `position` (partial velocities, velocity, acceleration at u' = 0), `weight`: gravity.
// Where the position is a vector in turning axes (graph/planar_rotation.h), both are replaced by their components
// there:
//   v = w' + phi' e x w,   v' = w'' + phi'' e x w + 2 phi' e x w' - phi'^2 w (in the plane of the turn).
void use_turning_axes(Graph& g, const std::vector<NodeId>& position, const ad::Motion& motion,
                      std::vector<ad::Row>& rows, std::vector<NodeId>& weight);

}  // namespace mbc::lower
