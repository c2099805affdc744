// SPDX-License-Identifier: Apache-2.0
// When the events `at` and `every` are due: from + k period, computed from k, so that 1e6 samples lie where they
// belong. Times in s.
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
  // By event: the samples of an input, or null.
  explicit EventClock(std::vector<const kernel::DataTable*> samples) : samples_(std::move(samples)) {}

  // The samples of an event, the one that holds at `begin` first. Where nothing holds beyond them it is due once more,
  // just behind the last.
  void add_samples(std::uint32_t event, double begin, double tolerance) {
    const kernel::DataTable& table = *samples_[event];
    const std::span<const double> times = table.arguments();
    const auto behind = std::upper_bound(times.begin(), times.end(), begin + tolerance) - times.begin();
    const double end = table.beyond() == kernel::DataTable::Beyond::error ? times.back() + 2 * tolerance
                                                                          : std::numeric_limits<double>::infinity();
    timers_.push_back({event, end, 0, static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(behind, 1) - 1)});
  }
  // The points of a function behind `begin`.
  void add_points(std::uint32_t event, double begin, double tolerance) {
    const std::span<const double> times = samples_[event]->arguments();
    const auto behind = std::upper_bound(times.begin(), times.end(), begin + tolerance) - times.begin();
    timers_.push_back({event, std::numeric_limits<double>::infinity(), 0, static_cast<std::uint64_t>(behind)});
  }
  // An event at `from`, `from` + period, ...; once where the period is 0. What lies before `begin` is past.
  void add(std::uint32_t event, double from, double period, double begin, double tolerance) {
    Timer made{event, from, period, 0};
    if (period > 0) made.k = static_cast<std::uint64_t>(std::max(0.0, std::ceil((begin - tolerance - from) / period)));
    if (period == 0 && from < begin - tolerance) made.k = 1;
    timers_.push_back(made);
  }
  void clear() { timers_.clear(); }
  // The event that is due most often until `end`, and how often.
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
  // Appends the events of that instant to the list; they are due once.
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
  // Whether nothing is due before t, and each period is one that times around there can tell.
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
