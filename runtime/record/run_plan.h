// SPDX-License-Identifier: Apache-2.0
// The settings of a run and the times that follow from them. Times are in s.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/time_steps.h"
#include "runtime/record/options.h"

namespace mbc::runtime {

// Returns the largest distance of times around t that are one instant. `length` is that of the run.
inline double same_instant(double t, double length) {
  constexpr double kUlps = 4;
  constexpr double kPartOfRun = 1e-13;
  const double ulp = std::numeric_limits<double>::epsilon() * std::fabs(t);
  return std::max(kUlps * ulp, kPartOfRun * length);
}

class RunPlan {
 public:
  // The options must outlive the object and may change between two pieces of a run.
  explicit RunPlan(const SimulateOptions& options) : options_(options) {}

  [[nodiscard]] const SimulateOptions& options() const { return options_; }
  [[nodiscard]] TimeSteps steps() const {
    return {options_.begin, options_.step, options_.steps, options_.end, options_.row_times};
  }
  [[nodiscard]] double time_of(std::uint64_t step) const { return steps().time_of(step); }
  [[nodiscard]] bool is_shorter(std::uint64_t step) const { return options_.end && step + 1 == options_.steps; }
  [[nodiscard]] double size_of(std::uint64_t step) const {
    return is_shorter(step) ? *options_.end - time_of(step) : options_.step;
  }
  // Returns the length of the run, as far as it is known.
  [[nodiscard]] double length() const {
    return options_.horizon > 0 ? options_.horizon : time_of(options_.steps) - options_.begin;
  }
  // Times around t that differ by less than this are one.
  [[nodiscard]] double tolerance(double t) const { return same_instant(t, length()); }
  // Returns the time of a row that is the same instant as t, or t.
  [[nodiscard]] double row_time_near(double t) const {
    const double row = time_of(steps().nearest(t));
    return std::fabs(row - t) <= tolerance(t) ? row : t;
  }
  // Returns whether parameters or inputs have changed since the last call.
  [[nodiscard]] bool values_changed() const { return options_.changed && std::exchange(*options_.changed, false); }

 private:
  const SimulateOptions& options_;
};

}  // namespace mbc::runtime
