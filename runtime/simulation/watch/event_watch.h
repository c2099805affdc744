// SPDX-License-Identifier: Apache-2.0
// What `when` watches, along one step: on which side of zero each number is, whether each condition holds, and where in
// the step that changes.
//
// A step is looked at at the Chebyshev points of its dense output, and at four points at least in the time between two
// rows; bounds of what is watched exclude changes that two samples hide, or find them (hidden_changes.h). The change
// itself is located on steps of the method (locate_change.h). The end of the last step is behind the change. What
// depends on the time alone is located in time alone (time_functions.h): its side is known along every step.
//
// Right behind an event its own number is zero up to rounding, of either sign. Its side is then open until it leaves
// zero: the first look at the step that follows begins with points that lie closer and closer to its beginning. A
// number that stays there, as one does that a constraint holds from then on, stays open.
//
// The same holds for conditions, by the distance of each comparison in them from its limit: one that has become true
// can fire again when it has been clearly false. A comparison that is within rounding of its limit is neither, and
// `and`, `or`, `not` pass that on (Kleene's logic). Where events make it so at an instant, equal up to rounding is
// equal.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/archive.h"
#include "kernel/problem/events.h"
#include "runtime/simulation/watch/dips.h"
#include "runtime/simulation/watch/hidden_changes.h"
#include "runtime/simulation/watch/side.h"
#include "runtime/simulation/watch/time_functions.h"

namespace mbc::runtime {

// The parts of a step of size h at which it is looked at. apart: the time between two rows.
std::vector<double> looks_along(double h, double apart);

class EventWatch {
 public:
  using Side = runtime::Side;
  // The values of the events at the state at a part of a step, 0 <= theta <= 1, on its dense output; false: undefined.
  using Dense = std::function<bool(double theta, std::vector<double>& values)>;
  // The same at the end of a step of size h, made from the same state.
  using Made = std::function<bool(double h, std::vector<double>& values)>;
  // A step, as its method has made it; row: the state on its dense output.
  struct Along {
    Dense dense;
    Made made;
    DensePolynomials::Row row;
  };

  // apart: the time between two rows. kinks: they are watched as well. gaps_known, which outlives the object: what the
  // method of a step leaves of a gap, of its size.
  EventWatch(const problem::Events& events, double apart, bool kinks, const double& gaps_known);

  // What is known of numbers besides their values; both outlive the object. Null: nothing.
  void know(TimeFunctions* time_functions, HiddenChanges* hidden);
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
  [[nodiscard]] bool any() const { return !watched_.empty(); }
  // Whether accelerations or multipliers are watched now.
  [[nodiscard]] bool of_rates() const;
  [[nodiscard]] const std::vector<std::uint32_t>& watched() const { return watched_; }
  [[nodiscard]] Side& side(std::uint32_t event) { return sides_[event]; }
  // The largest size of a number that was seen; and how large it is known to be besides. By number of the value.
  [[nodiscard]] double size_of(std::uint32_t number) const { return sizes_[number]; }
  // What counts as zero of it, behind an event.
  [[nodiscard]] double zero_of_number(std::uint32_t number) const { return kAtZero * sizes_[number]; }
  void expect(std::uint32_t number, double size) { sizes_[number] = std::max(sizes_[number], size); }
  // The side of a gap or a push from an instant on; open where it is zero but for rounding.
  void begin_contact(std::uint32_t event, double value);
  // What is idle is not looked at: touching of a row that is held, leaving of one that is not.
  [[nodiscard]] char& idle(std::uint32_t event) { return idle_[event]; }
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

  // Whether what decides on a kink has to have a value: not where the function itself sees to that.
  void expect_kinks(bool defined) { kinks_defined_ = defined; }

  // The first change in a step of size h from t that fires events. `at`: the size of the step that ends behind it;
  // `fired`: the events of that instant. sides() are then those of the state there, open for what has fired.
  enum class Found : std::uint8_t { nothing, change, undefined };
  Found look(double t, double h, double tolerance, const Along& along, double& at, std::vector<std::uint32_t>& fired);
  // Whether the last look met its cost limit before bounds had excluded hidden changes.
  [[nodiscard]] bool unclear() const { return hidden_ != nullptr && hidden_->unclear(); }
  // As if it had not looked last.
  void look_again() { sides_ = before_; }
  // The event whose value was undefined.
  [[nodiscard]] std::uint32_t undefined() const { return undefined_; }

