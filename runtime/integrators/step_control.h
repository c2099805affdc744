// SPDX-License-Identifier: Apache-2.0
// The step size of an embedded pair of order 5(4), as MATLAB's ode45 chooses it (Shampine and Reichelt, "The MATLAB ODE
// Suite", SIAM J. Sci. Comput. 18, 1997). The error of a step, in the maximum norm and relative to max(|y|, |y+|,
// atol/rtol), must not exceed rtol. After an accepted step the size is multiplied by 0.8 (rtol/error)^(1/5), at most 5.
// A rejected step is repeated with that factor, at least 0.1, and with one half if it is rejected again.
//
// For the pair of order 8 the error is Hairer's, |e5|^2 / sqrt(|e5|^2 + |e3|^2/100) from two estimates e5 and e3. The
// size follows from the error and the one before it by a PI controller (Hairer, Norsett and Wanner, "Solving Ordinary
// Differential Equations I", section II.10 and "II", section IV.2). With err = error/rtol and beta = 0.04, an accepted
// step multiplies the size by 0.9 err^-(1/8 - 0.2 beta) err_before^beta, between a third and 6. A rejected one is
// repeated with the factor 0.9 err^-(1/8 - 0.2 beta), at least a third.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/archive.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

struct StepSettings {
  double rtol = 1e-6;
  double atol = 1e-9;
  double max_step = 0, initial_step = 0;  // 0: a tenth of the time span; by the rate at the beginning
  int order = 5;                          // of the method, 5 or 8
  double tolerance = 0;                   // of the whole motion, if errors are relative to sizes
  bool by_sizes = false;                  // errors are relative to the sizes of the model (error_sizes.h)
};

class StepControl {
 public:
  // The first n components are under control.
  StepControl(const StepSettings& settings, double begin, double end, std::size_t n)
      : settings_(settings),
        n_(n),
        end_(end),
        max_step_(std::min(settings.max_step > 0 ? settings.max_step : 0.1 * (end - begin), end - begin)) {}

  // Chooses the first step so that an Euler step changes no component by more than the tolerance explains.
  void begin(const std::vector<double>& y, const std::vector<double>& dy) {
    double rate = 0;
    for (std::size_t i = 0; i < n_; ++i) rate = std::max(rate, std::fabs(dy[i]) / std::max(std::fabs(y[i]), floor()));
    rate /= 0.8 * std::pow(settings_.rtol, kPower);
    step_ = settings_.initial_step > 0 ? settings_.initial_step : rate * max_step_ > 1 ? 1 / rate : max_step_;
    step_ = std::min(step_, max_step_);
  }

