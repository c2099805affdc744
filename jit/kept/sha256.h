// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4), incremental. It names and checks cached objects, where an accidental or provoked collision
// would run the code of another kernel.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace mbc::jit {

using Digest = std::array<std::uint8_t, 32>;

class Sha256 {
 public:
  void add(const void* data, std::size_t size);
  void add_number(std::uint64_t value) { add(&value, sizeof value); }  // in the byte order of the machine
  void add_text(const std::string& text) {                             // with its length
    add_number(text.size());
    add(text.data(), text.size());
  }
  [[nodiscard]] Digest finish();

 private:
  void block(const std::uint8_t* bytes);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> pending_{};
  std::size_t filled_ = 0;
  std::uint64_t length_ = 0;  // bytes
};

[[nodiscard]] Digest sha256(const void* data, std::size_t size);
[[nodiscard]] std::string to_hex(const Digest& digest);

}  // namespace mbc::jit
