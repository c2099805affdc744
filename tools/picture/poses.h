// SPDX-License-Identifier: Apache-2.0
// The poses of the parts of a recording at its frames, and between them.
#pragma once
#include <cstddef>
#include <vector>

#include "tools/picture/recording.h"
#include "tools/picture/vectors.h"

namespace mbc::tools {

struct PartPose {
  Vector3 at{};
  Turn turn{1, 0, 0, 0};
};

[[nodiscard]] PartPose pose_in(const Recording& recording, std::size_t frame, std::size_t part);
// Interpolates between two frames; a quaternion and its negative are the same rotation.
[[nodiscard]] std::vector<PartPose> poses_at(const Recording& recording, double time);

}  // namespace mbc::tools
