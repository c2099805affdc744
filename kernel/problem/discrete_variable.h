// SPDX-License-Identifier: Apache-2.0
// The variables of the discrete state: what is constant between events. The discrete state itself is a row of numbers,
// inputs of the kernel behind those of the model.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/name.h"
#include "base/span.h"

namespace mbc::problem {

using Labels = std::shared_ptr<const std::vector<std::string>>;  // of a state that is one of a few

struct DiscreteVariable {
  enum class Use : std::uint8_t {
    state,     // `state u = 0 [N]`
    enabled,   // of a constraint or load that is switched: 1 or 0
    impulse,   // of an event, while its body is executed; else 0
    count,     // how often an event has fired
    time,      // when it did so last
    active,    // of a unilateral constraint: 1 while it is held, else 0
    blow,      // of a unilateral constraint: the impulse of its last impact
    sample,    // of an input whose signal is held between samples
    branch,    // the mode of a discontinuity inside a step: 0 where it is open
    friction,  // what a run says of a friction: whether it sticks, which way it slides, with what force
    load       // a component of a reaction-dependent force: found in each evaluation
  } use{};
  Name name;
  Span span;
  Labels labels{};  // of a machine: its value is the number of one of them

  // Whether users have named it, or it is their switch: what a run leaves behind for the next one.
  [[nodiscard]] bool is_told() const {
    return use == Use::state || use == Use::count || use == Use::time || use == Use::enabled;
  }
  // How many whole numbers from 0 it may be; 0 where it may be any number.
  [[nodiscard]] std::uint32_t choices() const {
    if (use == Use::enabled) return 2;
    return labels ? static_cast<std::uint32_t>(labels->size()) : 0;
  }
};

}  // namespace mbc::problem
