// SPDX-License-Identifier: Apache-2.0
// The residuals of a system differentiated by its coordinates, speeds and states, template by template, for implicit
// differentiation of the accelerations (docs/numerics.md, "The Jacobian of the rates"). u' and the multipliers are
// constant leaves, except in outputs.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/lower/names.h"
#include "compiler/lower/system.h"
#include "kernel/partials.h"

namespace mbc::lower {

// The residual that is differentiated; it selects the row of the derivative in kernel::PartialsLayout.
enum class Residual : std::uint8_t {
  rate,        // q'_item
  motion,      // F_i = (f + A^T lambda - M u')_i of the speed in slot `of`
  state_rate,  // s'_item
  constraint,  // R_item = (b - A u')_item
  nonideal,    // C_i of the speed in slot `of`
  position,    // e_item; this one and the next two in the scope `manifold` only
  velocity,    // e'_item
  output       // output number `item`
};

struct Partial {
  Residual residual{};
  std::uint32_t of = 0;  // slot
  // slot: a coordinate, a speed, a state, a multiplier without `nonideal` forces; in the scope `manifold` also an
  // input, an acceleration, a multiplier, the rate of a state, and kTime
  std::uint32_t by = 0;
  static constexpr std::uint32_t kTime = 0xffffffffu;
  NodeId value;
};

struct PartialsOfPart {
  Family family;
  std::vector<Partial> partials;
  const char* what = "";
  std::uint32_t part = 0;  // of the system
  bool load = false;
};

// Returns the partial derivatives of all parts that have any; structural zeros are left out.
std::vector<PartialsOfPart> partials(const System& system, kernel::PartialsScope scope);

}  // namespace mbc::lower
