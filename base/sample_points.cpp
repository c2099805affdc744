// SPDX-License-Identifier: Apache-2.0
#include "base/sample_points.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "base/check.h"
#include "base/digest.h"

namespace mbc {

namespace {

constexpr int kBits = 52;

// The polynomial over the field of two elements (its degree and inner coefficients) and the first direction numbers of
// a dimension from the second on (Joe and Kuo 2008, file new-joe-kuo-6.21201).
struct Direction {
  std::uint32_t degree, coefficients;
  std::array<std::uint32_t, 7> first;
};

constexpr std::array<Direction, kSobolDimensions - 1> kDirections{{{1, 0, {1}},
                                                                   {2, 1, {1, 3}},
                                                                   {3, 1, {1, 3, 1}},
                                                                   {3, 2, {1, 1, 1}},
                                                                   {4, 1, {1, 1, 3, 3}},
                                                                   {4, 4, {1, 3, 5, 13}},
                                                                   {5, 2, {1, 1, 5, 5, 17}},
                                                                   {5, 4, {1, 1, 5, 5, 5}},
                                                                   {5, 7, {1, 1, 7, 11, 19}},
                                                                   {5, 11, {1, 1, 5, 1, 1}},
                                                                   {5, 13, {1, 1, 1, 3, 11}},
                                                                   {5, 14, {1, 3, 5, 5, 31}},
                                                                   {6, 1, {1, 3, 3, 9, 7, 49}},
                                                                   {6, 13, {1, 1, 1, 15, 21, 21}},
                                                                   {6, 16, {1, 3, 1, 13, 27, 49}},
                                                                   {6, 19, {1, 1, 1, 15, 7, 5}},
                                                                   {6, 22, {1, 3, 1, 15, 13, 25}},
                                                                   {6, 25, {1, 1, 5, 5, 19, 61}},
                                                                   {7, 1, {1, 3, 7, 11, 23, 15, 103}},
                                                                   {7, 4, {1, 3, 7, 13, 13, 15, 69}}}};

constexpr std::array<std::uint32_t, kHaltonDimensions> kPrimes{2,  3,  5,  7,  11, 13, 17, 19, 23, 29, 31, 37,
                                                               41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89};

using Numbers = std::array<std::uint64_t, kBits>;

// Returns the direction numbers of a dimension (Bratley and Fox, ACM TOMS 14 (1988) 88-100, eq. 2).
Numbers directions(std::uint32_t dimension) {
  Numbers m{};
  if (dimension == 0) {
    for (int j = 0; j < kBits; ++j) m[j] = std::uint64_t{1} << (kBits - 1 - j);
    return m;
  }
  const Direction& d = kDirections[dimension - 1];
  const int s = static_cast<int>(d.degree);
  for (int j = 0; j < kBits; ++j) {
    if (j < s) {
      m[j] = std::uint64_t{d.first[j]} << (kBits - 1 - j);
      continue;
    }
    m[j] = m[j - s] ^ (m[j - s] >> s);
    for (int i = 1; i < s; ++i)
      if (((d.coefficients >> (s - 1 - i)) & 1U) != 0) m[j] ^= m[j - i];
  }
  return m;
}

const std::array<Numbers, kSobolDimensions>& all_directions() {
  static const std::array<Numbers, kSobolDimensions> made = [] {
    std::array<Numbers, kSobolDimensions> out{};
    for (std::uint32_t d = 0; d < kSobolDimensions; ++d) out[d] = directions(d);
    return out;
  }();
  return made;
}

// Mixes the bits of a number (the finaliser of splitmix64: Steele, Lea and Flood, OOPSLA 2014).
std::uint64_t mixed(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

std::uint64_t key_of(const Sample& sample, std::string_view name) { return mixed(mixed(sample.seed) ^ digest(name)); }

// Returns the middle of one of 2^52 equal intervals between 0 and 1.
double middle(std::uint64_t bits) { return (static_cast<double>(bits) + 0.5) * 0x1p-52; }

double random_point(std::uint64_t key, std::uint64_t k) { return middle(mixed(key ^ mixed(k)) >> (64 - kBits)); }

// Returns the place of k in a random order of 0 .. count - 1: a Feistel network of four rounds, applied until the
// result lies in the range (Black and Rogaway, CT-RSA 2002, "cycle walking").
std::uint64_t place(std::uint64_t key, std::uint64_t k, std::uint64_t count) {
  const auto half = static_cast<int>((std::bit_width(count - 1) + 1) / 2);
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  do {
    std::uint64_t left = k >> half, right = k & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t next = left ^ (mixed((key + round) ^ mixed(right)) & mask);
      left = right;
      right = next;
    }
    k = (left << half) | right;
  } while (k >= count);
  return k;
}

// Returns x moved along the circle of length 1.
double moved(double x, double shift) {
  const double sum = x + shift;
  return std::max(sum < 1 ? sum : sum - 1, 0x1p-53);
}

}  // namespace

std::uint32_t most_dimensions(Points points) {
  if (points == Points::sobol) return kSobolDimensions;
  return points == Points::halton ? kHaltonDimensions : std::numeric_limits<std::uint32_t>::max();
}

std::uint64_t sobol_bits(std::uint32_t dimension, std::uint64_t k) {
  const Numbers& v = all_directions()[dimension];
  std::uint64_t out = 0, gray = k ^ (k >> 1);
  for (int j = 0; gray != 0; ++j, gray >>= 1)
    if ((gray & 1U) != 0) out ^= v[j];
  return out;
}

double halton_point(std::uint32_t dimension, std::uint64_t k) {
  const double b = kPrimes[dimension];
  double out = 0, weight = 1 / b;
  for (; k > 0; k /= kPrimes[dimension], weight /= b) out += static_cast<double>(k % kPrimes[dimension]) * weight;
  return out;
}

double sample_point(const Sample& sample, std::string_view name, std::uint32_t dimension, std::uint64_t k) {
  CHECK(k < sample.count && dimension < most_dimensions(sample.points), "there is no such point");
  const std::uint64_t key = key_of(sample, name);
  switch (sample.points) {
    case Points::random:
      return random_point(key, k);
    case Points::latin:
      return std::min(
          (static_cast<double>(place(key, k, sample.count)) + random_point(key, k)) / static_cast<double>(sample.count),
          1 - 0x1p-53);
    case Points::sobol:
      return middle(sobol_bits(dimension, k) ^ (mixed(key) >> (64 - kBits)));
    case Points::halton:
      return moved(halton_point(dimension, k + 1), random_point(key, 0));
  }
  CHECK(false, "all points are listed above");
  return 0;
}

}  // namespace mbc
