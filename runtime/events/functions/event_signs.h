// SPDX-License-Identifier: Apache-2.0
// The sides of all event functions that a run follows, and how they follow from values.
//
// Just after an event its own number is zero up to rounding, with either sign. Its side is open until it leaves zero.
// The side of a number that stays there, such as one that a constraint holds from then on (held_numbers.h), stays open.
//
// The same holds for conditions, by the distance of each comparison from its limit. A condition that has become true
// can fire again only after it has been clearly false. A comparison within rounding of its limit is neither true nor
// false, and `and`, `or`, `not` propagate this (Kleene's logic). If events set such a comparison at an instant, values
// that are equal up to rounding are equal. Changes that depend on the time alone are located in time alone
// (time_functions.h), so their sides are known.
//
// Arrays of values hold all event functions, by number of the value.
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
  // `kinks`: discontinuities are followed as well. `gaps_known`: the relative error that the integration method leaves
  // in a gap. Both references must outlive the object.
  EventSigns(const problem::Events& events, bool kinks, const double& gaps_known);

  // Sets the known sides of numbers of the time alone. The object must outlive this one; null means that none is known.
  void know(TimeFunctions* time_functions);
  // Returns the side that a number of the time alone has from the current instant on.
  [[nodiscard]] std::optional<Side> known_side(std::uint32_t number, Reading reading) const {
    return time_functions_ == nullptr ? std::nullopt : time_functions_->side(number, reading);
  }
  // Returns `other` just after the current instant, where `number` is clear of zero. Both depend on the time alone.
  [[nodiscard]] double value_behind(std::uint32_t number, std::uint32_t other) const {
    return time_functions_->value_behind(number, other);
  }
  // Updates the sides of numbers of the time alone, because an instant may have changed what they read.
  void take_changes(double t) {
    if (time_functions_ != nullptr) time_functions_->begin(t);
  }

  // Returns the events that are followed. is_timed() tells those that depend partly on the time alone.
  [[nodiscard]] const std::vector<std::uint32_t>& watched() const { return watched_; }
  [[nodiscard]] bool any() const { return !watched_.empty(); }
  [[nodiscard]] bool is_timed(std::uint32_t event) const { return timed_[event] != 0; }
  // Returns whether an event function of accelerations or multipliers is followed now.
  [[nodiscard]] bool of_rates() const;

  [[nodiscard]] Side& side(std::uint32_t event) { return sides_[event]; }
  [[nodiscard]] Side side(std::uint32_t event) const { return sides_[event]; }
  [[nodiscard]] const std::vector<Side>& sides() const { return sides_; }
  void take(const std::vector<Side>& sides) { sides_ = sides; }
  // Idle events are not followed: touching of an active contact, and separation of an inactive one.
  [[nodiscard]] char& idle(std::uint32_t event) { return idle_[event]; }
  [[nodiscard]] bool is_idle(std::uint32_t event) const { return idle_[event] != 0; }
  [[nodiscard]] const std::vector<char>& idle() const { return idle_; }

  // Returns the size of the number of an event that counts as zero.
  [[nodiscard]] double zero_of(std::uint32_t event) const;
  // Returns the largest size of a number so far. expect() raises it.
  [[nodiscard]] double size_of(std::uint32_t number) const { return sizes_[number]; }
  void expect(std::uint32_t number, double size) { sizes_[number] = std::max(sizes_[number], size); }
  // Sets the size that rounding gives a number that is zero.
  void expect_rounding(std::uint32_t number, double rounding) { roundings_[number] = rounding; }
  // Raises the sizes of the numbers of an event to their present values.
  void measure(std::uint32_t event, const std::vector<double>& values);
  // Sets the numbers that active rows hold at zero from the current instant on, by a flag for each (held_numbers.h).
  // Such a number counts as zero whatever its value is.
  void hold(const std::vector<char>& numbers);
  [[nodiscard]] bool is_held(std::uint32_t event) const { return of_held_[event] != 0; }
  // Returns the size up to which a number counts as zero after an event; zero_of() gives that of an event's own number.
  [[nodiscard]] double zero_of_number(std::uint32_t number) const {
    return held_[number] != 0 ? std::numeric_limits<double>::infinity()
                              : std::max(kAtZero * sizes_[number], roundings_[number]);
  }
  [[nodiscard]] bool at_zero(std::uint32_t number, double value) const;
  // Sets the values at the beginning of the current step.
  void begin_step(const std::vector<double>& values) { zero_ = values; }
  [[nodiscard]] const std::vector<double>& at_begin() const { return zero_; }
  [[nodiscard]] double at_begin(std::uint32_t number) const { return zero_[number]; }

  // Returns the value at which a gap or contact force rests, at most 0: that at the beginning of the step, as far as it
  // is rounding. A gap that a coarse method has let fall by zero_of() may not fall by as much again in each step.
  [[nodiscard]] double rest_of(std::uint32_t event) const;
  // Sets the side of a gap or contact force from an instant on; it is open if the value is zero up to rounding.
  void begin_contact(std::uint32_t event, double value);
  // Returns the side of a value. The side of a condition is open if it is false only by rounding.
  [[nodiscard]] Side side_of(std::uint32_t event, const std::vector<double>& values) const;
  // Returns the side of a condition; it is open if rounding could change it.
  [[nodiscard]] Side clear_of(std::uint32_t event, const std::vector<double>& values) const;
  // Returns whether an instant has made a condition true. Values that are equal up to rounding are equal here.
  [[nodiscard]] bool became_true(std::uint32_t event, const std::vector<double>& before,
                                 const std::vector<double>& after) const;
  // Returns the side at the beginning of a run. Comparisons within `roundings` of the size of their terms are at their
  // limit.
  [[nodiscard]] Side begins_on(std::uint32_t event, const std::vector<double>& values, const std::vector<double>& terms,
                               double roundings) const;
  // Returns whether this change of its side fires an event.
  [[nodiscard]] bool fires(std::uint32_t event, Side from, Side to) const;
  // Returns whether a number, not a condition, is zero up to kAtZero.
  [[nodiscard]] bool rests(std::uint32_t event, const std::vector<double>& values) const;
  // Returns the side to which an open event goes at a part of the current step. The number is clear of zero or will be
  // so within the step.
  [[nodiscard]] Side leaves(std::uint32_t event, double theta, const std::vector<double>& values) const;
  // Does the same for a gap or contact force that has rested: it is clear of rounding and of its value at the beginning
  // of the step.
  [[nodiscard]] Side leaves_rest(std::uint32_t event, const std::vector<double>& values) const;
  // Returns the side at the instant of a change. A value that has rested and is not clear of rounding still rests.
  [[nodiscard]] Side at_instant(std::uint32_t event, const std::vector<double>& values) const;
  // Opens the side of a condition that was true and is now false only by rounding.
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

  static constexpr double kAtZero = 1e-9;  // of the largest value so far: the size that counts as zero after an event

  const problem::Events& events_;
  const double& gaps_known_;
  std::vector<std::uint32_t> watched_;
  std::vector<char> idle_, timed_;  // by event
  std::vector<char> held_;          // by number of the value
  std::vector<char> of_held_;       // by event: it reads the sign of a held number
  std::vector<Side> sides_;         // by event
  std::vector<double> sizes_;       // by number of the value: the largest so far
  std::vector<double> roundings_;   // by number of the value
  std::vector<double> zero_;        // by number of the value: its value at the beginning of the step
  TimeFunctions* time_functions_ = nullptr;
};

}  // namespace mbc::runtime
