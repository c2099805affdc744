// SPDX-License-Identifier: Apache-2.0
// Taylor's method: the coefficients y_k of the motion at a state, of any order p, give the step and its size (A. Jorba,
// M. Zou, "A software package for the numerical integration of ODEs by means of high-order Taylor methods", Exp. Math.
// 14, 2005). With a tolerance eps of one step, relative to sizes,
//
//   p = ceil(1 - ln(eps)/2),   h = min over j = p - 1, p of (eps/|y_j|)^(1/j),
//
// so that the last terms are about the tolerance. If the terms fall like those of a series of radius rho, h = rho/e^2,
// where a unit of time costs least. The polynomial is also the dense output of the step. The sum
//
//   y+ = y + (y_1 h + ... + y_p h^p)
//
// is formed from the smallest term on. The rounding of its last addition is added in the next step (W. Kahan, "Further
// remarks on reducing truncation errors", Comm. ACM 8, 1965) unless something else moves the entry. Arrays have as many
// entries as the constructor was told.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/archive.h"
#include "kernel/integrator_sums.h"
#include "runtime/integrators/step_control.h"
#include "runtime/integrators/step_point.h"

namespace mbc::runtime {

class Taylor {
 public:
  // Returns the coefficients at (t, y): y_k of entry i at [k n + i], k = 0 .. order. Null means that there are none.
  using Series = std::function<const double*(double t, const double* y)>;

  Taylor(std::size_t n, std::uint32_t order, Series series)
      : series_(std::move(series)),
        order_(order),
        y_new_(n),
        change_(n),
        rate_new_(n),
        inverse_(n),
        start_(n),
        carry_(n),
        left_(n) {}

  // Returns the order for the tolerance of one step.
  static std::uint32_t order_for(double tolerance) {
    return static_cast<std::uint32_t>(std::clamp(std::ceil(1 - 0.5 * std::log(tolerance)), 4.0, 40.0));
  }

  // Computes the coefficients at a state. Returns false if there are none. step() calls it as well.
  bool develop(double t, const std::vector<double>& y) {
    failed_time_ = t;
    failed_state_ = y;
    series_at_hand_ = series_(t, y.data());
    return series_at_hand_ != nullptr;
  }
  // Sets the sizes that errors are relative to from here on.
  template <class Size>
  void compare_with(Size&& size) {
    for (std::size_t i = 0; i < inverse_.size(); ++i) inverse_[i] = 1 / size(i);
  }
  // Returns the size of the step after develop(). It is infinite for a motion that is a polynomial of lower order.
  [[nodiscard]] double longest(double tolerance) const {
    double h = HUGE_VAL;
    for (const std::uint32_t j : {order_ - 1, order_}) h = std::min(h, std::pow(tolerance / largest(j), 1.0 / j));
    return h;
  }

