// SPDX-License-Identifier: Apache-2.0
// Defines the tolerances of runtime/tolerances.def as constants of this namespace.
//
// In a build with MBC_TOLERANCES_FROM_ENVIRONMENT (`./dev long tolerances`), MBC_TOLERANCE=kName*100 in the environment
// multiplies one of them when the program starts.
#pragma once
#ifdef MBC_TOLERANCES_FROM_ENVIRONMENT
#include <cstdlib>
#include <string_view>
#endif

namespace mbc::runtime {

#ifdef MBC_TOLERANCES_FROM_ENVIRONMENT
inline double overridden(std::string_view name, double value) {
  const char* text = std::getenv("MBC_TOLERANCE");
  const bool meant = text != nullptr && std::string_view(text).starts_with(name) && text[name.size()] == '*';
  return meant ? value * std::strtod(text + name.size() + 1, nullptr) : value;
}
#define MBC_TOLERANCE(name, value, unit, derivation, proof) inline const double name = overridden(#name, value);
#else
#define MBC_TOLERANCE(name, value, unit, derivation, proof) inline constexpr double name = value;
#endif
#include "runtime/tolerances.def"

}  // namespace mbc::runtime
