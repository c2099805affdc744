// SPDX-License-Identifier: Apache-2.0
// The sign of every event function that a run follows, and how it is read from values.
//
// Right behind an event its own number is zero up to rounding, of either sign. Its side is then open until it leaves
// zero. A number that stays there, as one does that a constraint holds from then on (held_numbers.h), stays open.
//
// The same holds for conditions, by the distance of each comparison in them from its limit: one that has become true
// can fire again when it has been clearly false. A comparison that is within rounding of its limit is neither, and
// `and`, `or`, `not` pass that on (Kleene's logic). Where events make it so at an instant, equal up to rounding is
// equal. What depends on the time alone is located in time alone (time_functions.h): its side is known.
//
// Arrays of values are those of all event functions, by number of the value.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "base/archive.h"
#include "kernel/problem/events.h"
#include "runtime/events/functions/side.h"
#include "runtime/events/functions/time_functions.h"

namespace mbc::runtime {

class EventSigns {
 public:
  // kinks: they are followed as well. gaps_known: what the method of a step leaves of a gap, of its size. Both
  // references outlive the object.
  EventSigns(const problem::Events& events, bool kinks, const double& gaps_known);

  // What is known of numbers of the time alone, which outlives the object; null: nothing.
  void know(TimeFunctions* time_functions);
  // The side that a number of the time alone has from the instant at hand on.
  [[nodiscard]] std::optional<Side> known_side(std::uint32_t number, Reading reading) const {
    return time_functions_ == nullptr ? std::nullopt : time_functions_->side(number, reading);
  }
  // Just behind the instant at hand: the value of `other`, where `number` is clear of zero; both of the time alone.
  [[nodiscard]] double value_behind(std::uint32_t number, std::uint32_t other) const {
    return time_functions_->value_behind(number, other);
  }
  // An instant may have changed what numbers of the time alone read.
  void take_changes(double t) {
    if (time_functions_ != nullptr) time_functions_->begin(t);
  }

  // The events that are followed, and those that something of the time alone decides on.
  [[nodiscard]] const std::vector<std::uint32_t>& watched() const { return watched_; }
  [[nodiscard]] bool any() const { return !watched_.empty(); }
  [[nodiscard]] bool is_timed(std::uint32_t event) const { return timed_[event] != 0; }
  // Whether accelerations or multipliers are followed now.
  [[nodiscard]] bool of_rates() const;

  [[nodiscard]] Side& side(std::uint32_t event) { return sides_[event]; }
  [[nodiscard]] Side side(std::uint32_t event) const { return sides_[event]; }
  [[nodiscard]] const std::vector<Side>& sides() const { return sides_; }
  void take(const std::vector<Side>& sides) { sides_ = sides; }
  // What is idle is not looked at: touching of a row that is held, leaving of one that is not.
  [[nodiscard]] char& idle(std::uint32_t event) { return idle_[event]; }
  [[nodiscard]] bool is_idle(std::uint32_t event) const { return idle_[event] != 0; }
  [[nodiscard]] const std::vector<char>& idle() const { return idle_; }

  // The largest size of a number that was seen; and how large it is known to be besides.
  [[nodiscard]] double size_of(std::uint32_t number) const { return sizes_[number]; }
  void expect(std::uint32_t number, double size) { sizes_[number] = std::max(sizes_[number], size); }
  // Sets the size that rounding gives a number that is zero.
  void expect_rounding(std::uint32_t number, double rounding) { roundings_[number] = rounding; }
  // Sees the numbers of an event.
  void measure(std::uint32_t event, const std::vector<double>& values);
  // The numbers, by a flag for each, that active rows hold at zero from the instant at hand on (held_numbers.h). Such a
  // number is at zero whatever its value is.
  void hold(const std::vector<char>& numbers);
  [[nodiscard]] bool is_held(std::uint32_t event) const { return of_held_[event] != 0; }
  // What counts as zero of a number, behind an event; of an event's own number.
  [[nodiscard]] double zero_of_number(std::uint32_t number) const {
    return held_[number] != 0 ? std::numeric_limits<double>::infinity()
                              : std::max(kAtZero * sizes_[number], roundings_[number]);
  }
  [[nodiscard]] bool at_zero(std::uint32_t number, double value) const;
  [[nodiscard]] double zero_of(std::uint32_t event) const;
  // The values where the step at hand begins.
  void begin_step(const std::vector<double>& values) { zero_ = values; }
  [[nodiscard]] const std::vector<double>& at_begin() const { return zero_; }
  [[nodiscard]] double at_begin(std::uint32_t number) const { return zero_[number]; }

