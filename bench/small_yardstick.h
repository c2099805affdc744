// SPDX-License-Identifier: Apache-2.0
// Small systems as a specialist writes them: everything known to the C++ compiler, values in registers, no virtual
// call. State y = [q; u] as in the model; what mbc adds behind it (integrals of work) is not there.
#pragma once

namespace mbc::bench {

using SmallRhs = void (*)(double t, const double* y, double* dy);

// Chains of chain_text(count, false), eliminated from both ends towards the middle: half the depth.
void small_chain_1(double t, const double* y, double* dy);
void small_chain_3(double t, const double* y, double* dy);
void small_chain_10(double t, const double* y, double* dy);

// Furuta's pendulum: y = [th, al, th', al'], al from the upright.
inline constexpr double kArm = 0.2, kArmInertia = 0.01, kRodMass = 0.1, kRodCentre = 0.15, kRodInertia = 0.0008;
void small_rotary_pendulum(double t, const double* y, double* dy);

// Chaplygin's sleigh, y = [x, y, th, x', y', th'] of the mass centre, blade behind it, driven along its axis.
inline constexpr double kSleighMass = 1, kSleighInertia = 0.5, kBlade = 0.3, kThrust = 0.2, kSpinDrag = 0.05;
void small_sleigh(double t, const double* y, double* dy);

// examples/two_particles.mbd
void small_two_particles(double t, const double* y, double* dy);
// `steps` steps of Runge and Kutta's method of order 4 of it, y of 12 numbers in and out.
void small_two_particles_run(double h, int steps, double* y);

}  // namespace mbc::bench
