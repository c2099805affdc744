// SPDX-License-Identifier: Apache-2.0
// Eight planar double pendulums in the lanes of vectors, as a specialist writes them: Cartesian coordinates, two rods
// of 1 m with rows (|d|^2 - 1)/2 = 0 and their 2 x 2 system solved by Cramer's rule, masses of 1 kg, classical method
// of Runge and Kutta. Nothing is tested.
#pragma once

namespace mbc::bench {

// y: x1, y1, x2, y2 and their rates, eight copies of each; that many steps of size h.
void double_pendulums_by_hand(double* y, double h, int steps);

}  // namespace mbc::bench
