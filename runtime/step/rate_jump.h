// SPDX-License-Identifier: Apache-2.0
// Detects a jump of the rates within the smallest possible step. Steps become that small where a load jumps that was
// not located (`kinks = ignore`) and acts on a part at rest. The part has no size yet, so any tolerance is too small.
// Across a jump J of its rate an entry is off by at most h J, which is h/T of the change that the new rate causes in
// the remaining time T of the run. The step is therefore accepted.
//
// A pole must not be crossed in this way. The rates are compared on both sides at three points that are kJumpAside/2
// steps apart. At a jump they are smooth on either side: they change linearly, and some of them by far less than the
// jump. At a pole they change on at least one side as much as between the sides.
#pragma once
#include <cmath>
#include <cstddef>
#include <vector>

#include "runtime/tolerances.h"

namespace mbc::runtime {

class RateJump {
 public:
  // Returns whether rates jump in a step of size h from the state y with the rate dy at t to y_new. rate(t, y, dy) is 0
  // where it is defined; small(i) is what the error of an entry may be. The first n entries are looked at.
  template <class Rate, class Small>
  bool crossed(Rate&& rate, double t, double h, const std::vector<double>& y, const std::vector<double>& dy,
               const std::vector<double>& y_new, std::size_t n, Small&& small) {
    const double half = 0.5 * kJumpAside * h;
    behind_.resize(y.size());
    if (rate(t + h, y_new.data(), behind_.data()) != 0) return false;
    if (!look(rate, t, -half, y, dy, before_) || !look(rate, t + h, half, y_new, behind_, after_)) return false;
    bool jumps = false;
    for (std::size_t i = 0; i < n; ++i) {
      const double jump = std::fabs(behind_[i] - dy[i]);
      const Change ahead = before_.of(i, dy[i]), later = after_.of(i, behind_[i]);
      const double most = std::fmax(ahead.most, later.most), bent = std::fmax(ahead.bent, later.bent);
      if (!(h * bent <= small(i)) && !(bent <= kJumpSmooth * std::fmax(jump, most))) return false;
      jumps = jumps || (h * jump > small(i) && most <= kJumpSmooth * jump);
    }
    return jumps;
  }

 private:
  struct Change {
    double most, bent;  // largest change; deviation from a linear change
  };
  struct Side {
    std::vector<double> near, far;
    [[nodiscard]] Change of(std::size_t i, double here) const {
      return {std::fmax(std::fabs(near[i] - here), std::fabs(far[i] - here)),
              std::fabs(far[i] - near[i] - (near[i] - here))};
    }
  };
  template <class Rate>
  bool look(Rate&& rate, double t, double step, const std::vector<double>& y, const std::vector<double>& dy,
            Side& side) {
    const auto at = [&](double aside, std::vector<double>& out) {
      moved_ = y;
      for (std::size_t i = 0; i < y.size(); ++i) moved_[i] += aside * dy[i];
      out.resize(y.size());
      return rate(t + aside, moved_.data(), out.data()) == 0;
    };
    return at(step, side.near) && at(2 * step, side.far);
  }

  std::vector<double> behind_, moved_;
  Side before_, after_;
};

}  // namespace mbc::runtime
