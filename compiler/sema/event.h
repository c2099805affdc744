// SPDX-License-Identifier: Apache-2.0
// Discrete variables, contacts and frictions as the compiler knows them: the data for a run (kernel/problem) and the
// expressions they come from. Values are indices into Model::event_values.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "base/name.h"
#include "base/span.h"
#include "compiler/sema/names.h"
#include "compiler/sema/units.h"
#include "kernel/problem/events.h"

namespace mbc::sema {

using problem::ConditionTerm;
using problem::Discontinuity;
using problem::Event;
using problem::EventAction;
using problem::Labels;

// A number that is constant between events. Its leaf is an input behind the model's inputs (Model::held_at).
struct Held {
  problem::DiscreteVariable variable;
  Dimension dimension;
  NodeId initial;  // an expression of parameters
  SharedText doc;
  bool changed = false;   // by an event
  bool at_begin = false;  // that of an `initial(e)`
};

struct Unilateral {
  std::uint32_t constraint = 0;  // of one row
  NodeId residual, restitution;  // before the row is switched
  problem::Unilateral contact;
};

struct ReactionDependentForce {
  NodeId load;  // as written
  problem::ReactionDependentForce force;
};

struct Friction {
  std::uint32_t constraint = 0;       // its rows hold the slip at zero while it sticks
  std::vector<NodeId> slip;           // one or two
  NodeId limit, still;                // of its force while it slides, and at rest: may hold multipliers
  std::optional<NodeId> restitution;  // of the slip, in an impact
  Dimension force;
  std::uint32_t load = 0;  // index into Model::torques: the force while it slides
  Span span;
  problem::Friction contact;
};

}  // namespace mbc::sema
