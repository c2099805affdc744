// SPDX-License-Identifier: Apache-2.0
// A check sum that detects damage and other texts, but not forgery: FNV-1a, 64 bits
// (http://www.isthe.com/chongo/tech/comp/fnv/).
#pragma once
#include <cstdint>
#include <string_view>

namespace mbc {

inline constexpr std::uint64_t kDigestOfNothing = 0xcbf29ce484222325u;

// `from` is the digest of the text before.
[[nodiscard]] inline std::uint64_t digest(std::string_view text, std::uint64_t from = kDigestOfNothing) {
  constexpr std::uint64_t kPrime = 0x100000001b3u;
  for (const char c : text) from = (from ^ static_cast<unsigned char>(c)) * kPrime;
  return from;
}

}  // namespace mbc
