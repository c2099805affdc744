// SPDX-License-Identifier: Apache-2.0
// The conditioning guard compares a number only if rounding of the operands of its own definition changes it little.
// Ill-conditioned results say nothing about a differentiation rule: without the guard one in a thousand has no correct
// digit.
#pragma once
#include <vector>

#include "tests/compiler/ad/tree.h"

namespace mbc::test {

struct Guarded {
  Real value = 0;
  bool well_conditioned = false;
};

// `numbers(noise)` computes a list of numbers, exactly (if noise is null) or with perturbed operands.
template <class F>
std::vector<Guarded> guarded(F&& numbers, std::uint64_t seed) {
  constexpr Real kSize = 0x1p-52L;  // the rounding of a double
  constexpr Real kAmplified = 400;  // the largest accepted amplification of rounding in the result
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
