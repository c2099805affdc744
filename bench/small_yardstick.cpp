// SPDX-License-Identifier: Apache-2.0
#include "bench/small_yardstick.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "bench/models.h"

namespace mbc::bench {
namespace {

using Size = std::size_t;

// The rows are d_i.(u'_i - u'_(i-1)) = -w_i.w_i, where d and w are differences of neighbours. S is tridiagonal with
// diagonal 2 d_i.d_i (d_1.d_1 in the first row) and off-diagonal -d_i.d_(i-1).
template <Size kCount>
inline void chain(const double* q, double* dy) {
  const double* u = q + 3 * kCount;
  std::array<double, 3 * kCount> d;
  std::array<double, kCount> pivot, beside{}, tension;
#pragma GCC unroll 64
  for (Size i = 0; i < kCount; ++i) {
    double square = 0, speed = 0, mixed = 0;
#pragma GCC unroll 3
    for (Size k = 0; k < 3; ++k) {
      const Size at = 3 * i + k;
      d[at] = i > 0 ? q[at] - q[at - 3] : q[at];
      const double w = i > 0 ? u[at] - u[at - 3] : u[at];
      square += d[at] * d[at];
      speed += w * w;
      if (i > 0) mixed += d[at] * d[at - 3];
    }
    pivot[i] = i > 0 ? 2 * square : square;
    beside[i] = -mixed;
    tension[i] = i > 0 ? -speed : kGravity * d[2] - speed;
  }
  if constexpr (kCount == 1) {
    tension[0] /= pivot[0];
  } else {
    constexpr Size kLeft = (kCount - 2) / 2, kRight = kLeft + 1;  // These two rows remain at the end.
    std::array<double, kCount> inverse{};
    for (Size i = 0; i < kLeft; ++i) {
      inverse[i] = 1 / pivot[i];
      const double factor = beside[i + 1] * inverse[i];
      pivot[i + 1] -= factor * beside[i + 1];
      tension[i + 1] -= factor * tension[i];
    }
    for (Size i = kCount - 1; i > kRight; --i) {
      inverse[i] = 1 / pivot[i];
      const double factor = beside[i] * inverse[i];
      pivot[i - 1] -= factor * beside[i];
      tension[i - 1] -= factor * tension[i];
    }
    const double off = beside[kRight];
    const double scale = 1 / (pivot[kLeft] * pivot[kRight] - off * off);
    const double left = (pivot[kRight] * tension[kLeft] - off * tension[kRight]) * scale;
    const double right = (pivot[kLeft] * tension[kRight] - off * tension[kLeft]) * scale;
    tension[kLeft] = left;
    tension[kRight] = right;
    for (Size i = kLeft; i-- > 0;) tension[i] = (tension[i] - beside[i + 1] * tension[i + 1]) * inverse[i];
    for (Size i = kRight + 1; i < kCount; ++i) tension[i] = (tension[i] - beside[i] * tension[i - 1]) * inverse[i];
  }
#pragma GCC unroll 64
  for (Size at = 0; at < 3 * kCount; ++at) {
    const Size i = at / 3;
    double a = d[at] * tension[i];
    if (i + 1 < kCount) a -= d[at + 3] * tension[i + 1];
    dy[at] = u[at];
    dy[3 * kCount + at] = at % 3 == 2 ? a - kGravity : a;
  }
}

inline void two_particles(double t, const double* y, double* dy) {
  constexpr double kTurn = 2 * std::numbers::pi, kPull = 9.81;
  const double s = std::sin(kTurn * t), c = std::cos(kTurn * t);
  const double x1 = y[0], y1 = y[1], z1 = y[2], vx = y[6], vy = y[7], vz = y[8];
  const double square = x1 * x1 + y1 * y1 + z1 * z1, across = s * x1 - c * y1;
  const double r1 = kPull * square - (vx * vx + vy * vy + vz * vz);
  const double r2 = (kPull + kTurn * kTurn) * across - 2 * kTurn * (c * vx + s * vy);
  const double scale = 1 / (square - across * across);
  const double radial = (r1 - across * r2) * scale - kPull, normal = (square * r2 - across * r1) * scale;
  for (int k = 0; k < 6; ++k) dy[k] = y[6 + k];
  dy[6] = radial * x1 + normal * s;
  dy[7] = radial * y1 - normal * c;
  dy[8] = radial * z1;
  const double z = y[5], slip = y[11] * y[9], determinant = z * (z - 1);
  if (std::fabs(determinant) > 1e-9) {
    dy[9] = slip * (1 - 2 * z) / determinant;
    dy[10] = z * dy[9] + slip;
  } else {
    dy[10] = slip / (z * z + 1);
    dy[9] = -z * dy[10];
  }
  dy[11] = 0;
}

}  // namespace

void small_chain_1(double, const double* y, double* dy) { chain<1>(y, dy); }
void small_chain_3(double, const double* y, double* dy) { chain<3>(y, dy); }
void small_chain_10(double, const double* y, double* dy) { chain<10>(y, dy); }

// Lagrange's equations with J = Jp + m l^2 about the pin of the rod have the mass matrix [Ja + m L^2 + J s^2, m L l c;
// m L l c, J].
void small_rotary_pendulum(double, const double* y, double* dy) {
  constexpr double kPin = kRodInertia + kRodMass * kRodCentre * kRodCentre, kMixed = kRodMass * kArm * kRodCentre;
  const double s = std::sin(y[1]), c = std::cos(y[1]), turn = y[2], swing = y[3];
  const double m11 = kArmInertia + kRodMass * kArm * kArm + kPin * s * s, m12 = kMixed * c;
  const double twist = kPin * s * c * turn;
  const double f1 = kMixed * s * swing * swing - 2 * twist * swing;
  const double f2 = twist * turn + kRodMass * kGravity * kRodCentre * s;
  const double scale = 1 / (m11 * kPin - m12 * m12);
  dy[0] = turn;
  dy[1] = swing;
  dy[2] = (kPin * f1 - m12 * f2) * scale;
  dy[3] = (m11 * f2 - m12 * f1) * scale;
}

// The blade is at b behind the centre: -s x' + c y' - b th' = 0, with the force lambda across it.
void small_sleigh(double, const double* y, double* dy) {
  constexpr double kAcross = 1 / kSleighMass, kTurning = kBlade / kSleighInertia;
  constexpr double kInverse = 1 / (kAcross + kBlade * kTurning);
  const double s = std::sin(y[2]), c = std::cos(y[2]), vx = y[3], vy = y[4], spin = y[5];
  const double slow = -kSpinDrag / kSleighInertia * spin;  // The thrust has no component across the blade.
  const double lambda = ((c * vx + s * vy) * spin + kBlade * slow) * kInverse;
  dy[0] = vx;
  dy[1] = vy;
  dy[2] = spin;
  dy[3] = kThrust * kAcross * c - kAcross * lambda * s;
  dy[4] = kThrust * kAcross * s + kAcross * lambda * c;
  dy[5] = slow - kTurning * lambda;
}

void small_two_particles(double t, const double* y, double* dy) { two_particles(t, y, dy); }

void small_two_particles_run(double h, int steps, double* y) {
  constexpr Size kSize = 12;
  std::array<double, kSize> k1, k2, k3, k4, at;
  for (int step = 0; step < steps; ++step) {
    const double t = step * h;
    two_particles(t, y, k1.data());
    for (Size i = 0; i < kSize; ++i) at[i] = y[i] + h / 2 * k1[i];
    two_particles(t + h / 2, at.data(), k2.data());
    for (Size i = 0; i < kSize; ++i) at[i] = y[i] + h / 2 * k2[i];
    two_particles(t + h / 2, at.data(), k3.data());
    for (Size i = 0; i < kSize; ++i) at[i] = y[i] + h * k3[i];
    two_particles(t + h, at.data(), k4.data());
    for (Size i = 0; i < kSize; ++i) y[i] += h / 6 * (k1[i] + 2 * (k2[i] + k3[i]) + k4[i]);
  }
}

}  // namespace mbc::bench
