// SPDX-License-Identifier: Apache-2.0
// Integrates eight planar double pendulums in the lanes of vectors, as a specialist would write them: Cartesian
// coordinates, two rods of 1 m with rows (|d|^2 - 1)/2 = 0, a 2 x 2 system solved by Cramer's rule, masses of 1 kg, and
// the classical Runge-Kutta method. It makes no checks.
#pragma once

namespace mbc::bench {

// y holds x1, y1, x2, y2 and their rates, with eight copies of each. The function makes `steps` steps of size h.
void double_pendulums_by_hand(double* y, double h, int steps);

}  // namespace mbc::bench
