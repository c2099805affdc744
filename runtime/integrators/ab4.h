// SPDX-License-Identifier: Apache-2.0
// The explicit method of Adams and Bashforth of order 4 (Bashforth and Adams 1883), fixed step h:
//
//   y+ = y + h/24 (55 f_n - 59 f_(n-1) + 37 f_(n-2) - 9 f_(n-3)),   f_k = f(t_k, y_k) at the accepted states
//
// It needs one evaluation a step. The Runge-Kutta method of order 4, whose error per step is of the same order, makes
// the first three steps and those after forget(). The history holds the rates at the accepted states, after any
// correction onto the constraints. Arrays have as many entries as the constructor was told.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "base/archive.h"
#include "kernel/tableaux.h"
#include "runtime/integrators/rk4.h"

namespace mbc::runtime {

class Ab4 {
 public:
  explicit Ab4(std::size_t n) : start_(n) {
    for (std::vector<double>& f : past_) f.resize(n);
  }

  // Makes a step as Rk4::step does, with f_n = f(t, y).
  template <class Rhs>
  std::int32_t step(Rhs&& rhs, double t, double h, const std::vector<double>& y, const std::vector<double>& f_n) {
    used_history_ = known_ == 3;
    if (!used_history_) {
      if (const std::int32_t failed = start_.step(rhs, t, h, y, f_n)) return failed;
      ++known_;
      y_new_ = start_.y_new();
    } else {
      const std::vector<double>&f1 = past_[0], &f2 = past_[1], &f3 = past_[2];
      const auto& w = kernel::ab4::kWeight;
      y_new_ = y;
      for (std::size_t i = 0; i < y.size(); ++i)
        y_new_[i] += h / kernel::ab4::kDivisor * (w[0] * f_n[i] + w[1] * f1[i] + w[2] * f2[i] + w[3] * f3[i]);
    }
    past_[2].swap(past_[1]);
    past_[1].swap(past_[0]);
    past_[0] = f_n;
    return 0;
  }

  // Forgets the history: after an event, another set of rows or a jump of the state it belongs to another motion.
  void forget() { known_ = 0; }
  // Returns whether the last step used rates of earlier states.
  [[nodiscard]] bool used_history() const { return used_history_; }

  void transfer(Archive& archive) {
    for (std::vector<double>& f : past_) archive.fixed(f);
    archive(known_);
    archive.expect(known_ >= 0 && known_ <= 3);
  }

  [[nodiscard]] const std::vector<double>& y_new() const { return y_new_; }
  [[nodiscard]] double failed_time() const { return start_.failed_time(); }
  [[nodiscard]] const std::vector<double>& failed_state() const { return start_.failed_state(); }

 private:
  Rk4 start_;
  std::vector<double> y_new_;
  std::array<std::vector<double>, 3> past_;  // f_(n-1), f_(n-2), f_(n-3)
  int known_ = 0;                            // how many of them are known
  bool used_history_ = false;
};

}  // namespace mbc::runtime
