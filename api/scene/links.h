// SPDX-License-Identifier: Apache-2.0
// Finds the links between the places of a model in its equations. A constraint or potential that contains |b - a|^2 of
// two places is a rod or a spring between them, however it was written (`dist`, `norm`, a component, a function). Nodes
// of the graph are unique, so a distance is found by its parts and verified by building it again.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/sema/model.h"
#include "mbc/scene.h"

namespace mbc::api {

// One of the model's places, or three expressions that are not a place of the model.
struct FoundEnd {
  std::vector<graph::NodeId> position;
  std::optional<std::uint32_t> place;
};

struct FoundLink {
  SceneLink::Kind kind{};
  std::string name;
  FoundEnd a, b;
};

// Returns the links. `places` has the positions of all places, `space` components each. The comparison adds nodes to
// the graph.
[[nodiscard]] std::vector<FoundLink> find_links(sema::Model& model,
                                                const std::vector<std::vector<graph::NodeId>>& places);

}  // namespace mbc::api
