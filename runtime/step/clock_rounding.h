// SPDX-License-Identifier: Apache-2.0
// ClockRounding measures what the rounding of the time makes of the rates. A time t has a rounding of eps t: at Unix
// seconds a load of 100 rad/s turns by 2e-5 in it, so that the estimates of errors are noise, and no step is short
// enough for a tolerance below it. In a step of h such rates move an entry by h times their rounding. Of that,
// a quarter of kRoundingsOfTerms is no error, since no step can do better. The size is measured, as the change of the
// rates from a time to the next one, only where steps are rejected again and again, and where the clock reads more than
// the run lasts. Rows that lead a state by the time round it as well, whatever the step. The method for stiff problems
// takes the difference of such states for an error.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/archive.h"
#include "base/epsilon.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

// Returns whether a clock reads more at the beginning than a motion of that length lasts.
inline bool is_late(double begin, double span) { return std::fabs(begin) > span; }

// Returns the time after t in roundings of the clock.
inline double next_on_clock(double t) { return t + kEpsilon * std::fabs(t); }

class ClockRounding {
 public:
  // n entries of an integrated state.
  explicit ClockRounding(std::size_t n) : rounding_(n), moved_(n), shifted_(n), end_rate_(n) {}

  struct Step {
    double t, h;
    const std::vector<double>&y, &rate, &y_new;
  };
  // Measures the rounding of the rates at both ends of a step, and what it makes of the rates that follow from it.
  // Returns false where they are undefined. rhs(t, y, dy) returns 0, or the failed entry + 1.
  template <class Rhs>
  bool measure(Rhs&& rhs, const Step& step) {
    const double end = step.t + step.h;
    if (rhs(next_on_clock(step.t), step.y.data(), shifted_.data()) != 0) return false;
    for (std::size_t i = 0; i < rounding_.size(); ++i) rounding_[i] = std::fabs(shifted_[i] - step.rate[i]);
    if (rhs(end, step.y_new.data(), end_rate_.data()) != 0) return false;
    if (rhs(next_on_clock(end), step.y_new.data(), shifted_.data()) != 0) return false;
    raise();
    for (std::size_t i = 0; i < moved_.size(); ++i) moved_[i] = step.y_new[i] + step.h * rounding_[i];
    if (rhs(end, moved_.data(), shifted_.data()) != 0) return false;
    raise();
    // The rounding is all that is left of a rate beside a pole of the time, and says nothing.
    for (std::size_t i = 0; i < rounding_.size(); ++i)
      rounding_[i] =
          std::min(rounding_[i], kAsLargeAsMotion * std::max(std::fabs(step.rate[i]), std::fabs(end_rate_[i])));
    return true;
  }
  // Measures the same at a state of a method that is not asked for the size of its step, and what the clock rounds of
  // the state itself, where rows lead it by the time: project(t, y) moves it onto them, or returns false.
  template <class Rhs, class Project>
  bool measure_state(Rhs&& rhs, const Step& step, Project&& project) {
    if (!measure(rhs, step)) return false;
    moved_ = step.y;
    led_.assign(moved_.size(), 0);
    if (!project(next_on_clock(step.t), moved_.data())) return false;
    for (std::size_t i = 0; i < led_.size(); ++i) led_[i] = std::fabs(moved_[i] - step.y[i]);
    return true;
  }
  // Tells whether steps have become longer by what was measured last.
  void set_helps(bool helps) { helps_ = helps; }
  [[nodiscard]] bool helps() const { return helps_; }
  // Returns what is no error of an entry in a step of h: the weights with which stages make an estimate of an error add
  // up to about four.
  [[nodiscard]] double of_step(std::size_t entry, double h) const { return of_one(h * rounding_[entry]); }
  // The same after measure_state(), beyond what rows lead.
  [[nodiscard]] double of_state(std::size_t entry, double h) const {
    return of_step(entry, h) + (led_.empty() ? 0 : of_one(led_[entry]));
  }

  void transfer(Archive& archive) {
    archive(helps_);
    archive.fixed(rounding_);
    archive.fixed_or_empty(led_, rounding_.size());
  }

 private:
  static double of_one(double rounding) { return kRoundingsOfTerms / 4 * rounding; }
  void raise() {
    for (std::size_t i = 0; i < rounding_.size(); ++i)
      rounding_[i] = std::max(rounding_[i], std::fabs(shifted_[i] - end_rate_[i]));
  }

  bool helps_ = false;
  std::vector<double> rounding_;                    // of the rates
  std::vector<double> led_;                         // of a state, or empty
  std::vector<double> moved_, shifted_, end_rate_;  // a state, and rates
};

}  // namespace mbc::runtime
