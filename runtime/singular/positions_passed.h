// SPDX-License-Identifier: Apache-2.0
// Singular positions that a motion went through.
#pragma once
#include <cstdint>
#include <vector>

#include "base/archive.h"

namespace mbc::runtime {

struct PositionsPassed {
  static constexpr std::size_t kKept = 1000;
  std::uint64_t count = 0;
  std::vector<double> times;      // of the first of them, s
  double smallest = 1, when = 0;  // least singular value of the rows, scaled by their usual norm, at a state; its time

  void transfer(Archive& archive) {
    archive(count, times, smallest, when);
    archive.expect(times.size() <= kKept && times.size() <= count);
  }
};

}  // namespace mbc::runtime
