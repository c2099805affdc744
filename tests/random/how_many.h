// SPDX-License-Identifier: Apache-2.0
// Returns how many random models a test uses.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace mbc::test {

// Returns whether MBC_RANDOM_MODELS=n requests other numbers than those of the suite (`./dev long`). The figures are
// printed in this case.
inline bool long_run_of_models() { return std::getenv("MBC_RANDOM_MODELS") != nullptr; }

// Returns `usual` in the suite, and otherwise n/per for MBC_RANDOM_MODELS=n, at least one. In slow builds of the
// library (MBC_SLOW_BUILD: sanitizers, no optimisation) the number is divided by `slow`.
inline int random_models(double usual, double per, [[maybe_unused]] double slow = 10) {
  const char* asked = std::getenv("MBC_RANDOM_MODELS");
  double count = asked != nullptr ? std::atof(asked) / per : usual;
#ifdef MBC_SLOW_BUILD
  count /= slow;
#endif
  return static_cast<int>(std::fmax(1, std::ceil(count)));
}

// Returns the seed of the first model: MBC_RANDOM_SEED, for long runs in pieces, or 1.
inline std::uint64_t first_random_seed() {
  const char* asked = std::getenv("MBC_RANDOM_SEED");
  return asked != nullptr ? std::strtoull(asked, nullptr, 10) : 1;
}

}  // namespace mbc::test
