// SPDX-License-Identifier: Apache-2.0
// Times at which the events `at` and `every` are due, in s. The k-th time is from + k period, computed from k, so that
// errors do not add up over 1e6 samples.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/archive.h"
#include "kernel/data_table.h"

namespace mbc::runtime {

class EventClock {
 public:
  // `samples` holds the samples of the input of each event, or null.
  explicit EventClock(std::vector<const kernel::DataTable*> samples) : samples_(std::move(samples)) {}

  // Adds the samples of an event; the one that holds at `begin` is the first. If the input has no value beyond the
  // samples, the event is due once more just after the last one.
  void add_samples(std::uint32_t event, double begin, double tolerance) {
    const kernel::DataTable& table = *samples_[event];
    const std::span<const double> times = table.arguments();
    const auto behind = std::upper_bound(times.begin(), times.end(), begin + tolerance) - times.begin();
    const double end = table.beyond() == kernel::DataTable::Beyond::error ? times.back() + 2 * tolerance
                                                                          : std::numeric_limits<double>::infinity();
    timers_.push_back({event, end, 0, static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(behind, 1) - 1)});
  }
  // Adds the points of a function after `begin`.
  void add_points(std::uint32_t event, double begin, double tolerance) {
    const std::span<const double> times = samples_[event]->arguments();
    const auto behind = std::upper_bound(times.begin(), times.end(), begin + tolerance) - times.begin();
    timers_.push_back({event, std::numeric_limits<double>::infinity(), 0, static_cast<std::uint64_t>(behind)});
  }
  // Adds an event at `from`, `from` + period, ...; it is due once if the period is 0. Times before `begin` are skipped.
  // Returns the time at which it is due first; infinity if that has passed.
  double add(std::uint32_t event, double from, double period, double begin, double tolerance) {
    Timer made{event, from, period, 0};
    if (period > 0) made.k = static_cast<std::uint64_t>(std::max(0.0, std::ceil((begin - tolerance - from) / period)));
    if (period == 0 && from < begin - tolerance) made.k = 1;
    timers_.push_back(made);
    return time(made);
  }
  void clear() { timers_.clear(); }
  // Returns the event that is due most often until `end`, and how often.
  struct Firings {
    std::uint32_t event = 0;
    double period = 0, count = 0;
  };
  [[nodiscard]] Firings most_firings(double end) const {
    Firings most;
    for (const Timer& timer : timers_)
      if (timer.period > 0)
        if (const double count = (end - time(timer)) / timer.period; count > most.count)
          most = {timer.event, timer.period, count};
    return most;
  }

  [[nodiscard]] double next() const {
    double next = std::numeric_limits<double>::infinity();
    for (const Timer& timer : timers_) next = std::min(next, time(timer));
    return next;
  }
  // Appends the events that are due at that instant to the list.
  void take_due(double t, double tolerance, std::vector<std::uint32_t>& due) {
    for (Timer& timer : timers_)
      if (time(timer) <= t + tolerance) {
        due.push_back(timer.event);
        ++timer.k;
      }
  }

  void transfer(Archive& archive) {
    archive(timers_);
    for (const Timer& timer : timers_) archive.expect(timer.event < samples_.size() && timer.period >= 0);
  }
  // Returns whether nothing is due before t and each period can be resolved at times around t.
  [[nodiscard]] bool stands_at(double t, double tolerance) const {
    return std::all_of(timers_.begin(), timers_.end(), [&](const Timer& timer) {
      return time(timer) >= t - tolerance && (timer.period == 0 || timer.period > tolerance);
    });
  }

 private:
  struct Timer {
    std::uint32_t event = 0;
    double from = 0, period = 0;
    std::uint64_t k = 0;
    void transfer(Archive& archive) {
      archive(event);
      archive.may_be_infinite(from);
      archive(period, k);
    }
  };
  [[nodiscard]] double time(const Timer& timer) const {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    if (timer.period > 0) return timer.from + static_cast<double>(timer.k) * timer.period;
    if (timer.event >= samples_.size() || samples_[timer.event] == nullptr) return timer.k == 0 ? timer.from : kNever;
    const std::span<const double> times = samples_[timer.event]->arguments();
    return timer.k < times.size() ? times[timer.k] : timer.k == times.size() ? timer.from : kNever;
  }

  std::vector<const kernel::DataTable*> samples_;
  std::vector<Timer> timers_;
};

}  // namespace mbc::runtime
