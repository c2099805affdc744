// SPDX-License-Identifier: Apache-2.0
// The size of the steps of an embedded pair of order 5(4), as MATLAB's ode45 chooses it (Shampine and Reichelt, "The
// MATLAB ODE Suite", SIAM J. Sci. Comput. 18, 1997): the error of a step, in the largest norm over the components and
// relative to max(|y|, |y+|, atol/rtol), must not exceed rtol. An accepted step is followed by one of 0.8
// (rtol/error)^(1/5) its size, at most 5 times; a rejected one is repeated with that factor, at least 0.1, and with one
// half when it is rejected again.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/archive.h"

namespace mbc::runtime {

struct StepSettings {
  double rtol = 1e-6;
  double atol = 1e-9;
  double max_step = 0, initial_step = 0;  // 0: a tenth of the time span; from the rate at the beginning
};

class StepControl {
 public:
  // n: how many components, from the first, are under control.
  StepControl(const StepSettings& settings, double begin, double end, std::size_t n)
      : settings_(settings),
        n_(n),
        end_(end),
        max_step_(std::min(settings.max_step > 0 ? settings.max_step : 0.1 * (end - begin), end - begin)) {}

  // The first step: such that an Euler step with it changes no component by more than the tolerance explains.
  void begin(const std::vector<double>& y, const std::vector<double>& dy) {
    double rate = 0;
    for (std::size_t i = 0; i < n_; ++i) rate = std::max(rate, std::fabs(dy[i]) / std::max(std::fabs(y[i]), floor()));
    rate /= 0.8 * std::pow(settings_.rtol, kPower);
    step_ = settings_.initial_step > 0 ? settings_.initial_step : rate * max_step_ > 1 ? 1 / rate : max_step_;
    step_ = std::min(step_, max_step_);
  }

  // What is tried from t, not below `least`: the end is reached exactly, without a tiny last step.
  double next(double t, double least) {
    step_ = std::min(max_step_, std::max(step_, least));
    failed_ = false;
    reaches_end_ = 1.1 * step_ >= end_ - t;
    if (reaches_end_) uncut_ = step_;
    if (reaches_end_) step_ = end_ - t;
    return step_;
  }
  [[nodiscard]] double max_step() const { return max_step_; }
  [[nodiscard]] bool reaches_end() const { return reaches_end_; }
  // The end is another one, and the step that was cut to reach the last one counts no more.
  void go_on_to(double end) {
    end_ = end;
    step_ = std::max(step_, uncut_);
    uncut_ = 0;
  }
  [[nodiscard]] double smallest(double t) const {
    return 16 * std::numeric_limits<double>::epsilon() * std::max(std::fabs(t), max_step_);
  }

  // Largest scaled error of a step from y to y_new; error: that of the step. worst(): the component.
  double measure(const std::vector<double>& y, const std::vector<double>& y_new, const std::vector<double>& error) {
    double largest = 0;
    worst_ = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double size = std::max(std::max(std::fabs(y[i]), std::fabs(y_new[i])), floor());
      const double scaled = std::fabs(error[i]) / size;
      if (scaled <= largest) continue;
      worst_ = i;
      if (!std::isfinite(scaled)) return std::numeric_limits<double>::infinity();
      largest = scaled;
    }
    return largest;
  }
  [[nodiscard]] std::size_t worst() const { return worst_; }
  [[nodiscard]] bool accepts(double error) const { return error <= settings_.rtol; }

  // After a step with that error was rejected (infinity: it could not be evaluated): the size of the next attempt.
  double reject(double error) {
    const double factor = failed_ ? 0.5 : std::max(0.1, 0.8 * std::pow(settings_.rtol / error, kPower));
    failed_ = true;
    reaches_end_ = false;
    uncut_ = 0;
    return step_ *= factor;
  }
  // After one was accepted; a step that had to be shortened is not lengthened at once.
  void accept(double error) {
    if (failed_) return;
    const double shrink = 1.25 * std::pow(error / settings_.rtol, kPower);
    step_ = shrink > 0.2 ? step_ / shrink : 5 * step_;
  }

  void transfer(Archive& archive) {
    archive(end_, max_step_, step_, uncut_, worst_, failed_, reaches_end_);
    archive.expect(std::isfinite(end_) && max_step_ > 0 && step_ > 0 && uncut_ >= 0 && (worst_ == 0 || worst_ < n_));
  }

 private:
  static constexpr double kPower = 0.2;  // 1/(4 + 1)
  [[nodiscard]] double floor() const { return settings_.atol / settings_.rtol; }

  StepSettings settings_;
  std::size_t n_;
  double end_, max_step_, step_ = 0, uncut_ = 0;
  std::size_t worst_ = 0;
  bool failed_ = false, reaches_end_ = false;
};

}  // namespace mbc::runtime
