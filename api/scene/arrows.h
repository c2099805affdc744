// SPDX-License-Identifier: Apache-2.0
// Forces and reactions as vectors at places: `force` statements as they are written, and A^T lambda of each constraint
// on the particles and bodies that have coordinates of their own.
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
  std::vector<graph::NodeId> position;  // of a force: where it acts; of a reaction: the residuals of the constraint
  std::optional<std::uint32_t> part;    // of a reaction what it acts on: particles, then bodies
};

inline constexpr std::size_t kMostArrows = 400;  // more of them are no picture

// The graph grows by the derivatives of the constraints.
[[nodiscard]] std::vector<FoundArrow> arrows_of(sema::Model& model);
// Whether a residual is made of this place: one of its components is a part of the expression.
[[nodiscard]] bool holds_place(const sema::Model& model, const FoundArrow& arrow,
                               const std::vector<graph::NodeId>& place);

}  // namespace mbc::api
