// SPDX-License-Identifier: Apache-2.0
// The numbers 0 .. n-1 in disjoint sets that can be joined (R. E. Tarjan, Journal of the ACM 22 (1975) 215-225, with
// path halving). The least number of a set identifies it.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace mbc {

class DisjointSets {
 public:
  explicit DisjointSets(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0U); }

  [[nodiscard]] std::uint32_t root(std::uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::uint32_t i, std::uint32_t j) {
    const std::uint32_t a = root(i), b = root(j);
    parent_[std::max(a, b)] = std::min(a, b);
  }
  [[nodiscard]] std::size_t size() const { return parent_.size(); }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace mbc
