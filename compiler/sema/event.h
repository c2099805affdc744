// SPDX-License-Identifier: Apache-2.0
// Events of a model and what only they change, as plain data over the graph of the model.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/name.h"
#include "base/span.h"
#include "compiler/graph/graph.h"
#include "compiler/sema/units.h"

namespace mbc::sema {

using Labels = std::shared_ptr<const std::vector<std::string>>;  // of a state that is one of a few

// A number that is constant between events: an input leaf behind those of the inputs (Model::held_at).
struct Held {
  enum class Use : std::uint8_t {
    state,     // `state u = 0 [N]`
    enabled,   // of a constraint or load that is switched: 1 or 0
    impulse,   // of an event, while its body is executed; else 0
    count,     // how often an event has fired
    time,      // when it did so last
    active,    // of a unilateral constraint: 1 while it is held, else 0
    blow,      // of a unilateral constraint: the impulse of its last impact
    sample,    // of an input whose course is held between samples
    branch,    // of a piecewise function inside a step: 0 where it is open
    friction,  // what a run says of a friction: whether it sticks, which way it slides, with what force
    load       // a component of a load that holds multipliers: found in each evaluation
  } use{};
  Name name;
  Dimension dimension;
  graph::NodeId initial;  // an expression of parameters
  Span span;
  SharedText doc;
  Labels labels{};       // of a machine: its value is the number of one of them
  bool changed = false;  // by an event
};

struct EventAction {
  enum class Kind : std::uint8_t { held, coordinate, speed, state, impulse } kind{};
  std::uint32_t index = 0;  // of the held value (an impulse is one), coordinate, speed, state
  std::uint32_t value = 0;  // index into Model::event_values
  Span span;
};

// One step of evaluating a condition: comparisons of what varies continuously by how far they are from their limit, all
// else by its truth. Operands come before their users; the last term is the condition.
struct ConditionTerm {
  enum class Kind : std::uint8_t { comparison, exact, all, any, negation } kind{};
  std::uint32_t value = 0;     // index into Model::event_values: above zero where the comparison holds; the truth
  bool at_limit = false;       // whether the comparison holds there: `<=`
  std::uint32_t a = 0, b = 0;  // operands
  // Of an exact term: values that are zero where its truth may jump.
  std::vector<std::uint32_t> edges;
};

struct Event {
  // touches, leaves: of a unilateral constraint; samples: of an input; slips, rests: of a friction
  enum class Kind : std::uint8_t {
    condition,
    rising,
    falling,
    crossing,
    at,
    every,
    touches,
    leaves,
    samples,
    slips,
    rests
  } kind{};
  Name name;                // as shown: "land", "when in line 7"
  std::uint32_t value = 0;  // index into Model::event_values: what is watched; the time of `at`, the period of `every`
  std::uint32_t from = 0;   // the first time of `every`
  bool of_rates = false;    // what is watched holds accelerations or multipliers
  bool of_angles = false;   // or an angle, which jumps where it goes round
  std::vector<ConditionTerm> terms;  // of a condition
  std::vector<EventAction> actions;
  std::optional<std::string> stop;                     // its text
  std::uint32_t count = 0, time = 0;                   // held values
  std::shared_ptr<const kernel::DataTable> samples{};  // of `samples`: when it is due, and what is then assigned
  Span span;                                           // of what is watched, or of the time
};

// A row that only pushes: `constraint deck: p.z >= 0 restitution 0.8`. Its residual is what is not negative.
struct Unilateral {
  std::uint32_t constraint = 0;           // of one row
  std::uint32_t active = 0, impulse = 0;  // held values
  std::optional<std::uint32_t> enabled;   // the held value by which events switch it
  std::uint32_t touches = 0, leaves = 0;  // events
  graph::NodeId residual, restitution;    // before the row is switched
  std::uint32_t gap = 0, bounce = 0;      // their indices into Model::event_values
  double steepness = 0;                   // of the residual (graph/steepness.h)
};

// What a number that holds multipliers grows by with each of them: indices into Model::event_values, by row.
struct Slope {
  std::uint32_t row = 0, value = 0;
};

// A component of a load that holds multipliers, `force drag on p: -0.3*abs(wire.lambda)*ex`. In the load stands the
// held value; in each evaluation it is made what this says.
struct ImplicitLoad {
  std::string name;
  std::uint32_t held = 0;
  graph::NodeId load;       // what is written
  std::uint32_t value = 0;  // index into Model::event_values: the same
  std::vector<Slope> slopes;
  Span span;
};

// A force against a slip of one or two velocities, of any size up to a limit where the slip is zero and of the size of
// the limit elsewhere: `friction rub on p.vx: 0.3*deck.lambda static 0.4*deck.lambda`.
struct Friction {
  std::uint32_t constraint = 0;              // its rows hold the slip at zero while it sticks
  std::vector<graph::NodeId> slip;           // one or two
  graph::NodeId limit, still;                // of its force, and of what it holds at rest: may hold multipliers
  std::optional<graph::NodeId> restitution;  // of the slip, in an impact
  Dimension force;
  std::uint32_t sticks = 0, rest = 0;    // held values: 1 while it sticks; a slip that counts as none
  std::vector<std::uint32_t> direction;  // held values: of the slip while it slides, 0 else
  std::optional<std::uint32_t> size;     // held value: the limit where that holds multipliers
  std::optional<std::uint32_t> stays;    // held value, where the limits differ: it does not slide, held by others
  std::optional<std::uint32_t> enabled;  // the held value by which events switch it
  std::uint32_t load = 0;                // index into Model::torques: the force while it slides
  std::uint32_t slips = 0, rests = 0;    // events: the limit is reached; the slip is zero
  std::uint32_t speed_value = 0, limit_value = 0, still_value = 0;  // indices into Model::event_values; slip: the first
  std::optional<std::uint32_t> bounce;                              // and of the restitution
  std::vector<Slope> limit_slopes;                                  // where loads hold multipliers
  Span span;
};

// Where a piecewise function in the equations changes its branch, as a number that passes zero there.
struct Kink {
  enum class Kind : std::uint8_t {
    edge,  // abs, min, max: the value is continuous
    jump,  // sign, a comparison
    steps  // floor, tables: one jump or corner after the other
  } kind{};
  std::uint32_t value = 0;   // index into Model::event_values; of `steps` above zero where another step has begun
  std::uint32_t inside = 0;  // of `steps`: what the function is of
  std::uint32_t branch = 0;  // held value: 1 above zero, -1 below; of `steps` the middle of the step
  Span span;
  bool of_speeds = false;
  bool of_time = false;                              // alone
  std::string of;                                    // the energy that it stands in; else ""
  std::shared_ptr<const kernel::DataTable> times{};  // of a table of the time alone: when it changes
};

// A follower whose place has kinks, or a kinetic energy that has some, with its momenta for `speeds`: indices into
// Model::event_values of the entries of its place (and rotation), then of its velocity (and angular velocity).
struct Followed {
  std::string name;
  std::uint32_t value = 0, places = 0, speeds = 0;
};

// Rows that are switched, by the held value that does it.
struct SwitchedRow {
  std::uint32_t row = 0, held = 0;
};

}  // namespace mbc::sema
