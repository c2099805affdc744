// SPDX-License-Identifier: Apache-2.0
// The method of Dormand and Prince of order 5 with an embedded one of order 4 and a continuous extension of order 4: J.
// R. Dormand, P. J. Prince, "A family of embedded Runge-Kutta formulae", J. Comput. Appl. Math. 6 (1980) 19-26,
// RK5(4)7M; the extension is the one of MATLAB's ode45. It has seven stages; the last one is the rate at the new state.
// Coefficients: kernel/tableaux.h.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "kernel/tableaux.h"
#include "runtime/integrators/step_control.h"
#include "runtime/integrators/step_point.h"

namespace mbc::runtime {

class Dopri5 {
 public:
  explicit Dopri5(std::size_t n) : y_new_(n), error_(n), stage_(n) {
    for (std::vector<double>& k : k_) k.resize(n);
  }

  // Makes a step from y to y_new() and leaves y unchanged. rhs(t, y, dy) returns 0, or the failed entry + 1, and so
  // does step(); failed_time() and failed_state() then hold the failed stage. k1 = f(t, y).
  template <class Rhs>
  std::int32_t step(Rhs&& rhs, double t, double h, const std::vector<double>& y, const std::vector<double>& k1) {
    const std::size_t n = y.size();
    k_[0] = k1;
    h_ = h;
    for (std::size_t s = 1; s < 6; ++s) {
      for (std::size_t i = 0; i < n; ++i) stage_[i] = y[i] + h * weighed(kernel::dopri5::kA[s - 1], s, i);
      failed_time_ = t + kernel::dopri5::kC[s - 1] * h;
      if (const std::int32_t failed = rhs(failed_time_, stage_.data(), k_[s].data())) return failed;
    }
    for (std::size_t i = 0; i < n; ++i) y_new_[i] = y[i] + h * weighed(kernel::dopri5::kB, 6, i);
    return 0;
  }

  // Computes last_stage() after step(), and from it the error of each entry.
  template <class Rhs>
  std::int32_t estimate(Rhs&& rhs, double t) {
    if (const std::int32_t failed = rhs(t + h_, y_new_.data(), k_[6].data())) {
      failed_time_ = t + h_;
      stage_ = y_new_;
      return failed;
    }
    for (std::size_t i = 0; i < error_.size(); ++i) error_[i] = h_ * weighed(kernel::dopri5::kE, 7, i);
    return 0;
  }

  // Returns the error after estimate(). size(i) is what that of an entry is relative to.
  template <class Size>
  double error(StepControl& control, const std::vector<double>&, Size&& size) const {
    return control.measure(error_, size);
  }

  // The estimate has already computed what the continuous extension needs.
  template <class Rhs>
  std::int32_t extend(Rhs&&, double, const std::vector<double>&) {
    return 0;
  }

  // Returns the state inside the step after estimate(), from the state y at t.
  void interpolate(StepPoint at, const std::vector<double>& y, std::vector<double>& out) const {
    const double theta = at.theta;
    std::array<double, 7> b{};
    for (std::size_t j = 0; j < 7; ++j)
      b[j] =
          theta *
          (kernel::dopri5::kI[j][0] +
           theta * (kernel::dopri5::kI[j][1] + theta * (kernel::dopri5::kI[j][2] + theta * kernel::dopri5::kI[j][3])));
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = y[i] + h_ * weighed(b, 7, i);
  }

  // Returns the time derivative of that state.
  void slope(StepPoint at, std::vector<double>& out) const {
    const double theta = at.theta;
    std::array<double, 7> b{};
    for (std::size_t j = 0; j < 7; ++j)
      b[j] = kernel::dopri5::kI[j][0] +
             theta * (2 * kernel::dopri5::kI[j][1] +
                      theta * (3 * kernel::dopri5::kI[j][2] + theta * 4 * kernel::dopri5::kI[j][3]));
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = weighed(b, 7, i);
  }

  [[nodiscard]] const std::vector<double>& y_new() const { return y_new_; }
  // Returns the rate at y_new() after estimate().
  [[nodiscard]] const std::vector<double>& last_stage() const { return k_[6]; }
  [[nodiscard]] const std::vector<double>& error() const { return error_; }
  [[nodiscard]] double failed_time() const { return failed_time_; }
  [[nodiscard]] const std::vector<double>& failed_state() const { return stage_; }

 private:
  // Returns entry i of the weighted sum of the first `count` stages.
  template <class Weights>
  [[nodiscard]] double weighed(const Weights& weights, std::size_t count, std::size_t i) const {
    double sum = 0;
    for (std::size_t j = 0; j < count; ++j) sum += weights[j] * k_[j][i];
    return sum;
  }

  std::array<std::vector<double>, 7> k_;
  std::vector<double> y_new_, error_, stage_;
  double h_ = 0, failed_time_ = 0;
};

}  // namespace mbc::runtime
