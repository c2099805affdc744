// SPDX-License-Identifier: Apache-2.0
// Reads URDF, the robot files of ROS (http://wiki.ros.org/urdf/XML).
#pragma once
#include <optional>
#include <string>

#include "tools/import/robot.h"

namespace mbc::tools {

// Returns nothing, with the first problem, for a text that is no URDF. Elements and attributes that have no counterpart
// are remarks.
[[nodiscard]] std::optional<Robot> read_urdf(const std::string& text, Remark& problem);

}  // namespace mbc::tools
