// SPDX-License-Identifier: Apache-2.0
// Tests that mbc_sincos and mbc_sincos_lanes give the bits of mbc_sin and mbc_cos. The agreement of the interpreter,
// which calls the former, and compiled code, which calls the latter, depends on this. The accuracy is compared with the
// C library's long double functions.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "kernel/support/mbc_support.h"

namespace {

bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

bool pair_agrees(double x) {
  const mbc_sine_cosine both = mbc_sincos(x);
  return same(both.sine, mbc_sin(x)) && same(both.cosine, mbc_cos(x));
}

bool lanes_agree(const double (&x)[8]) {
  double sine[8], cosine[8];
  mbc_sincos_lanes(x, sine, cosine);
  for (int k = 0; k < 8; ++k)
    if (x[k] == x[k] && !(same(sine[k], mbc_sin(x[k])) && same(cosine[k], mbc_cos(x[k])))) return false;
  return true;
}

// Returns the error in units of the last place of the exact value.
double error(double value, long double exact) {
  int exponent = 0;
  std::frexp(static_cast<double>(exact), &exponent);
  return static_cast<double>(std::fabs(value - exact) / std::ldexp(1.0L, std::max(exponent, -1021) - 53));
}

}  // namespace

TEST_CASE("sine and cosine by one call: the bits of two") {
  std::mt19937_64 random(17);
  std::uniform_real_distribution<double> turns(-10, 10), many(-1e6, 1e6);
  int different = 0;
  for (int k = 0; k < 1'000'000; ++k) {
    different += !pair_agrees(turns(random));
    different += !pair_agrees(many(random));
    const double any = std::bit_cast<double>(random());  // The number may have any exponent.
    if (any == any) different += !pair_agrees(any);
  }
  CHECK(different == 0);
  for (const double x : {0.0, -0.0, 1e-300, 5e-324, 1e22, std::numeric_limits<double>::max()}) CHECK(pair_agrees(x));
  for (const double x : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(mbc_sincos(x).sine != mbc_sincos(x).sine);
    CHECK(mbc_sincos(x).cosine != mbc_sincos(x).cosine);
  }
}

TEST_CASE("eight lanes: the bits of one after the other, whatever stands beside") {
  std::mt19937_64 random(18);
  std::uniform_real_distribution<double> turns(-10, 10), many(-1e8, 1e8);
  int different = 0;
  for (int k = 0; k < 200'000; ++k) {
    double x[8];
    for (double& v : x) v = k % 2 == 0 ? turns(random) : many(random);
    if (k % 4 == 3) x[random() % 8] = std::bit_cast<double>(random());
    different += !lanes_agree(x);
  }
  CHECK(different == 0);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  CHECK(lanes_agree({0.0, -0.0, 5e-324, -1e-300, 1e22, 0x1p27, -0x1.0000000000001p27, 0.5}));
  const double x[8] = {1, kInfinity, 2, -kInfinity, std::numeric_limits<double>::quiet_NaN(), 3, 4, 5};
  double sine[8], cosine[8];
  mbc_sincos_lanes(x, sine, cosine);
  for (int k = 0; k < 8; ++k) CHECK(std::isnan(sine[k]) == (k == 1 || k == 3 || k == 4));
  CHECK(same(sine[7], mbc_sin(5)));
}

TEST_CASE("sine and cosine are within 0.8 units in the last place, odd and even") {
  std::mt19937_64 random(19);
  double worst = 0;
  const auto look = [&worst](double x) {
    worst = std::max({worst, error(mbc_sin(x), std::sin(static_cast<long double>(x))),
                      error(mbc_cos(x), std::cos(static_cast<long double>(x)))});
    return same(mbc_sin(-x), -mbc_sin(x)) && same(mbc_cos(-x), mbc_cos(x));
  };
  int not_odd = 0;
  for (const double range : {1e-8, 1e-3, 0.8, 3.2, 100.0, 1e4, 1e6, 0x1p27, 1e12}) {
    std::uniform_real_distribution<double> to_range(0, range);
    for (int k = 0; k < 200'000; ++k) not_odd += !look(to_range(random));
  }
  // At these numbers all digits of x cancel against a multiple of pi/2; their neighbours are tested too.
  constexpr long double kQuarter = 1.57079632679489661923132169163975144L;
  for (int k = 0; k < 300'000; ++k) {
    const auto x = static_cast<double>(static_cast<long double>(random() % 85'000'000) * kQuarter);
    for (const double near : {x, std::nextafter(x, 0.0), std::nextafter(x, 1e9)}) not_odd += !look(near);
  }
  CHECK(worst < 0.8);
  CHECK(worst > 0.5);
  CHECK(not_odd == 0);
  for (const double x : {0.0, 5e-324, 1e-310, 1e-30, 0x1p-28}) {
    CHECK(same(mbc_sin(x), x));
    CHECK(same(mbc_sin(-x), -x));
    CHECK(mbc_cos(x) == 1);
  }
}
