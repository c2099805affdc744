// SPDX-License-Identifier: Apache-2.0
// Compares two arrays bit for bit; equal bits of nan are equal.
#pragma once
#include <cstring>
#include <span>

namespace mbc {

inline bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

}  // namespace mbc
