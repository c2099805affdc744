// SPDX-License-Identifier: Apache-2.0
// Forces and reactions as vectors at points: `force` statements as they are written, and A^T lambda of each constraint
// on the particles and bodies with their own coordinates.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compiler/sema/model.h"
#include "mbc/scene.h"

namespace mbc::api {

struct FoundArrow {
  SceneArrow::Kind kind{};
  std::string name;
  std::vector<graph::NodeId> value;     // `space` components, in space axes
  std::vector<graph::NodeId> position;  // of a force: its point; of a reaction: the residuals of the constraint
  std::optional<std::uint32_t> part;    // of a reaction: the part it acts on; particles come first, then bodies
};

inline constexpr std::size_t kMostArrows = 400;  // a picture with more of them is unreadable

// Adds the derivatives of the constraints to the graph.
[[nodiscard]] std::vector<FoundArrow> arrows_of(sema::Model& model);
// Returns whether a residual contains this position: one of its components is a part of the expression.
[[nodiscard]] bool holds_place(const sema::Model& model, const FoundArrow& arrow,
                               const std::vector<graph::NodeId>& place);

}  // namespace mbc::api
