// SPDX-License-Identifier: Apache-2.0
// Dormand and Prince's method of order 8 (kernel/tableau_dop853.h) with twelve stages, two estimates of the error, and
// dense output of order 7. With the stages k_j, k_1 = f(t, y) given,
//
//   y+ = y + h sum b_j k_j,   e5 = h sum e_j k_j,   e3 = h (sum b_j k_j - g_1 k_1 - g_9 k_9 - g_12 k_12)
//
// and Hairer's estimate of the error is |e5|^2 / sqrt(|e5|^2 + |e3|^2/100), of order 8 (step_control.h). Arrays have as
// many entries as the constructor was told.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernel/integrator_sums.h"
#include "kernel/tableau_dop853.h"
#include "runtime/integrators/step_control.h"
#include "runtime/integrators/step_point.h"

namespace mbc::runtime {

class Dop853 {
 public:
  explicit Dop853(std::size_t n) : y_new_(n), error_(n), coarse_(n), stage_(n), sum_(n) {
    for (std::vector<double>& k : k_) k.resize(n);
    for (std::vector<double>& c : between_) c.resize(n);
  }

  // Makes a step from y with the rate k1 at t to y_new() at t + h. rhs(t, y, dy) returns 0, or the failed entry + 1,
  // and so does step(); failed_time() and failed_state() then hold the failed stage.
  template <class Rhs>
  std::int32_t step(Rhs&& rhs, double t, double h, const std::vector<double>& y, const std::vector<double>& k1) {
    namespace table = kernel::dop853;
    k_[0] = k1;
    h_ = h;
    has_end_rate_ = has_extension_ = false;
    for (std::size_t s = 1; s < kStages; ++s) {
      add_up(y, table::kA[s - 1], s, stage_);
      if (const std::int32_t failed = evaluate(rhs, t + round(table::kC[s - 1]) * h, stage_, k_[s])) return failed;
    }
    add_up(y, table::kB, kStages, y_new_);
    return 0;
  }

  // Estimates the error of each entry after step(), of orders 5 and 3.
  template <class Rhs>
  std::int32_t estimate(Rhs&&, double) {
    namespace table = kernel::dop853;
    weigh(table::kError5, kStages);
    for (std::size_t i = 0; i < error_.size(); ++i) error_[i] = h_ * sum_[i];
    weigh(table::kB, kStages);
    const double g1 = round(table::kThird[0]), g9 = round(table::kThird[1]), g12 = round(table::kThird[2]);
    for (std::size_t i = 0; i < coarse_.size(); ++i)
      coarse_[i] = h_ * (sum_[i] - g1 * k_[0][i] - g9 * k_[8][i] - g12 * k_[11][i]);
    return 0;
  }

  // Returns Hairer's error after estimate(), relative to size(i).
  template <class Size>
  double error(StepControl& control, const std::vector<double>&, Size&& size) const {
    return control.measure(error_, coarse_, size);
  }

  // Evaluates the rate at (t + h, y_new) after step(), once.
  template <class Rhs>
  std::int32_t end_rate(Rhs&& rhs, double t) {
    if (has_end_rate_) return 0;
    if (const std::int32_t failed = evaluate(rhs, t + h_, y_new_, k_[kStages])) return failed;
    has_end_rate_ = true;
    return 0;
  }

  // Prepares interpolate() for the state y at t, by four evaluations once a step.
  template <class Rhs>
  std::int32_t extend(Rhs&& rhs, double t, const std::vector<double>& y) {
    namespace table = kernel::dop853;
    if (has_extension_) return 0;
    if (const std::int32_t failed = end_rate(rhs, t)) return failed;
    for (std::size_t s = 0; s < 3; ++s) {
      add_up(y, table::kMoreA[s], kStages + 1 + s, stage_);
      if (const std::int32_t failed = evaluate(rhs, t + round(table::kMoreC[s]) * h_, stage_, k_[kStages + 1 + s]))
        return failed;
    }
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double change = y_new_[i] - y[i], bent = h_ * k_[0][i] - change;
      between_[0][i] = change;
      between_[1][i] = bent;
      between_[2][i] = change - h_ * k_[kStages][i] - bent;
    }
    for (std::size_t c = 0; c < 4; ++c) {
      weigh(table::kD[c], kAll);
      for (std::size_t i = 0; i < y.size(); ++i) between_[3 + c][i] = h_ * sum_[i];
    }
    has_extension_ = true;
    return 0;
  }

  // Returns the state inside the step after extend().
  void interpolate(StepPoint at, const std::vector<double>& y, std::vector<double>& out) const {
    const double theta = at.theta, rest = 1 - theta;
    for (std::size_t i = 0; i < out.size(); ++i) {
      double value = between_[6][i];
      for (std::size_t c = 6; c-- > 0;) value = between_[c][i] + (c % 2 == 0 ? rest : theta) * value;
      out[i] = y[i] + theta * value;
    }
  }

  // Returns the time derivative of that state.
  void slope(StepPoint at, std::vector<double>& out) const {
    const double theta = at.theta;
    const double rest = 1 - theta;
    for (std::size_t i = 0; i < out.size(); ++i) {
      double value = between_[6][i], rate = 0;
      for (std::size_t c = 6; c-- > 0;) {
        const double factor = c % 2 == 0 ? rest : theta;
        rate = factor * rate + (c % 2 == 0 ? -value : value);
        value = between_[c][i] + factor * value;
      }
      out[i] = (value + theta * rate) / h_;
    }
  }

