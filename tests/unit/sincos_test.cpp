// mbc_sincos gives the bits of mbc_sin and mbc_cos; that the interpreter, which calls the two, and compiled code, which
// calls the one, agree rests on it.
#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <random>

#include "runtime/support/mbc_support.h"

namespace {

bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

bool pair_agrees(double x) {
  const mbc_sine_cosine both = mbc_sincos(x);
  return same(both.sine, mbc_sin(x)) && same(both.cosine, mbc_cos(x));
}

}  // namespace

TEST_CASE("sine and cosine by one call: the bits of two") {
  std::mt19937_64 random(17);
  std::uniform_real_distribution<double> turns(-10, 10), many(-1e6, 1e6);
  int different = 0;
  for (int k = 0; k < 1'000'000; ++k) {
    different += !pair_agrees(turns(random));
    different += !pair_agrees(many(random));
    const double any = std::bit_cast<double>(random());  // of any exponent
    if (any == any) different += !pair_agrees(any);
  }
  CHECK(different == 0);
  for (const double x : {0.0, -0.0, 1e-300, 5e-324, 1e22, std::numeric_limits<double>::max()}) CHECK(pair_agrees(x));
  for (const double x : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(mbc_sincos(x).sine != mbc_sincos(x).sine);
    CHECK(mbc_sincos(x).cosine != mbc_sincos(x).cosine);
  }
}