  // Chooses the first step of the pair of order 8 (Hairer, section II.4) so that rates, and their change along an Euler
  // step, are small relative to the tolerance. size(i) is the size that errors are relative to. change(h) evaluates the
  // rate after an Euler step of size h and returns |its change|/h in the norm of the errors.
  template <class Size, class Change>
  void begin(const std::vector<double>& y, const std::vector<double>& dy, Size&& size, Change&& change) {
    double of_state = 0, of_rate = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      of_state = std::max(of_state, std::fabs(y[i]) / (settings_.rtol * size(i)));
      of_rate = std::max(of_rate, std::fabs(dy[i]) / (settings_.rtol * size(i)));
    }
    const double euler =
        std::min(of_state < 1e-5 || of_rate < 1e-5 ? 1e-6 * max_step_ : 0.01 * of_state / of_rate, max_step_);
    const double curved = std::max(change(euler) / settings_.rtol, of_rate);
    const double wanted = curved <= 1e-15 ? std::max(1e-6 * max_step_, 1e-3 * euler) : std::pow(0.01 / curved, 1.0 / 8);
    step_ = settings_.initial_step > 0 ? settings_.initial_step : std::min(100 * euler, wanted);
    step_ = std::min(step_, max_step_);
  }

  // Returns the size to try from t, at least `least`. The end is reached exactly, without a tiny last step.
  double next(double t, double least) {
    step_ = std::min(max_step_, std::max(step_, least));
    failed_ = false;
    reaches_end_ = stretch_ * step_ >= end_ - t;
    if (reaches_end_) uncut_ = step_;
    if (reaches_end_) step_ = end_ - t;
    return step_;
  }
  // Takes the size from a method that finds it itself.
  void want(double h) {
    step_ = std::min(h, std::exchange(most_, std::numeric_limits<double>::infinity()));
    uncut_ = 0;
    stretch_ = 1;
  }
  // Limits the next attempt.
  void shorten(double h) {
    step_ = std::min(step_, h);
    uncut_ = 0;
  }
  // Limits the next step as well, whatever the method wants.
  void shorten_next(double h) {
    shorten(h);
    most_ = h;
  }
  [[nodiscard]] double max_step() const { return max_step_; }
  [[nodiscard]] double end() const { return end_; }
  [[nodiscard]] bool reaches_end() const { return reaches_end_; }
  // Sets another end. The step that was cut to reach the last end does not count.
  void go_on_to(double end) {
    end_ = end;
    step_ = std::max(step_, uncut_);
    uncut_ = 0;
  }
  // The time counts from the beginning of the motion. Near it steps may be short beside a long span: Robertson's
  // reaction begins within 1e-4 of 4e11 seconds.
  [[nodiscard]] double smallest(double t) const {
    return 16 * std::numeric_limits<double>::epsilon() * std::max(std::fabs(t), kFirstSteps * max_step_);
  }

  // Returns the largest scaled error of a step; `error` is that of each component, and size(i) what it is relative to.
  // worst() is the component.
  template <class Size>
  double measure(const std::vector<double>& error, Size&& size) {
    double largest = 0;
    worst_ = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double scaled = std::fabs(error[i]) / size(i);
      if (scaled <= largest) continue;
      worst_ = i;
      if (!std::isfinite(scaled)) return std::numeric_limits<double>::infinity();
      largest = scaled;
    }
    return largest;
  }
  // Returns Hairer's error of a step. size(i) is the size that an entry is relative to. The largest entry counts, or
  // the mean.
  template <class Size>
  double measure(const std::vector<double>& fine, const std::vector<double>& coarse, Size&& size) {
    double of_fine = 0, of_coarse = 0, largest = 0;  // the squares, or their sums
    worst_ = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double scale = 1 / size(i), e = scale * fine[i], c = scale * coarse[i];
      if (!std::isfinite(e) || !std::isfinite(c)) {
        worst_ = i;
        return std::numeric_limits<double>::infinity();
      }
      if (e * e > largest) worst_ = i;
      largest = std::max(largest, e * e);
      of_fine = settings_.by_sizes ? largest : of_fine + e * e;
      of_coarse = settings_.by_sizes ? std::max(of_coarse, c * c) : of_coarse + c * c;
    }
    if (of_fine == 0) return 0;
    const double count = settings_.by_sizes ? 1 : static_cast<double>(n_);
    return of_fine / std::sqrt(count * (of_fine + 0.01 * of_coarse));
  }
  [[nodiscard]] std::size_t worst() const { return worst_; }
  [[nodiscard]] bool accepts(double error) const { return error <= settings_.rtol; }

  // Returns the size of the next attempt after a step with that error was rejected; infinity means that it was
  // undefined.
  double reject(double error) {
    const double again =
        std::exchange(failed_, true) ? 0.5 : std::max(0.1, 0.8 * std::pow(settings_.rtol / error, kPower));
    const double by_pi = std::isfinite(error) ? std::max(1.0 / 3, 0.9 * std::pow(settings_.rtol / error, kPi)) : 0.1;
    reaches_end_ = false;
    uncut_ = 0;
    return step_ *= settings_.order == 8 ? by_pi : again;
  }

  // Chooses the next size after an accepted step. A step that had to be shortened is not lengthened at once.
  void accept(double error) {
    if (settings_.order == 8) {
      const double relative = error / settings_.rtol;
      const double factor = 0.9 * std::pow(before_, kBeta) / std::pow(std::max(relative, 1e-300), kPi);
      step_ *= std::clamp(factor, 1.0 / 3, failed_ ? 1.0 : 6.0);
      before_ = std::max(relative, 1e-4);
      return;
    }
    if (failed_) return;
    const double shrink = 1.25 * std::pow(error / settings_.rtol, kPower);
    step_ = shrink > 0.2 ? step_ / shrink : 5 * step_;
  }

  void transfer(Archive& archive) {
    const double of_run = max_step_;
    archive(end_, max_step_, step_, uncut_);
    archive.may_be_infinite(most_);
    archive(before_, worst_, failed_, reaches_end_);
    archive.expect(max_step_ > 1e-9 * of_run);  // smaller steps would make no progress
    archive.expect(max_step_ > 0 && step_ > 0 && uncut_ >= 0 && most_ > 0 && before_ > 0 &&
                   (worst_ == 0 || worst_ < n_));
  }

 private:
  static constexpr double kPower = 0.2;  // 1/(4 + 1)
  static constexpr double kBeta = 0.04, kPi = 1.0 / 8 - 0.2 * kBeta;
  [[nodiscard]] double floor() const { return settings_.atol / settings_.rtol; }

  StepSettings settings_;
  std::size_t n_;
  double end_, max_step_, step_ = 0, uncut_ = 0;
  double most_ = std::numeric_limits<double>::infinity();  // limit of the next want()
  double stretch_ = 1.1;                                   // factor by which a step may be longer to reach the end
  double before_ = 1e-4;                                   // error of the last step, relative to the tolerance
  std::size_t worst_ = 0;
  bool failed_ = false, reaches_end_ = false;
};

}  // namespace mbc::runtime
