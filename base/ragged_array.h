// SPDX-License-Identifier: Apache-2.0
// Many short lists of numbers, stored one after the other in one array.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mbc {

struct RaggedArray {
  std::vector<std::uint32_t> begin{0}, item;

  // Completes the current list, which consists of the numbers added to `item` since the last call.
  void close() { begin.push_back(static_cast<std::uint32_t>(item.size())); }
  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t k) const {
    return {item.data() + begin[k], item.data() + begin[k + 1]};
  }
  [[nodiscard]] std::size_t size() const { return begin.size() - 1; }
};

}  // namespace mbc