  void transfer(Archive& archive) { archive.fixed(sides_, sizes_, idle_); }

 private:
  friend class EventIndicators;  // the same along steps that are made elsewhere
  struct Bracket {
    std::uint32_t event = 0;
    double before = 0, behind = 1;  // parts of the step
    Side from{}, to{};
    double round = 0;  // time from the start of the step at which an angle goes round
  };
  enum class Change : std::uint8_t { none, passed, round };
  bool look_into_dips(double theta, const Dense& dense);
  bool begin_look(const Dense& dense, bool& open);
  bool sample(double theta, const Dense& dense);
  bool sample_up_to(double theta, const Dense& dense);
  void begin_piece(std::int64_t k, double parts, const Along& along);
  [[nodiscard]] bool quiet(std::uint32_t event, Side now) const;
  // By number of the value.
  [[nodiscard]] bool at_zero(std::uint32_t number, double value) const;
  [[nodiscard]] Side leaves(std::uint32_t number, double theta, double value) const;
  [[nodiscard]] Side leaves_truth(std::uint32_t event, double theta) const;
  [[nodiscard]] bool holds(std::uint32_t event, const std::vector<double>& values) const;
  [[nodiscard]] Side exact_side(const problem::ConditionTerm& term, const std::vector<double>& values) const;
  template <class Compared>
  [[nodiscard]] Side truth(std::uint32_t event, const std::vector<double>& values, Compared&& compared) const;
  void measure_sizes(const problem::Event& event);
  bool locate(const Bracket& bracket, double t, double h, const Dense& dense, const Made& made, double& at,
              Change& change);
  bool locate_all(double t, double h, const Dense& dense, const Made& made, double& at,
                  std::vector<std::uint32_t>& fired);
  bool locate_missed(double t, double h, const Dense& dense, const Made& made, double& at,
                     std::vector<std::uint32_t>& fired);
  [[nodiscard]] double measured(const Bracket& bracket, const std::vector<double>& values) const;
  [[nodiscard]] bool crossed(const Bracket& bracket, double value) const;
  [[nodiscard]] Side leaves_rest(std::uint32_t event) const;
  [[nodiscard]] bool missing(std::uint32_t event, double value) const;
  [[nodiscard]] double zero_of(std::uint32_t event) const;
  [[nodiscard]] Side at_instant(std::uint32_t event) const;
  bool finite(const std::vector<double>& values);
  void open_truth(Side& side, std::uint32_t event) const;
  bool take_sides(double at, double tolerance, const Made& made, std::vector<std::uint32_t>& fired);

  static constexpr double kAtZero = 1e-9;  // of the largest number seen: behind an event this much of it is zero

  const problem::Events& events_;
  const double& gaps_known_;
  double finest_;                                 // points looked at in a unit of time
  std::vector<std::uint32_t> watched_, numbers_;  // events, and the number of the value of each
  std::vector<char> idle_, plain_;                // by event; a number that may rest, and neither an angle nor a kink
  std::vector<char> timed_;                       // by event: something in it depends on the time alone
  std::vector<Side> sides_, trial_, before_, here_;  // here_: trial_ at the sample before the one ahead
  std::vector<Side> ahead_;                          // and before the last sample
  std::vector<double> sizes_;                        // by number of the value: the largest seen
  std::vector<double> zero_;                         // by number of the value: at the beginning of the step
  std::vector<double> last_;  // by event: the part of the step at which its trial side was seen last
  double sampled_ = 0;        // the last part of the step that was looked at
  std::vector<Bracket> brackets_;
  Dips dips_;
  std::vector<double> values_;
  std::vector<double> at_first_;  // at the first change located so far
  std::vector<double> behind_;    // at the last step made that ended behind a change, and how large that was
  double behind_size_ = 0;
  std::uint32_t undefined_ = 0;
  bool kinks_defined_ = false;
  TimeFunctions* time_functions_ = nullptr;
  HiddenChanges* hidden_ = nullptr;
};

constexpr bool known(EventWatch::Side side) {
  return side >= EventWatch::Side::below && side <= EventWatch::Side::above;
}

}  // namespace mbc::runtime
