// SPDX-License-Identifier: Apache-2.0
// The implicit methods of Gauss with two and three stages, order 4 and 6 (Hairer, Lubich and Wanner, "Geometric
// Numerical Integration", 2nd ed., II.1.3), fixed step h:
//
//   K_i = f(t + c_i h, y + h sum_j a_ij K_j),   y+ = y + h sum_i b_i K_i
//
// They are symmetric and keep quadratic invariants. Fixed-point iteration finds the stages, starting from the
// polynomial of the step before, until only rounding changes them. The coefficients have two parts, so that the
// remaining rounding has no direction (Hairer, McLachlan and Razakarivony, "Achieving Brouwer's law with implicit
// Runge-Kutta methods", BIT 48 (2008) 231-243). The start of the iteration affects the result only by rounding.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/archive.h"
#include "base/epsilon.h"
#include "kernel/tableaux.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

class Gauss {
 public:
  static constexpr std::int32_t kNoSolution = -1;

  // `order` is 4 or 6. Arrays have n entries.
  Gauss(std::size_t n, int order)
      : table_(&(order == 4 ? kernel::gauss::kTwo : kernel::gauss::kThree)),
        s_(static_cast<std::size_t>(order / 2)),
        stage_(n),
        no_shift_(n),
        y_new_(n) {
    for (std::size_t i = 0; i < s_; ++i) {
      k_[i].resize(n);
      z_[i].resize(n);
      guess_[i].resize(n);
      least_[i].resize(n);
    }
  }

  // Sets the start of the iteration: the polynomial of the last step, if that had the same size, or k1, the rate at the
  // beginning.
  void begin(double h, const std::vector<double>& k1) {
    if (h != last_step_) {
      for (std::size_t i = 0; i < s_; ++i) k_[i] = k1;
      return;
    }
    for (std::size_t i = 0; i < s_; ++i) {
      std::fill(guess_[i].begin(), guess_[i].end(), 0.0);
      for (std::size_t j = 0; j < s_; ++j) {
        const double l = lagrange(j, 1 + table_->c[i]);
        for (std::size_t m = 0; m < guess_[i].size(); ++m) guess_[i][m] += l * k_[j][m];
      }
    }
    for (std::size_t i = 0; i < s_; ++i) k_[i].swap(guess_[i]);
  }

  // Solves the stages of a step of size h from y + shift, starting from the present ones. rhs(t, y, dy) returns 0, or
  // the failed entry + 1. So does solve() if the first evaluation fails; it returns kNoSolution if the iteration does
  // not converge.
  template <class Rhs>
  std::int32_t solve(Rhs&& rhs, double t, double h, const std::vector<double>& y, const std::vector<double>& shift) {
    last_step_ = 0;
    int still = 0;
    for (std::vector<double>& least : least_) least.assign(least.size(), std::numeric_limits<double>::infinity());
    for (int iteration = 0; iteration < kMostIterations; ++iteration) {
      still = iterate(h, iteration) ? 0 : still + 1;
      for (std::size_t i = 0; i < s_; ++i) {
        for (std::size_t m = 0; m < y.size(); ++m) stage_[m] = y[m] + (shift[m] + z_[i][m]);
        failed_time_ = t + table_->c[i] * h;
        if (const std::int32_t failed = rhs(failed_time_, stage_.data(), k_[i].data()))
          return iteration == 0 ? failed : kNoSolution;
      }
      if (still < kStill || !(off_ <= kStagesSolved)) continue;  // sums that overflow are no solution
      last_step_ = h;
      return 0;
    }
    return kNoSolution;
  }

  // Computes h sum b_i K_i of the present stages.
  void increment(double h, std::vector<double>& out) const {
    for (std::size_t m = 0; m < out.size(); ++m)
      out[m] = s_ == 2 ? h * ((k_[0][m] + k_[1][m]) / 2) : h * ((5 * (k_[0][m] + k_[2][m]) + 8 * k_[1][m]) / 18);
  }

  // Makes a step from y to y_new(), as Rk4::step does.
  template <class Rhs>
  std::int32_t step(Rhs&& rhs, double t, double h, const std::vector<double>& y, const std::vector<double>& k1) {
    begin(h, k1);
    if (const std::int32_t failed = solve(rhs, t, h, y, no_shift_)) return failed;
    increment(h, y_new_);
    for (std::size_t m = 0; m < y.size(); ++m) y_new_[m] = y[m] + y_new_[m];
    return 0;
  }

  // Forgets the polynomial of the last step.
  void forget() { last_step_ = 0; }

  void transfer(Archive& archive) {
    for (std::size_t i = 0; i < s_; ++i) archive.fixed(k_[i]);
    archive.may_be_infinite(last_step_);
  }

  [[nodiscard]] const std::vector<double>& y_new() const { return y_new_; }
  [[nodiscard]] double failed_time() const { return failed_time_; }
  [[nodiscard]] const std::vector<double>& failed_state() const { return stage_; }

 private:
  static constexpr int kMostIterations = 100;
  static constexpr int kStill = 2;  // consecutive iterations in which no entry has come closer

  // Computes z_ from the present rates. Returns whether an entry still changes by less than ever before and by more
  // than rounding (M. Antonana, J. Makazaga, A. Murua, "Reducing and monitoring round-off error propagation for
  // symplectic implicit Runge-Kutta schemes", Numer. Algorithms 76 (2017) 861-880).
  bool iterate(double h, int iteration) {
    bool nearer = iteration < 2;
    double of_change = 0, of_stages = 0;
    for (std::size_t i = 0; i < s_; ++i)
      for (std::size_t m = 0; m < stage_.size(); ++m) {
        double sum = 0, low = 0;
        for (std::size_t j = 0; j < s_; ++j) {
          sum += table_->a[i][j] * k_[j][m];
          low += table_->a_low[i][j] * k_[j][m];
        }
        const double z = h * (sum + low), change = std::fabs(z - z_[i][m]);
        z_[i][m] = z;
        of_change += change * change;
        of_stages += z * z;
        if (iteration == 0) continue;
        nearer |= change < least_[i][m] && change > kEpsilon * std::fabs(z);
        least_[i][m] = std::min(least_[i][m], change);
      }
    off_ = of_change > 0 ? std::sqrt(of_change / of_stages) : 0;
    return nearer;
  }

  // Returns the polynomial that is 1 at c_j and 0 at the other nodes.
  [[nodiscard]] double lagrange(std::size_t j, double x) const {
    double out = 1;
    for (std::size_t m = 0; m < s_; ++m)
      if (m != j) out *= (x - table_->c[m]) / (table_->c[j] - table_->c[m]);
    return out;
  }

  const kernel::gauss::Table* table_;
  std::size_t s_;
  std::array<std::vector<double>, 3> k_, z_, guess_, least_;
  std::vector<double> stage_, no_shift_, y_new_;
  double last_step_ = 0;  // 0 if there is no step to continue from
  double failed_time_ = 0, off_ = 0;
};

}  // namespace mbc::runtime
