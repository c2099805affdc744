// SPDX-License-Identifier: Apache-2.0
// When the events `at` and `every` are due: from + k period, computed from k, so that 1e6 samples lie where they
// belong. Times in s.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/archive.h"

namespace mbc::runtime {

// Times that are the same instant: `length` is that of the run.
inline double same_instant(double t, double length) {
  constexpr double kUlps = 4;
  constexpr double kPartOfRun = 1e-13;
  const double ulp = std::numeric_limits<double>::epsilon() * std::fabs(t);
  return std::max(kUlps * ulp, kPartOfRun * length);
}

class EventClock {
 public:
  // An event at `from`, `from` + period, ...; once where the period is 0. What lies before `begin` is past.
  void add(std::uint32_t event, double from, double period, double begin, double tolerance) {
    Timer made{event, from, period, 0};
    if (period > 0) made.k = static_cast<std::uint64_t>(std::max(0.0, std::ceil((begin - tolerance - from) / period)));
    if (period == 0 && from < begin - tolerance) made.k = 1;
    timers_.push_back(made);
  }
  void clear() { timers_.clear(); }

  [[nodiscard]] double next() const {
    double next = std::numeric_limits<double>::infinity();
    for (const Timer& timer : timers_) next = std::min(next, timer.time());
    return next;
  }
  // Appends the events of that instant to the list; they are due once.
  void take_due(double t, double tolerance, std::vector<std::uint32_t>& due) {
    for (Timer& timer : timers_)
      if (timer.time() <= t + tolerance) {
        due.push_back(timer.event);
        ++timer.k;
      }
  }

  void transfer(Archive& archive) { archive(timers_); }

 private:
  struct Timer {
    std::uint32_t event = 0;
    double from = 0, period = 0;
    std::uint64_t k = 0;
    [[nodiscard]] double time() const {
      if (period > 0) return from + static_cast<double>(k) * period;
      return k == 0 ? from : std::numeric_limits<double>::infinity();
    }
    void transfer(Archive& archive) { archive(event, from, period, k); }
  };
  std::vector<Timer> timers_;
};

}  // namespace mbc::runtime
