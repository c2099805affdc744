// SPDX-License-Identifier: Apache-2.0
// Event functions of the time alone: the sign that each has, and when that changes.
//
// They are located in time, before steps are made: bounds exclude zeros over longer and longer stretches, or the
// stretch is halved, down to neighbouring doubles. So none is missed, however many lie within a step, and the sign
// behind a change is known, where rounding would say now this, now that.
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
  // length: of the run (s). Bounds outlive the object.
  TimeFunctions(EventBounds& bounds, double length) : bounds_(bounds), length_(length) {}

  // One of them; `reading` says what its side is.
  void add(std::uint32_t number, Reading reading);
  [[nodiscard]] bool has(std::uint32_t number, Reading reading) const;
  [[nodiscard]] bool any() const { return !functions_.empty(); }

  // The side that holds from the instant at hand to the next change; nothing where the number is none of them. One that
  // is zero over a stretch is open there.
  [[nodiscard]] std::optional<Side> side(std::uint32_t number, Reading reading) const;
  // The value of another number of the time alone, just behind the instant at hand, where `number`, one of the
  // functions, is clear of zero.
  [[nodiscard]] double value_behind(std::uint32_t number, std::uint32_t other);

  // At an instant: the sides just behind it, where something that they read has been changed, or nothing is known yet.
  void begin(double t);
  // Looks for changes up to `to`, from t on.
  void search(double t, double to);
  // The first change that was found; where the search has ended before at a cost limit, the time it has come to. Else
  // infinite.
  [[nodiscard]] double next() const;
  // Whether a change that was found lies up to t.
  [[nodiscard]] bool changes_by(double t) const {
    return std::any_of(functions_.begin(), functions_.end(), [t](const Function& f) { return f.change <= t; });
  }
  // Goes beyond the changes of the instant t; false where there is none.
  bool take_due(double t, double tolerance);
  // Nothing is known any more: the state has been read from a file.
  void forget() { begun_ = false; }
  void clear() { functions_.clear(); }

 private:
  struct Function {
    std::uint32_t number = 0;
    Reading reading{};
    Side side = Side::open;
    double size = 0;    // the largest value that was seen
    double behind = 0;  // where it was first clear of zero, behind the instant at hand
    double known = 0;   // so far it has this side
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
  std::vector<double> inputs_;  // those that they read, when they were looked at last
  std::vector<std::pair<double, double>> open_;
  double at_ = -std::numeric_limits<double>::infinity();  // the instant at hand
  bool begun_ = false;
};

}  // namespace mbc::runtime
