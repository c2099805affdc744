// SPDX-License-Identifier: Apache-2.0
// Sine and cosine, one pair or eight side by side, with the same bits. They replace those of the C library, which have
// no lanes and differ from version to version in the last place.
//
// x = k pi/2 + r with |r| <= pi/4, pi/2 in three parts (W. J. Cody, W. Waite, Software Manual for the Elementary
// Functions, 1980): x - k P1 is exact as a fused operation, because both are multiples of 2^-53 and the difference is
// less than 1; the rest is carried as r + low. Then
//
//   sin r = r + r z S(z) + low (1 - z/2),   cos r = 1 - z/2 + z^2 C(z) - r low,   z = r^2
//
// with minimax polynomials whose relative errors are 2^-57.9 and 2^-63.9 (Remez's exchange in 60 digits, for |r| up to
// pi/4 (1 + 2^-10); coefficients rounded one after the other, the rest fitted anew). Within 0.8 units in the last
// place for |x| <= 2^27, odd and even exactly; beyond that the C library's.
#include <bit>
#include <cmath>
#include <cstdint>

#include "kernel/support/clones.h"
#include "kernel/support/mbc_support.h"

namespace {

constexpr double kMost = 0x1p27;  // k P3 and what follows it are below the roundings
constexpr double kFew = 0x1p-27;  // sin x = x to half a unit
constexpr double kWhole =
    0x1.8p52;  // added and subtracted: the nearest whole number, whose last bits are those of the sum
constexpr double kTurns = 0.6366197723675814;  // 2/pi
constexpr double kP1 = 1.5707963267948966, kP2 = 6.123233995736766e-17, kP3 = -1.4973849048591698e-33;
constexpr double kS[] = {-0.1666666666666663,   0.00833333333332184,     -0.00019841269829358487,
                         2.755731353848515e-06, -2.5050734382503153e-08, 1.5895432780554196e-10};
constexpr double kC[] = {0.041666666666666595,   -0.0013888888888873307, 2.480158728896531e-05,
                         -2.755731420313208e-07, 2.0875703150708533e-09, -1.1358617779288472e-11};

__attribute__((always_inline)) inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

__attribute__((always_inline)) inline double polynomial(const double (&c)[6], double z, double z2) {
  const double low = fused(z, c[1], c[0]), middle = fused(z, c[3], c[2]), high = fused(z, c[5], c[4]);
  return fused(z2, fused(z2, high, middle), low);
}

__attribute__((always_inline)) inline double signed_by(double x, std::uint64_t quarter) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) ^ ((quarter & 2) << 62));
}

// Requires |x| <= kMost. There are no branches, so that loops over it become vectors.
__attribute__((always_inline)) inline void sine_cosine(double x, double& sine, double& cosine) {
  const double sum = fused(x, kTurns, kWhole), k = sum - kWhole;
  const auto quarter = std::bit_cast<std::uint64_t>(sum);
  const double near = fused(-k, kP1, x), second = k * kP2, lost = fused(k, kP2, -second);
  const double r = near - second, back = r - near;
  const double low = ((near - (r - back)) - (second + back)) - fused(k, kP3, lost);
  const double z = r * r, z2 = z * z, half = 0.5 * z, w = 1 - half;
  const double s = r + fused(r * z, polynomial(kS, z, z2), fused(-half, low, low));
  const double c = w + fused(z2, polynomial(kC, z, z2), fused(-r, low, (1 - w) - half));
  const double s_or_x = __builtin_fabs(x) < kFew ? x : s;
  const bool odd = (quarter & 1) != 0;
  sine = signed_by(odd ? c : s_or_x, quarter);
  cosine = signed_by(odd ? s_or_x : c, quarter + 1);
}

}  // namespace

extern "C" {

MBC_CLONES_FUSED mbc_sine_cosine mbc_sincos(double x) noexcept {
  mbc_sine_cosine both;
  if (__builtin_fabs(x) <= kMost)
    sine_cosine(x, both.sine, both.cosine);
  else
    both = {std::sin(x), std::cos(x)};
  return both;
}

double mbc_sin(double x) noexcept { return mbc_sincos(x).sine; }
double mbc_cos(double x) noexcept { return mbc_sincos(x).cosine; }

MBC_CLONES_WIDE void mbc_sincos_lanes(const double* x, double* sine, double* cosine) noexcept {
  bool all = true;
  for (int k = 0; k < 8; ++k) all = all && __builtin_fabs(x[k]) <= kMost;
  double s[8], c[8];
  for (int k = 0; k < 8; ++k) sine_cosine(x[k], s[k], c[k]);
  if (!all)
    for (int k = 0; k < 8; ++k) {
      const mbc_sine_cosine both = mbc_sincos(x[k]);
      s[k] = both.sine;
      c[k] = both.cosine;
    }
  for (int k = 0; k < 8; ++k) {
    sine[k] = s[k];
    cosine[k] = c[k];
  }
}
}
