// SPDX-License-Identifier: Apache-2.0
// The checks of a test, and numbers of a whole run that they or a sweep ask for. The numbers below are indices of
// probes: values that the kernel computes behind its outputs in runs of tests and sweeps.
#pragma once
#include <cstdint>

#include "base/span.h"

namespace mbc::problem {

struct RunValue {  // initial(e), final(e), min_over(e), max_over(e): a number of a whole run, an input of the kernel
  enum class Kind : std::uint8_t { initial, final, minimum, maximum } kind{};
  std::uint32_t probe = 0;  // e
};

struct Check {
  enum class When : std::uint8_t { end, always, at, event } when{};
  enum class Relation : std::uint8_t { condition, equal, below, above, unequal } relation{};
  static constexpr std::uint64_t kNoRow = ~std::uint64_t{0};
  double time = 0;          // of `at`
  std::uint64_t row = 0;    // `at`: number of the recorded row; kNoRow when `--set` moved the run away from it
  std::uint32_t event = 0;  // `event`: its number
  // Probes, `width` of each side. The kind `equal` checks |lhs - rhs| <= limit in the largest component. The other
  // kinds check that `condition` is 1; below (lhs < rhs), above and unequal also have sides, for the message.
  std::uint32_t lhs = 0, rhs = 0, width = 0, limit = 0, condition = 0;
  Span span;
};

}  // namespace mbc::problem
