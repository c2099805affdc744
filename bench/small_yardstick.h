// SPDX-License-Identifier: Apache-2.0
// Evaluates small systems as a specialist would write them: the C++ compiler knows all sizes and numbers, values stay
// in registers, and there is no virtual call. The state is y = [q; u] as in the model, without the work integrals that
// mbc appends.
#pragma once

namespace mbc::bench {

using SmallRhs = void (*)(double t, const double* y, double* dy);

// These are the chains of chain_text(count, false). The elimination goes from both ends towards the middle, which
// halves its depth.
void small_chain_1(double t, const double* y, double* dy);
void small_chain_3(double t, const double* y, double* dy);
void small_chain_10(double t, const double* y, double* dy);

// Furuta's pendulum has y = [th, al, th', al'], with al measured from the upright position.
inline constexpr double kArm = 0.2, kArmInertia = 0.01, kRodMass = 0.1, kRodCentre = 0.15, kRodInertia = 0.0008;
void small_rotary_pendulum(double t, const double* y, double* dy);

// Chaplygin's sleigh has y = [x, y, th, x', y', th'] of the mass centre. The blade is behind it, and the thrust acts
// along its axis.
inline constexpr double kSleighMass = 1, kSleighInertia = 0.5, kBlade = 0.3, kThrust = 0.2, kSpinDrag = 0.05;
void small_sleigh(double t, const double* y, double* dy);

// This is examples/two_particles.mbd.
void small_two_particles(double t, const double* y, double* dy);
// Makes `steps` steps of the Runge-Kutta method of order 4 on it. y holds 12 numbers, which are replaced.
void small_two_particles_run(double h, int steps, double* y);

}  // namespace mbc::bench
