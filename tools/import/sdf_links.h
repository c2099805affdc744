// SPDX-License-Identifier: Apache-2.0
// Mass, inertia and shapes of a link of an SDF file.
#pragma once
#include "tools/import/sdf_frames.h"

namespace mbc::tools {

// `frame` is the link's, `name` what it is called in the robot.
Link read_link(SdfFile& file, SdfFrames& frames, std::size_t frame, const std::string& name);

}  // namespace mbc::tools
