// SPDX-License-Identifier: Apache-2.0
// A statement `coordinates angle = angle_about(axis, a, b): b = a.at((0, 0, 0), rot(axis, angle))`, as expressions, or
// `coordinates: b.pos = a.pos`, which places a point and lets its body turn by itself.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/span.h"
#include "compiler/sema/tree/pose.h"

namespace mbc::sema {

// The names stand for coordinates of Model::placed.
struct Placement {
  std::string joint;                       // the path of the instance, "j1."; "" in the file itself
  Span span;                               // of the place
  std::vector<std::uint32_t> coordinates;  // leaves
  std::vector<NodeId> measures;            // of the names, by any two frames
  std::vector<NodeId> names;               // the same with whole turns
  std::optional<std::uint32_t> body;       // that the frame is fixed in
  bool ground = false;                     // the frame is fixed in the ground
  Pose frame, place;                       // of the frame as it stands; where it is by the names; of a point, no R

  [[nodiscard]] bool point() const { return frame.R.empty(); }
};

}  // namespace mbc::sema