  // Makes a step from y at t to y_new() at t + h; the rate is that of the series.
  template <class Rhs>
  std::int32_t step(Rhs&&, double t, double h, const std::vector<double>& y, const std::vector<double>&) {
    if (!develop(t, y)) return 1;
    h_ = h;
    keep_carry(y);
    sum(h, change_);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double change = change_[i] + carry_[i];
      y_new_[i] = y[i] + change;
      left_[i] = change - (y_new_[i] - y[i]);
    }
    return 0;
  }
  template <class Rhs>
  std::int32_t estimate(Rhs&&, double) {
    return 0;
  }
  // Returns the last terms after step(), relative to size(i) from here on.
  template <class Size>
  double error(StepControl&, const std::vector<double>&, Size&& size) {
    compare_with(size);
    return std::max(largest(order_ - 1) * std::pow(h_, order_ - 1), largest(order_) * std::pow(h_, order_));
  }
  // Computes after step() the sum of the terms behind the last one, for terms that fall as those of a series whose
  // radius is e^2 h. Each second term of a series may vanish, so that the last two show the size.
  void neglected(std::vector<double>& out) const {
    const double fall = std::exp(-2.0), last = std::pow(h_, order_);
    const double *y = coefficient(order_), *before = coefficient(order_ - 1);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double size = std::max(std::fabs(y[i]), fall * std::fabs(before[i]) / h_);
      out[i] = -std::copysign(fall / (1 - fall) * last * size, y[i]);
    }
  }
  // Returns after step() the difference between a given rate at the end and that of the polynomial, times h and
  // relative to sizes, in the first `count` entries. worst() is the entry.
  double defect(const std::vector<double>& rate, std::size_t count) {
    slope_after(h_, rate_new_);
    double most = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double apart = h_ * std::fabs(rate[i] - rate_new_[i]) * inverse_[i];
      if (apart <= most) continue;
      worst_ = i;
      most = apart;  // also if it is undefined
    }
    return most;
  }
  // Returns the rate of the polynomial inside the step.
  void slope(StepPoint at, std::vector<double>& out) const { slope_after(at.t - failed_time_, out); }

  // The polynomial is the dense output.
  template <class Rhs>
  std::int32_t extend(Rhs&&, double, const std::vector<double>&) {
    return 0;
  }
  void interpolate(StepPoint at, const std::vector<double>& y, std::vector<double>& out) const {
    sum(at.theta * h_, out);
    for (std::size_t i = 0; i < y.size(); ++i) out[i] += y[i];
  }

  [[nodiscard]] std::uint32_t order() const { return order_; }
  [[nodiscard]] const std::vector<double>& y_new() const { return y_new_; }
  // Returns y_1 after develop().
  [[nodiscard]] const double* rate() const { return coefficient(1); }
  [[nodiscard]] std::size_t worst() const { return worst_; }
  [[nodiscard]] double failed_time() const { return failed_time_; }
  [[nodiscard]] const std::vector<double>& failed_state() const { return failed_state_; }

  void transfer(Archive& archive) { archive.fixed(y_new_, start_, carry_, left_); }

 private:
  [[nodiscard]] const double* coefficient(std::uint32_t k) const { return series_at_hand_ + k * y_new_.size(); }
  [[nodiscard]] double largest(std::uint32_t order) const {
    constexpr std::size_t kApart = 4;  // sums that do not wait for each other
    const double* y = coefficient(order);
    double most[kApart] = {0, 0, 0, 0};
    for (std::size_t i = 0; i < inverse_.size(); ++i)
      most[i % kApart] = std::max(most[i % kApart], std::fabs(y[i]) * inverse_[i]);
    return std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
  }
  void slope_after(double h, std::vector<double>& out) const {
    const std::size_t n = out.size();
    for (std::size_t i = 0; i < n; ++i) out[i] = order_ * coefficient(order_)[i];
    for (std::uint32_t k = order_ - 1; k > 0; --k) kernel::add_derivative(n, h, k, coefficient(k), out.data());
  }
  // out = y_1 h + ... + y_p h^p
  void sum(double h, std::vector<double>& out) const {
    const std::size_t n = out.size();
    std::copy_n(coefficient(order_), n, out.begin());
    for (std::uint32_t k = order_ - 1; k > 0; --k) kernel::add_multiple(n, coefficient(k), h, out.data(), out.data());
    for (std::size_t i = 0; i < n; ++i) out[i] *= h;
  }
  // Keeps the rounding of the step that led here, for entries that have not moved since. A repeated step begins with
  // the same rounding as the first attempt.
  void keep_carry(const std::vector<double>& y) {
    if (y == start_) return;
    for (std::size_t i = 0; i < y.size(); ++i) carry_[i] = y[i] == y_new_[i] ? left_[i] : 0;
    start_ = y;
  }

  Series series_;
  std::uint32_t order_;
  const double* series_at_hand_ = nullptr;
  std::vector<double> y_new_, change_, rate_new_, inverse_;
  std::vector<double> start_, carry_, left_;  // state of the step, rounding that it adds, rounding that it leaves
  double h_ = 0, failed_time_ = 0;
  std::vector<double> failed_state_;
  std::size_t worst_ = 0;
};

}  // namespace mbc::runtime
