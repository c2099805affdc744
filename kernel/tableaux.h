// SPDX-License-Identifier: Apache-2.0
// Coefficients of the integrators: runtime/integrators takes steps with them, compiler/formulate/steps writes steps as
// functions of a kernel.
#pragma once

namespace mbc::kernel {

// Runge and Kutta's method of order 4 (Kutta 1901):
//
//   0   |
//   1/2 | 1/2
//   1/2 |     1/2
//   1   |         1
//       ------------------
//       | 1/6 2/6 2/6 1/6
//
// The sum k1 + 2 k2 + 2 k3 + k4 is multiplied by 1/6 and then by h: a uniform motion stays one to the last digit, which
// it does not with h/6, rounded once for all steps.
namespace rk4 {
inline constexpr double kMiddle = 2;  // the weight of k2 and k3
inline constexpr double kSixth = 1.0 / 6;
}  // namespace rk4

// Adams and Bashforth's method of order 4 (Bashforth and Adams 1883), y+ = y + h/24 (55 f_n - 59 f_(n-1) + 37 f_(n-2) -
// 9 f_(n-3)).
namespace ab4 {
inline constexpr double kDivisor = 24;
inline constexpr double kWeight[4] = {55, -59, 37, -9};  // of f_n, f_(n-1), f_(n-2), f_(n-3)
}  // namespace ab4

// Dormand and Prince's method of order 5 with an embedded one of order 4, and a continuous extension of order 4: J. R.
// Dormand, P. J. Prince, "A family of embedded Runge-Kutta formulae", J. Comput. Appl. Math. 6 (1980) 19-26, RK5(4)7M;
// the extension is the one of MATLAB's ode45.
//
//   0    |
//   1/5  | 1/5
//   3/10 | 3/40        9/40
//   4/5  | 44/45      -56/15       32/9
//   8/9  | 19372/6561 -25360/2187  64448/6561 -212/729
//   1    | 9017/3168  -355/33      46732/5247  49/176   -5103/18656
//   1    | 35/384      0           500/1113    125/192  -2187/6784   11/84
//        ------------------------------------------------------------------------
//   5th  | 35/384      0           500/1113    125/192  -2187/6784   11/84    0
//   5th - 4th | 71/57600  0  -71/16695  71/1920  -17253/339200  22/525  -1/40
namespace dopri5 {
inline constexpr double kC[5] = {1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1};
inline constexpr double kA[5][5] = {{1.0 / 5, 0, 0, 0, 0},
                                    {3.0 / 40, 9.0 / 40, 0, 0, 0},
                                    {44.0 / 45, -56.0 / 15, 32.0 / 9, 0, 0},
                                    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729, 0},
                                    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656}};
inline constexpr double kB[6] = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84};
inline constexpr double kE[7] = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
// Coefficients of theta, theta^2, theta^3, theta^4 in the weight of each stage.
inline constexpr double kI[7][4] = {{1, -183.0 / 64, 37.0 / 12, -145.0 / 128},
                                    {0, 0, 0, 0},
                                    {0, 1500.0 / 371, -1000.0 / 159, 1000.0 / 371},
                                    {0, -125.0 / 32, 125.0 / 12, -375.0 / 64},
                                    {0, 9477.0 / 3392, -729.0 / 106, 25515.0 / 6784},
                                    {0, -11.0 / 7, 11.0 / 3, -55.0 / 28},
                                    {0, 3.0 / 2, -4, 5.0 / 2}};
}  // namespace dopri5

}  // namespace mbc::kernel
