// SPDX-License-Identifier: Apache-2.0
// The order in which links of an SDF file are drawn: each on the ground or on another link.
#pragma once
#include <functional>

#include "tools/import/robot.h"

namespace mbc::tools {

// Sorts the links so that each is drawn on one before it, and gives the joints their roles. A link that no joint from
// the world carries is drawn on its child or in the world, where it moves freely. `between` tells the pose of the
// second link in the first one.
void draw_links(Robot& robot, const std::function<Pose(const std::string&, const std::string&)>& between);

}  // namespace mbc::tools
