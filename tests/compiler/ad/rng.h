// SPDX-License-Identifier: Apache-2.0
// A small deterministic random source (splitmix64) that gives the same numbers on every machine and with every library.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace mbc::test {

class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }  // The result is in [0, 1).
  double between(double low, double high) { return low + (high - low) * unit(); }
  double log_between(double low, double high) {
    const double u = unit();
    return std::exp((1 - u) * std::log(low) + u * std::log(high));
  }
  double sign() { return (bits() & 1) != 0 ? 1.0 : -1.0; }
  bool chance(double p) { return unit() < p; }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(bits() % n); }
  std::uint32_t below(std::size_t n) { return below(static_cast<std::uint32_t>(n)); }

 private:
  std::uint64_t state_;
};

// MBC_RANDOM_EXPRESSIONS is the number of random expressions, 100,000 if it is not set. All other counts of random
// cases scale with it. If it is set, the measured figures are also printed (`./dev long`).
inline bool long_run() { return std::getenv("MBC_RANDOM_EXPRESSIONS") != nullptr; }

// Unoptimised and sanitizer builds are slower by a factor of ten and use a tenth of the cases.
inline std::uint32_t random_cases(std::uint32_t count) {
  const char* wanted = std::getenv("MBC_RANDOM_EXPRESSIONS");
  double factor = wanted != nullptr ? std::atof(wanted) / 100000 : 1;
#ifdef MBC_SLOW_BUILD
  factor /= 10;
#endif
  return static_cast<std::uint32_t>(std::ceil(count * factor));
}

}  // namespace mbc::test
