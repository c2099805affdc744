// SPDX-License-Identifier: Apache-2.0
// Tests whether a model is holonomic and conservative, for the methods made for such models: constraints at position
// level, forces of potentials, nothing that depends on time, no events, energies that are the same backwards in time.
#pragma once
#include <optional>
#include <string>

#include "compiler/lower/system.h"

namespace mbc::lower {

struct InTheWay {
  std::string why;
  Span span;
  std::string help;
};

// Returns the first statement that prevents the use of such a method.
std::optional<InTheWay> not_conservative(const sema::Model& model, const System& system);

// Returns whether a rate, a force or a row contains the time, also where it does not vary with it to first order.
bool rates_contain_time(const System& system);

}  // namespace mbc::lower
