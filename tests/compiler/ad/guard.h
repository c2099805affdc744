// SPDX-License-Identifier: Apache-2.0
// The conditioning guard: a number is compared only if rounding of the operands of its own definition moves it little.
// Ill-conditioned results say nothing about a derivative rule; unguarded, one in a thousand has no correct digit at
// all.
#pragma once
#include <vector>

#include "tests/compiler/ad/tree.h"

namespace mbc::test {

struct Guarded {
  Real value = 0;
  bool well_conditioned = false;
};

// `numbers(noise)` computes a list of numbers, exactly (noise null) or with perturbed operands.
template <class F>
std::vector<Guarded> guarded(F&& numbers, std::uint64_t seed) {
  constexpr Real kSize = 0x1p-52L;  // rounding in double
  constexpr Real kAmplified = 400;  // how many times that may reach the result
  const std::vector<Real> exact = numbers(static_cast<SplitMix64*>(nullptr));
  std::vector<Guarded> result(exact.size());
  for (std::size_t i = 0; i < exact.size(); ++i) result[i] = {exact[i], std::isfinite(static_cast<double>(exact[i]))};
  SplitMix64 noise{Rng(seed), kSize};
  for (int round = 0; round < 3; ++round) {
    const std::vector<Real> shaken = numbers(&noise);
    for (std::size_t i = 0; i < exact.size(); ++i)
      if (!(std::fabs(shaken[i] - exact[i]) <= kAmplified * kSize * std::fabs(exact[i])))
        result[i].well_conditioned = false;
  }
  return result;
}

}  // namespace mbc::test
