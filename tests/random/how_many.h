// SPDX-License-Identifier: Apache-2.0
// How many random models a test takes.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace mbc::test {

// Whether MBC_RANDOM_MODELS=n asks for other numbers than those of the suite (`./dev long`); figures are printed then.
inline bool long_run_of_models() { return std::getenv("MBC_RANDOM_MODELS") != nullptr; }

// `usual` in the suite, one of `per` of the n that MBC_RANDOM_MODELS asks for, at least one. Where the library itself
// is slow (MBC_SLOW_BUILD: sanitizers, no optimisation) the `slow`th part.
inline int random_models(double usual, double per, [[maybe_unused]] double slow = 10) {
  const char* asked = std::getenv("MBC_RANDOM_MODELS");
  double count = asked != nullptr ? std::atof(asked) / per : usual;
#ifdef MBC_SLOW_BUILD
  count /= slow;
#endif
  return static_cast<int>(std::fmax(1, std::ceil(count)));
}

// Of the first model: MBC_RANDOM_SEED, for long runs in pieces, else 1.
inline std::uint64_t first_random_seed() {
  const char* asked = std::getenv("MBC_RANDOM_SEED");
  return asked != nullptr ? std::strtoull(asked, nullptr, 10) : 1;
}

}  // namespace mbc::test
