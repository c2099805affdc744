// SPDX-License-Identifier: Apache-2.0
// Finds the links between the places of a model in its equations. A constraint or potential that contains |b - a|^2 of
// two places is a rod or a spring between them, however it was written (`dist`, `norm`, a component, a function). Nodes
// of the graph are unique, so a distance is found by its parts and verified by building it again.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
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

class LinkFinder {
 public:
  // `places` has the positions of all places, `space` components each. The comparison adds nodes to the graph.
  LinkFinder(sema::Model& model, const std::vector<std::vector<graph::NodeId>>& places);

  [[nodiscard]] std::vector<FoundLink> find();

 private:
  using NodeId = graph::NodeId;
  using Ends = std::pair<FoundEnd, FoundEnd>;

  void constraints();
  void potentials();
  void forces();
  [[nodiscard]] bool is_rope(NodeId row) const;
  void distances_in(NodeId value, SceneLink::Kind kind, const std::string& name);
  void add(SceneLink::Kind kind, const std::string& name, Ends ends);
  [[nodiscard]] std::vector<NodeId> squares_of(NodeId sum) const;
  [[nodiscard]] std::vector<NodeId> divisors_in(const std::vector<NodeId>& nodes) const;
  // Returns the ends whose components have these differences.
  [[nodiscard]] std::optional<Ends> ends_of(const std::vector<NodeId>& all);
  [[nodiscard]] bool is_difference(NodeId d, NodeId a, NodeId b);
  [[nodiscard]] bool same_ends(const std::vector<NodeId>& a, const std::vector<NodeId>& b,
                               const std::vector<NodeId>& all);
  // Returns pairs x, y with d = x - y; y may be zero.
  [[nodiscard]] std::vector<std::pair<NodeId, NodeId>> differences(NodeId d);
  // Returns ends with d as the difference of a component.
  [[nodiscard]] std::optional<Ends> match(NodeId d, const std::vector<NodeId>& all);
  [[nodiscard]] std::optional<std::vector<NodeId>> other_end(const std::vector<NodeId>& known,
                                                             const std::vector<NodeId>& all, bool known_first);
  [[nodiscard]] bool fixed(NodeId node) const;  // without coordinates
  [[nodiscard]] FoundEnd end_of(std::uint32_t place) const { return {places_[place], place}; }

  sema::Model& model_;
  graph::Graph& graph_;
  const std::vector<std::vector<NodeId>>& places_;
  std::unordered_map<std::uint32_t, std::vector<std::pair<std::uint32_t, std::uint32_t>>> component_;  // place, k
  std::vector<FoundLink> links_;
  std::set<std::pair<SceneLink::Kind, std::vector<std::uint32_t>>> seen_;
};

}  // namespace mbc::api
