// SPDX-License-Identifier: Apache-2.0
// Reads the table of tolerances (runtime/tolerances.def) as text.
#pragma once
#include <string_view>

namespace mbc::test {

struct ListedTolerance {
  std::string_view name, value, unit, derivation, proof;
};

inline constexpr ListedTolerance kListedTolerances[] = {
#define MBC_TOLERANCE(name, value, unit, derivation, proof) {#name, #value, unit, derivation, proof},
#include "runtime/tolerances.def"
};

}  // namespace mbc::test