  // Returns |lambda| of the fastest decay after end_rate(), from the last stage and the end of the step (Hairer and
  // Wanner, "Solving Ordinary Differential Equations II", section IV.2). size(i) is the size of an entry in the norm of
  // the errors. The result is 0 if the two states are closer than `least`, because rounding would decide it.
  template <class Size>
  [[nodiscard]] double stiffness(Size&& size, double least) {
    namespace table = kernel::dop853;
    std::array<long double, kStages> apart{};  // the weights of y+ less those of the last stage
    for (std::size_t j = 0; j < kStages; ++j) apart[j] = table::kB[j] - (j + 1 < kStages ? table::kA[10][j] : 0);
    weigh(apart.data(), kStages);
    double of_rates = 0, of_states = 0, largest = 0;
    for (std::size_t i = 0; i < sum_.size(); ++i) {
      const double scale = 1 / size(i), rate = scale * (k_[kStages][i] - k_[kStages - 1][i]), state = scale * sum_[i];
      if (rate * rate > largest) stiffest_ = i;
      largest = std::max(largest, rate * rate);
      of_rates += rate * rate;
      of_states += state * state;
    }
    const double apart_by = h_ * std::sqrt(of_states);
    return apart_by > least ? std::sqrt(of_rates) / apart_by : 0;
  }
  // Returns after stiffness() whether the fast motion is a vibration, that is, J J d points against d, and not a decay.
  // J is the Jacobian of the rates.
  template <class Rhs, class Size>
  [[nodiscard]] bool vibrates(Rhs&& rhs, double t, Size&& size) {
    double of_rates = 0, of_states = 0;
    for (std::size_t i = 0; i < sum_.size(); ++i) {
      const double rate = (k_[kStages][i] - k_[kStages - 1][i]) / size(i), state = h_ * sum_[i] / size(i);
      of_rates += rate * rate;
      of_states += state * state;
    }
    const double step = std::sqrt(of_states / of_rates);  // the distance of the two states
    if (!std::isfinite(step)) return false;
    for (std::size_t i = 0; i < sum_.size(); ++i) stage_[i] = y_new_[i] + step * (k_[kStages][i] - k_[kStages - 1][i]);
    std::vector<double>& moved = coarse_;  // the step is accepted, so its estimates are free
    if (rhs(t + h_, stage_.data(), moved.data()) != 0) return false;
    double product = 0;
    for (std::size_t i = 0; i < sum_.size(); ++i)
      product += (moved[i] - k_[kStages][i]) / size(i) * (sum_[i] / size(i));
    return product < 0;
  }
  // Returns how much the rates change within the step, relative to their size. Needs end_rate().
  template <class Size>
  [[nodiscard]] double change_of_rates(Size&& size) const {
    double of_change = 0, of_rates = 0;
    for (std::size_t i = 0; i < sum_.size(); ++i) {
      const double before = k_[0][i] / size(i), after = k_[kStages][i] / size(i);
      of_change += (after - before) * (after - before);
      of_rates += std::max(before * before, after * after);
    }
    return of_rates > 0 ? std::sqrt(of_change / of_rates) : 0;
  }
  // Returns the entry whose rate changes most there.
  [[nodiscard]] std::size_t stiffest() const { return stiffest_; }
  // Limit of |lambda| h for stability
  static constexpr double kStable = 6.1;

  [[nodiscard]] const std::vector<double>& y_new() const { return y_new_; }
  [[nodiscard]] double failed_time() const { return failed_time_; }
  [[nodiscard]] const std::vector<double>& failed_state() const { return stage_; }

 private:
  static constexpr std::size_t kStages = 12, kAll = 16;
  static constexpr double round(long double x) { return static_cast<double>(x); }

  // sum_ = the weighted sum of the first `count` stages
  void weigh(const long double* weights, std::size_t count) {
    std::fill(sum_.begin(), sum_.end(), 0.0);
    for (std::size_t j = 0; j < count; ++j)
      if (weights[j] != 0) kernel::add_multiple(sum_.size(), sum_.data(), round(weights[j]), k_[j].data(), sum_.data());
  }
  void add_up(const std::vector<double>& y, const long double* weights, std::size_t count, std::vector<double>& out) {
    weigh(weights, count);
    kernel::add_multiple(y.size(), y.data(), h_, sum_.data(), out.data());
  }
  template <class Rhs>
  std::int32_t evaluate(Rhs& rhs, double t, const std::vector<double>& y, std::vector<double>& dy) {
    failed_time_ = t;
    const std::int32_t failed = rhs(t, y.data(), dy.data());
    if (failed != 0 && &y != &stage_) stage_ = y;
    return failed;
  }

  std::array<std::vector<double>, kAll> k_;
  std::array<std::vector<double>, 7> between_;
  std::vector<double> y_new_, error_, coarse_, stage_, sum_;
  double h_ = 0, failed_time_ = 0;
  std::size_t stiffest_ = 0;
  bool has_end_rate_ = false, has_extension_ = false;
};

}  // namespace mbc::runtime
