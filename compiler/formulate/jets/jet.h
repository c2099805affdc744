// SPDX-License-Identifier: Apache-2.0
// The right-hand side of a kernel as a Taylor series along the motion: coefficients of the state, of any order, by the
// recurrences of its operations. The elimination of the constraints is part of these operations, so multipliers and
// accelerations need no special treatment; the factors of S cost as much as other values.
#pragma once
#include <optional>
#include <string>

#include "base/span.h"
#include "kernel/jet.h"

namespace mbc::formulate {

struct MadeJet {
  std::optional<kernel::Jet> jet;
  // If there is no jet: the reason, as a part of a sentence, and the expression that causes it, if any.
  std::string refused;
  Span at;
};

// `name` is a function of the kernel that writes the rates of all n_y entries to deriv. order: at least 2.
MadeJet jet_of(const kernel::Kernel& kernel, std::uint32_t n_y, const char* name, std::uint32_t order);

}  // namespace mbc::formulate
