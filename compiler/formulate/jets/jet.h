// SPDX-License-Identifier: Apache-2.0
// The right-hand side of a kernel developed along the motion: Taylor coefficients of the state, of any order, by the
// recurrences of the operations it is written out in. The elimination of the constraints is among these, so that
// multipliers and accelerations have their coefficients without more ado: of the factors of S they cost what those of
// other values cost.
#pragma once
#include <optional>
#include <string>

#include "base/span.h"
#include "kernel/jet.h"

namespace mbc::formulate {

struct MadeJet {
  std::optional<kernel::Jet> jet;
  // Where there is none: the reason, as a part of a sentence, and the expression, where it is one.
  std::string refused;
  Span at;
};

// `name`: a function of the kernel that leaves the rates of all n_y entries in deriv. order: at least 2.
MadeJet jet_of(const kernel::Kernel& kernel, std::uint32_t n_y, const char* name, std::uint32_t order);

}  // namespace mbc::formulate
