// SPDX-License-Identifier: Apache-2.0
// The right-hand side of the spatial triple pendulum (bench/w2.cpp) as a specialist writes it by hand: three free
// bodies described by quaternions, held by ball joints, 3x3 blocks of a block-tridiagonal system eliminated by
// adjugates.
#pragma once

namespace mbc::bench {

inline constexpr double kBarHalf = 2.0, kBarGravity = 9.81;
inline constexpr double kBarMass[3] = {2, 3, 4};
inline constexpr double kBarInertia[3][3] = {{0.053, 2.693, 2.693}, {0.080, 4.040, 4.040}, {0.107, 5.387, 5.387}};

// Bodies' axes R (columns, row-major 3x3) and angular velocities in them -> accelerations in space and angular ones in
// the axes of the bodies.
struct BarsMotion {
  double R[3][3][3], omega[3][3];
};
struct BarsAccelerations {
  double a[3][3], alpha[3][3];
};
void bars_by_hand(const BarsMotion& at, BarsAccelerations& out);

// y = [q; u], q = (x, y, z, p0..p3) and u = (velocity, omega) body by body, as mbc orders them; dy likewise.
void triple_pendulum_by_hand(const double* y, double* dy);

}  // namespace mbc::bench
