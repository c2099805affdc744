// SPDX-License-Identifier: Apache-2.0
// The joints that carry bodies are a spanning forest of the joints whose rows their coordinates fulfil.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "compiler/sema/model.h"
#include "compiler/sema/tree/placement.h"

namespace mbc::sema {

// A joint with coordinates that may become coordinates of the model.
struct JointCandidate {
  const Placement* joint = nullptr;
  std::uint32_t body = 0;                // that is placed
  std::optional<std::uint32_t> carrier;  // a body, or the ground
  Pose pose;                             // of the body, seen from the carrier; of its point, without R
  // The place of the frame or point of the joint, in the axes of the body and of its carrier.
  std::vector<NodeId> own, on_carrier;
  std::vector<std::uint32_t> rows;  // of the model, which vanish wherever the joint's coordinates are
  std::string why_rows;             // it stays rows for this reason; "": it does not have to
};

// A body with what carries it: a candidate, used as it is written or from the placed body to its carrier.
struct Branch {
  std::uint32_t body = 0;
  std::optional<std::uint32_t> carrier;
  std::size_t candidate = 0;
  bool inverted = false;
};

// One for each placement. Reports placements that disagree with the rows or the measures of their joints.
std::vector<JointCandidate> joint_candidates(Model& model, const std::vector<Placement>& placements, Sink& sink);
// Returns for each of some expressions of the model's own coordinates whether it vanishes in all drawn states.
std::vector<char> vanishing(const Model& model, const std::vector<NodeId>& expressions);
// Carriers come before what they carry. Most rows first; then the branch nearest to its root; then the order of the
// text.
std::vector<Branch> forest(const Model& model, const std::vector<JointCandidate>& candidates);
// Returns whether a right-hand side of the forest costs less than one of free bodies and rows, by its structure alone.
bool pays(const Model& model, const std::vector<JointCandidate>& candidates, const std::vector<Branch>& forest);

}  // namespace mbc::sema
