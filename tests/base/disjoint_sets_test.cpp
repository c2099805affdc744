// SPDX-License-Identifier: Apache-2.0
// Compares disjoint sets with labels.
#include "base/disjoint_sets.h"

#include <doctest/doctest.h>

#include <random>

namespace mbc::test {

// The reference renames all labels of one set when two sets are joined.
TEST_CASE("sets that are joined at random: each is known by its least number") {
  std::mt19937 random(3);
  for (int sample = 0; sample < 50; ++sample) {
    constexpr std::uint32_t kNumbers = 40;
    DisjointSets sets(kNumbers);
    std::vector<std::uint32_t> label(kNumbers);
    for (std::uint32_t i = 0; i < kNumbers; ++i) label[i] = i;
    for (int k = 0; k < 30; ++k) {
      const auto i = static_cast<std::uint32_t>(random() % kNumbers),
                 j = static_cast<std::uint32_t>(random() % kNumbers);
      sets.join(i, j);
      const std::uint32_t least = std::min(label[i], label[j]), other = std::max(label[i], label[j]);
      for (std::uint32_t& l : label)
        if (l == other) l = least;
      for (std::uint32_t n = 0; n < kNumbers; ++n) CHECK(sets.root(n) == label[n]);
    }
  }
}

}  // namespace mbc::test
