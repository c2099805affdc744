// SPDX-License-Identifier: Apache-2.0
// The method of Dormand and Prince of order 5 with an embedded one of order 4 and a continuous extension of order 4:
// J. R. Dormand, P. J. Prince, "A family of embedded Runge-Kutta formulae", J. Comput. Appl. Math. 6 (1980) 19-26,
// RK5(4)7M; the extension is the one of MATLAB's ode45. Seven stages; the last is the rate at the new state.
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
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace mbc::runtime {

class Dopri5 {
 public:
  explicit Dopri5(std::size_t n) : y_new_(n), error_(n), stage_(n) {
    for (std::vector<double>& k : k_) k.resize(n);
  }

  // From y to y_new(); y stays. rhs(t, y, dy) returns 0, or the failed entry + 1, and so does step(): the stage that
  // failed is then in failed_time() and failed_state(). k1 = f(t, y).
  template <class Rhs>
  std::int32_t step(Rhs&& rhs, double t, double h, const std::vector<double>& y, const std::vector<double>& k1) {
    const std::size_t n = y.size();
    k_[0] = k1;
    h_ = h;
    for (std::size_t s = 1; s < 6; ++s) {
      for (std::size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < s; ++j) sum += kA[s - 1][j] * k_[j][i];
        stage_[i] = y[i] + h * sum;
      }
      failed_time_ = t + kC[s - 1] * h;
      if (const std::int32_t failed = rhs(failed_time_, stage_.data(), k_[s].data())) return failed;
    }
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < 6; ++j) sum += kB[j] * k_[j][i];
      y_new_[i] = y[i] + h * sum;
    }
    return 0;
  }

  // After step(): rate_new() at (t + h, y_new), and with it error(), the estimate of the error of each entry.
  template <class Rhs>
  std::int32_t estimate(Rhs&& rhs, double t) {
    if (const std::int32_t failed = rhs(t + h_, y_new_.data(), k_[6].data())) {
      failed_time_ = t + h_;
      stage_ = y_new_;
      return failed;
    }
    for (std::size_t i = 0; i < error_.size(); ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < 7; ++j) sum += kE[j] * k_[j][i];
      error_[i] = h_ * sum;
    }
    return 0;
  }

  // After estimate(): the state at t + theta h, 0 <= theta <= 1, from the state y at t.
  void interpolate(double theta, const std::vector<double>& y, std::vector<double>& out) const {
    std::array<double, 7> b{};
    for (std::size_t j = 0; j < 7; ++j)
      b[j] = theta * (kI[j][0] + theta * (kI[j][1] + theta * (kI[j][2] + theta * kI[j][3])));
    for (std::size_t i = 0; i < out.size(); ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < 7; ++j) sum += b[j] * k_[j][i];
      out[i] = y[i] + h_ * sum;
    }
  }

  [[nodiscard]] const std::vector<double>& y_new() const { return y_new_; }
  [[nodiscard]] const std::vector<double>& rate_new() const { return k_[6]; }
  [[nodiscard]] const std::vector<double>& error() const { return error_; }
  [[nodiscard]] double failed_time() const { return failed_time_; }
  [[nodiscard]] const std::vector<double>& failed_state() const { return stage_; }

 private:
  static constexpr double kC[5] = {1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1};
  static constexpr double kA[5][5] = {{1.0 / 5, 0, 0, 0, 0},
                                      {3.0 / 40, 9.0 / 40, 0, 0, 0},
                                      {44.0 / 45, -56.0 / 15, 32.0 / 9, 0, 0},
                                      {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729, 0},
                                      {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656}};
  static constexpr double kB[6] = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84};
  static constexpr double kE[7] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                   -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
  // coefficients of theta, theta^2, theta^3, theta^4 in the weight of each stage
  static constexpr double kI[7][4] = {{1, -183.0 / 64, 37.0 / 12, -145.0 / 128},
                                      {0, 0, 0, 0},
                                      {0, 1500.0 / 371, -1000.0 / 159, 1000.0 / 371},
                                      {0, -125.0 / 32, 125.0 / 12, -375.0 / 64},
                                      {0, 9477.0 / 3392, -729.0 / 106, 25515.0 / 6784},
                                      {0, -11.0 / 7, 11.0 / 3, -55.0 / 28},
                                      {0, 3.0 / 2, -4, 5.0 / 2}};

  std::array<std::vector<double>, 7> k_;
  std::vector<double> y_new_, error_, stage_;
  double h_ = 0, failed_time_ = 0;
};

}  // namespace mbc::runtime
