// SPDX-License-Identifier: Apache-2.0
// Evaluates the right-hand side of the spatial triple pendulum (bench/w2.cpp) as a specialist would write it by hand.
// Three free bodies described by quaternions are connected by ball joints. The block-tridiagonal system of 3x3 blocks
// is eliminated by adjugates.
#pragma once

namespace mbc::bench {

inline constexpr double kBarHalf = 2.0, kBarGravity = 9.81;
inline constexpr double kBarMass[3] = {2, 3, 4};
inline constexpr double kBarInertia[3][3] = {{0.053, 2.693, 2.693}, {0.080, 4.040, 4.040}, {0.107, 5.387, 5.387}};

// The input holds the axes R of the bodies (columns, row-major 3x3) and the angular velocities in body axes. The output
// holds the accelerations in space and the angular accelerations in body axes.
struct BarsMotion {
  double R[3][3][3], omega[3][3];
};
struct BarsAccelerations {
  double a[3][3], alpha[3][3];
};
void bars_by_hand(const BarsMotion& at, BarsAccelerations& out);

// y = [q; u] with q = (x, y, z, p0..p3) and u = (velocity, omega) body by body, in the order of mbc. dy has the same
// layout.
void triple_pendulum_by_hand(const double* y, double* dy);

}  // namespace mbc::bench
