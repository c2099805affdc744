// SPDX-License-Identifier: Apache-2.0
// Unilateral constraints, frictions and forces that depend on reactions, by numbers of rows, events, discrete variables
// and values behind the outputs of the kernel.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/span.h"

namespace mbc::problem {

struct SwitchedRow {  // switched by a discrete variable that is 1 or 0
  std::uint32_t row = 0, held = 0;
};

// A unilateral constraint: `constraint deck: p.z >= 0 restitution 0.8`. Its residual, the gap, is not negative. It is
// kept as an equation while the discrete variable `active` is 1.
struct Unilateral {
  std::uint32_t row = 0;
  std::uint32_t active = 0, impulse = 0;   // discrete variables: 1 while it is active; the impulse of its last impact
  std::optional<std::uint32_t> enabled;    // the discrete variable by which events switch it
  std::uint32_t gap = 0, restitution = 0;  // values; the gap is the residual, whatever the switches
  std::uint32_t touches = 0, leaves = 0;   // events
  // Lipschitz bound of the gap: its largest change while no coordinate, nor the time, changes by more than 1; may be
  // infinite.
  double lipschitz = 0;
};

// The derivative of a number by one of the multipliers in it.
struct Slope {
  std::uint32_t row = 0, value = 0;
};

// A component of a load whose expression contains multipliers, `force drag on p: -0.3*abs(wire.lambda)*ex`. In the
// equations a discrete variable stands for it; each evaluation makes the variable equal to the value.
struct ReactionDependentForce {
  std::string name;  // of the load
  Span span;
  std::uint32_t held = 0, value = 0;  // discrete variable: the force that acts; value: the force as it is written
  std::vector<Slope> slopes;
};

// The advice in the error for a negative limit.
inline constexpr const char* kLimitHelp =
    "let it end at zero, by `max(.., 0)`; of a multiplier that may have both signs take `abs`";

// A force against a slip of one or two velocities, `friction rub on p.vx: 0.3*deck.lambda static 0.4*deck.lambda`. Its
// size is at most the limit where the slip is zero, and equals the limit elsewhere. The friction sticks, with its rows
// switched on as equations, or slides in a direction. A disabled one has no force.
struct Friction {
  std::string name;
  std::uint32_t row = 0, count = 1;  // its rows
  // Discrete variables. `sticks`: 1 while it sticks. `rest`: a slip that counts as zero. `direction`: the direction of
  // the slip, a number for each row, 0 if it does not slide. `size`: the limit if that depends on multipliers. `stays`,
  // if the limits differ: 1 while other forces hold the slip at zero; `limit` is then the static one. `enabled`: the
  // switch of events.
  std::uint32_t sticks = 0, rest = 0;
  std::vector<std::uint32_t> direction;
  std::optional<std::uint32_t> size, stays, enabled;
  std::uint32_t slip = 0, limit = 0, still = 0;  // values: the slip, one for each row; the limit, and the static one
  std::uint32_t slips = 0, rests = 0;            // events: the limit is reached; the slip is zero
  std::optional<std::uint32_t> restitution;      // value: of the slip, in an impact
  std::vector<std::uint32_t> limit_rows;         // whose multipliers the limits hold
  std::vector<Slope> limit_slopes;               // if loads contain multipliers
  bool varies = false;                           // a limit may become negative along the motion
  std::vector<std::uint32_t> pressed_by;  // rows of unilateral constraints without which it has no force; else empty
};

}  // namespace mbc::problem
