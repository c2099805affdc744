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

struct SwitchedRow {  // by a discrete variable that is 1 or 0
  std::uint32_t row = 0, held = 0;
};

// A unilateral constraint: `constraint deck: p.z >= 0 restitution 0.8`. Its residual, the gap, is not negative, and it
// is held as an equation while the discrete variable `active` is 1.
struct Unilateral {
  std::uint32_t row = 0;
  std::uint32_t active = 0, impulse = 0;   // discrete variables: 1 while it is held; the impulse of its last impact
  std::optional<std::uint32_t> enabled;    // the discrete variable by which events switch it
  std::uint32_t gap = 0, restitution = 0;  // values; the gap is the residual, whatever the switches
  std::uint32_t touches = 0, leaves = 0;   // events
  // The gap changes by no more than this where no coordinate, nor the time, does by more than 1; may be infinite.
  double lipschitz = 0;
};

// The derivative of a number by one of the multipliers that it holds.
struct Slope {
  std::uint32_t row = 0, value = 0;
};

// A component of a load that holds multipliers, `force drag on p: -0.3*abs(wire.lambda)*ex`. The equations hold a
// discrete variable in its place; each evaluation makes that equal to the value.
struct ReactionDependentForce {
  std::string name;  // of the load
  Span span;
  std::uint32_t held = 0, value = 0;  // discrete variable: the force that acts; value: the force as it is written
  std::vector<Slope> slopes;
};

// Of a limit that is negative.
inline constexpr const char* kLimitHelp =
    "let it end at zero, by `max(.., 0)`; of a multiplier that may have both signs take `abs`";

// A force against a slip of one or two velocities: of any size up to a limit where the slip is zero, of the size of the
// limit elsewhere, `friction rub on p.vx: 0.3*deck.lambda static 0.4*deck.lambda`. It sticks, its rows switched on as
// equations, or slides in a direction, or does nothing, where it is disabled.
struct Friction {
  std::string name;
  std::uint32_t row = 0, count = 1;  // its rows
  // Discrete variables: 1 while it sticks; a slip that counts as none; the direction of the slip, a number for each
  // row, 0 where it does not slide; the limit where that depends on multipliers; 1 while the slip is held at zero by
  // others, where the limits differ: `limit` is then the static one; the switch of events.
  std::uint32_t sticks = 0, rest = 0;
  std::vector<std::uint32_t> direction;
  std::optional<std::uint32_t> size, stays, enabled;
  std::uint32_t slip = 0, limit = 0, still = 0;  // values: the slip, one for each row; the limit, and the static one
  std::uint32_t slips = 0, rests = 0;            // events: the limit is reached; the slip is zero
  std::optional<std::uint32_t> restitution;      // value: of the slip, in an impact
  std::vector<std::uint32_t> limit_rows;         // whose multipliers the limits hold
  std::vector<Slope> limit_slopes;               // where loads hold multipliers
  bool varies = false;                           // a limit may become negative along the motion
  std::vector<std::uint32_t> pressed_by;  // rows of unilateral constraints without which it has no force; else empty
};

}  // namespace mbc::problem
