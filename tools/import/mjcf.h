// SPDX-License-Identifier: Apache-2.0
// Reads MJCF, the model files of MuJoCo (https://mujoco.readthedocs.io/en/stable/XMLreference.html).
#pragma once
#include <optional>
#include <string>

#include "tools/import/robot.h"

namespace mbc::tools {

struct MjcfOptions {
  std::string folder;    // of the files that may be included; "" for none
  std::string keyframe;  // where the motion begins; "" for the first one
};

// Returns nothing, with the first problem, for a text that is no MJCF. Elements and attributes that have no counterpart
// are remarks.
[[nodiscard]] std::optional<Robot> read_mjcf(const std::string& text, const MjcfOptions& options, Remark& problem);

}  // namespace mbc::tools
