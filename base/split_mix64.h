// SPDX-License-Identifier: Apache-2.0
// Pseudo-random numbers in [-1, 1) (splitmix64 of Steele, Lea and Flood, OOPSLA 2014), the same on every machine.
#pragma once
#include <cstdint>

namespace mbc {

class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u) {}
  double next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
  }

 private:
  std::uint64_t state_;
};

}  // namespace mbc
