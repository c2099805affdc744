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
// The sum k1 + 2 k2 + 2 k3 + k4 is multiplied by 1/6 and then by h. A uniform motion then stays uniform to the last
// digit, which it does not with h/6, rounded once for all steps.
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

// Gauss's implicit methods with two and three stages (Hairer, Lubich and Wanner, "Geometric Numerical Integration",
// II.1.3):
//
//   1/2 - r/6 | 1/4        1/4 - r/6        1/2 - w/10 | 5/36         2/9 - w/15  5/36 - w/30
//   1/2 + r/6 | 1/4 + r/6  1/4              1/2        | 5/36 + w/24  2/9         5/36 - w/24
//             | 1/2        1/2              1/2 + w/10 | 5/36 + w/30  2/9 + w/15  5/36
//                                                      | 5/18         4/9         5/18
//
// r = sqrt(3), w = sqrt(15). a_low is the rounding error of a.
namespace gauss {
struct Table {
  double c[3], a[3][3], a_low[3][3];
};
inline constexpr Table kTwo = {{0.2113248654051871, 0.7886751345948129, 0},
                               {{0.25, -0.03867513459481288, 0}, {0.5386751345948129, 0.25, 0}, {0, 0, 0}},
                               {{0, -2.8473525618637145e-18, 0}, {1.6725140369678172e-17, 0, 0}, {0, 0, 0}}};
inline constexpr Table kThree = {{0.11270166537925831, 0.5, 0.8872983346207417},
                                 {{0.1388888888888889, -0.0359766675249389, 0.009789444015308325},
                                  {0.30026319498086457, 0.2222222222222222, -0.022485417203086815},
                                  {0.26798833376246944, 0.48042111196938336, 0.1388888888888889}},
                                 {{-6.1679056923619804e-18, -1.7131477166576787e-18, 6.854025647616559e-19},
                                  {2.5164098933700036e-17, 1.2335811384723961e-17, 6.64006153065758e-19},
                                  {7.795467762236068e-18, -1.5248592937337767e-17, -6.1679056923619804e-18}}};
}  // namespace gauss

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
