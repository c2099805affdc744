// SPDX-License-Identifier: Apache-2.0
// Points between 0 and 1 for samples. A point follows from the seed, the dimension and its number alone: it is the same
// on every machine, and whatever the order in which points are asked for.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace mbc {

// random: independent points. latin: one point in each of `count` equal intervals of every dimension, in a random order
// (McKay, Beckman and Conover, Technometrics 21 (1979) 239-245). sobol, halton: points that fill the cube evenly, moved
// at random: Sobol's with the direction numbers of Joe and Kuo (SIAM J. Sci. Comput. 30 (2008) 2635-2654), Halton's
// (Numer. Math. 2 (1960) 84-90) in the first primes.
enum class Points : std::uint8_t { random, latin, sobol, halton };

inline constexpr std::uint32_t kSobolDimensions = 21, kHaltonDimensions = 24;

struct Sample {
  Points points = Points::random;
  std::uint64_t seed = 1, count = 0;  // count: of the points
};

// Returns the number of dimensions that these points have; beyond, they are random or a Latin hypercube.
[[nodiscard]] std::uint32_t most_dimensions(Points points);

// Returns point k < count of a dimension, above 0 and below 1. `name` is that of the dimension: random points and the
// Latin hypercube follow from it alone, so that another dimension changes no points of this one.
[[nodiscard]] double sample_point(const Sample& sample, std::string_view name, std::uint32_t dimension,
                                  std::uint64_t k);

// Returns point k of Sobol's sequence in a dimension below kSobolDimensions, as 52 bits: 0, 1/2, 3/4, 1/4, ...
[[nodiscard]] std::uint64_t sobol_bits(std::uint32_t dimension, std::uint64_t k);

// Returns b of x = sum of d_i b^-(i+1) for k = sum of d_i b^i, with the prime b of a dimension below kHaltonDimensions.
[[nodiscard]] double halton_point(std::uint32_t dimension, std::uint64_t k);

}  // namespace mbc
