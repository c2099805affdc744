// SPDX-License-Identifier: Apache-2.0
// Event functions of the time alone: the sign of each, and when it changes.
//
// The changes are located in time before steps are made. Bounds exclude zeros over longer and longer stretches;
// otherwise the stretch is halved, down to neighbouring doubles. No change is missed, however many lie within a step,
// and the sign after a change is known even if rounding makes values there alternate.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/events/functions/event_bounds.h"
#include "runtime/events/functions/side.h"

namespace mbc::runtime {

class TimeFunctions {
 public:
  // `length` is that of the run (s). The bounds must outlive the object.
  TimeFunctions(EventBounds& bounds, double length) : bounds_(bounds), length_(length) {}

  // Adds a function; `reading` defines its side.
  void add(std::uint32_t number, Reading reading);
  [[nodiscard]] bool has(std::uint32_t number, Reading reading) const;
  [[nodiscard]] bool any() const { return !functions_.empty(); }

  // Returns the side from the current instant to the next change, or nothing if the number is not one of the functions.
  // The side of a function that is zero over a stretch is open there.
  [[nodiscard]] std::optional<Side> side(std::uint32_t number, Reading reading) const;
  // Returns another number of the time alone just after the current instant, where the function `number` is clear of
  // zero.
  [[nodiscard]] double value_behind(std::uint32_t number, std::uint32_t other);

  // Finds the sides just after an instant if something that the functions read has changed or nothing is known yet.
  void begin(double t);
  // Searches changes from t to `to`.
  void search(double t, double to);
  // Returns the first change that was found, or the time that a search has come to if it ended at its cost limit, or
  // infinity.
  [[nodiscard]] double next() const;
  // Returns whether a change that was found lies at or before t.
  [[nodiscard]] bool changes_by(double t) const {
    return std::any_of(functions_.begin(), functions_.end(), [t](const Function& f) { return f.change <= t; });
  }
  // Passes the changes of the instant t. Returns false if there is none.
  bool take_due(double t, double tolerance);
  // Discards all knowledge, because the state was read from a file.
  void forget() { begun_ = false; }
  void clear() { functions_.clear(); }

 private:
  struct Function {
    std::uint32_t number = 0;
    Reading reading{};
    Side side = Side::open;
    double size = 0;    // the largest value so far
    double behind = 0;  // the first time after the current instant at which it was clear of zero
    double known = 0;   // the time up to which it has this side
    double change = std::numeric_limits<double>::infinity();
    bool unclear = false;  // the search has ended at its cost limit
  };
  [[nodiscard]] std::optional<Side> clear_side(Function& f, double from, double to, bool& turns);
  [[nodiscard]] Side side_at(const Function& f, double t);
  void begin(Function& f, double t);
  void search(Function& f, double to);
  [[nodiscard]] double located(const Function& f, double a, double b);
  [[nodiscard]] double smallest(double t) const;
  [[nodiscard]] bool inputs_changed();

  EventBounds& bounds_;
  double length_;
  std::vector<Function> functions_;
  std::uint64_t param_changes_ = 0;
  std::vector<double> inputs_;  // the inputs that the functions read, at the last look
  std::vector<std::pair<double, double>> open_;
  double at_ = -std::numeric_limits<double>::infinity();  // the current instant
  bool begun_ = false;
};

}  // namespace mbc::runtime