  // The side of a gap or a push from an instant on; open where it is zero but for rounding.
  void begin_contact(std::uint32_t event, double value);
  // The side that a value is on; of a condition open where it is false, but by rounding.
  [[nodiscard]] Side side_of(std::uint32_t event, const std::vector<double>& values) const;
  // The side that a condition is on, open where it is so by rounding.
  [[nodiscard]] Side clear_of(std::uint32_t event, const std::vector<double>& values) const;
  // Whether a condition has become true by what an instant has changed, where equal up to rounding is equal.
  [[nodiscard]] bool became_true(std::uint32_t event, const std::vector<double>& before,
                                 const std::vector<double>& after) const;
  // At the beginning: whether a condition holds, where comparisons are within `roundings` of the size of their terms.
  [[nodiscard]] Side begins_on(std::uint32_t event, const std::vector<double>& values, const std::vector<double>& terms,
                               double roundings) const;
  // Whether an event fires where its side changes so.
  [[nodiscard]] bool fires(std::uint32_t event, Side from, Side to) const;
  // A number, not a condition, that is zero but for what is left of it (kAtZero).
  [[nodiscard]] bool rests(std::uint32_t event, const std::vector<double>& values) const;
  // The side to which an open event goes at a part of the step at hand: it is clear of zero, or on the way to be so
  // within the step.
  [[nodiscard]] Side leaves(std::uint32_t event, double theta, const std::vector<double>& values) const;
  // The same of a gap or a push that has rested: clear of rounding, and of what the step has begun with.
  [[nodiscard]] Side leaves_rest(std::uint32_t event, const std::vector<double>& values) const;
  // The side at the instant of a change. What has rested, and is not clear of rounding, rests.
  [[nodiscard]] Side at_instant(std::uint32_t event, const std::vector<double>& values) const;
  // A condition that held, and does not any more, but by rounding, is open.
  void open_truth(Side& side, std::uint32_t event) const;
  void open_truth(std::uint32_t event) { open_truth(sides_[event], event); }

  void transfer(Archive& archive) { archive.fixed(sides_, sizes_, roundings_, idle_, held_, of_held_); }
  void transfer_step(Archive& archive) { archive.fixed(zero_); }

 private:
  [[nodiscard]] Side leaves_zero(std::uint32_t number, double theta, double value) const;
  [[nodiscard]] bool holds(std::uint32_t event, const std::vector<double>& values) const;
  [[nodiscard]] Side exact_side(const problem::ConditionTerm& term, const std::vector<double>& values) const;
  template <class Compared>
  [[nodiscard]] Side truth(std::uint32_t event, const std::vector<double>& values, Compared&& compared) const;
  [[nodiscard]] bool missing(std::uint32_t event, double value) const;

  static constexpr double kAtZero = 1e-9;  // of the largest number seen: behind an event this much of it is zero

  const problem::Events& events_;
  const double& gaps_known_;
  std::vector<std::uint32_t> watched_;
  std::vector<char> idle_, timed_;  // by event
  std::vector<char> held_;          // by number of the value
  std::vector<char> of_held_;       // by event: it reads the sign of such a number
  std::vector<Side> sides_;         // by event
  std::vector<double> sizes_;       // by number of the value: the largest seen
  std::vector<double> roundings_;   // by number of the value
  std::vector<double> zero_;        // by number of the value: at the beginning of the step
  TimeFunctions* time_functions_ = nullptr;
};

}  // namespace mbc::runtime
