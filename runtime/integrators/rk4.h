// SPDX-License-Identifier: Apache-2.0
// The classical fourth-order method of Runge and Kutta (Kutta 1901), fixed step h:
//
//   k1 = f(t, y), k2 = f(t+h/2, y+h/2 k1), k3 = f(t+h/2, y+h/2 k2), k4 = f(t+h, y+h k3),
//   y+ = y + h/6 (k1 + 2 k2 + 2 k3 + k4)
//
// k1 is given: the loop evaluates it at every accepted state anyway, for the record and the certification. Arrays have
// as many entries as the constructor was told.
#pragma once
#include <cstdint>
#include <vector>

#include "kernel/integrator_sums.h"

namespace mbc::runtime {

class Rk4 {
 public:
  explicit Rk4(std::size_t n) : k2_(n), k3_(n), k4_(n), stage_(n) {}

  // Makes a step from y to y_new(). rhs(t, y, dy) returns 0, or the failed entry + 1, and so does step(); failed_time()
  // and failed_state() then hold the failed stage.
  template <class Rhs>
  std::int32_t step(Rhs&& rhs, double t, double h, const std::vector<double>& y, const std::vector<double>& k1) {
    const std::size_t n = y.size();
    const auto stage = [&](double c, const std::vector<double>& slope, std::vector<double>& k) {
      kernel::add_multiple(n, y.data(), c * h, slope.data(), stage_.data());
      failed_time_ = t + c * h;
      return rhs(failed_time_, stage_.data(), k.data());
    };
    if (const std::int32_t s = stage(0.5, k1, k2_)) return s;
    if (const std::int32_t s = stage(0.5, k2_, k3_)) return s;
    if (const std::int32_t s = stage(1.0, k3_, k4_)) return s;
    y_new_ = y;
    kernel::add_runge_kutta(n, h, k1.data(), k2_.data(), k3_.data(), k4_.data(), y_new_.data());
    return 0;
  }

  [[nodiscard]] const std::vector<double>& y_new() const { return y_new_; }
  [[nodiscard]] double failed_time() const { return failed_time_; }
  [[nodiscard]] const std::vector<double>& failed_state() const { return stage_; }

 private:
  std::vector<double> k2_, k3_, k4_, stage_, y_new_;
  double failed_time_ = 0;
};

}  // namespace mbc::runtime
