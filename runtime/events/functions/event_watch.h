// SPDX-License-Identifier: Apache-2.0
// What `when` watches, along one step: on which side of zero each number is, whether each condition holds, and where in
// the step that changes.
//
// A step is looked at at the Chebyshev points of its dense output, and at four points at least in the time between two
// rows; bounds of what is watched exclude changes that two samples hide, or find them (hidden_changes.h). The change
// itself is located on steps of the method (locate_change.h). The end of the last step is behind the change. What
// depends on the time alone is located in time alone (time_functions.h): its side is known along every step.
//
// Right behind an event the first look at the step that follows begins with points that lie closer and closer to its
// beginning, for what rests at zero there (event_signs.h).
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "kernel/problem/events.h"
#include "runtime/events/functions/event_signs.h"
#include "runtime/events/functions/grazing.h"
#include "runtime/events/functions/hidden_changes.h"

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

  // apart: the time between two rows. Everything outlives the object.
  EventWatch(const problem::Events& events, double apart, EventSigns& signs);

  // What finds changes that samples hide, and outlives the object; null: nothing does. After EventSigns::know().
  void look_for(HiddenChanges* hidden);

  // Whether what decides on a kink has to have a value: not where the function itself sees to that.
  void expect_kinks(bool defined) { kinks_defined_ = defined; }

  // The first change in a step of size h from t that fires events. `at`: the size of the step that ends behind it;
  // `fired`: the events of that instant. The signs are then those of the state there, open for what has fired.
  enum class Found : std::uint8_t { nothing, change, undefined };
  Found look(double t, double h, double tolerance, const Along& along, double& at, std::vector<std::uint32_t>& fired);
  // Whether the last look met its cost limit before bounds had excluded hidden changes.
  [[nodiscard]] bool unclear() const { return hidden_ != nullptr && hidden_->unclear(); }
  // As if it had not looked last.
  void look_again() { signs_.take(before_); }
  // The event whose value was undefined.
  [[nodiscard]] std::uint32_t undefined() const { return undefined_; }

 private:
  struct Bracket {
    std::uint32_t event = 0;
    double before = 0, behind = 1;  // parts of the step
    Side from{}, to{};
    double round = 0;  // time from the start of the step at which an angle goes round
  };
  enum class Change : std::uint8_t { none, passed, round };
  bool look_for_grazing(double theta, const Dense& dense);
  bool begin_look(const Dense& dense, bool& open);
  bool sample(double theta, const Dense& dense);
  bool sample_up_to(double theta, const Dense& dense);
  bool hides_before(double theta);
  void begin_piece(std::int64_t k, double parts, const Along& along);
  [[nodiscard]] bool quiet(std::uint32_t event, Side now) const;
  bool locate(const Bracket& bracket, double t, double h, const Dense& dense, const Made& made, double& at,
              Change& change);
  bool locate_all(double t, double h, const Dense& dense, const Made& made, double& at,
                  std::vector<std::uint32_t>& fired);
  bool locate_missed(double t, double h, const Dense& dense, const Made& made, double& at,
                     std::vector<std::uint32_t>& fired);
  [[nodiscard]] double measured(const Bracket& bracket, const std::vector<double>& values) const;
  [[nodiscard]] bool crossed(const Bracket& bracket, double value) const;
  bool finite(const std::vector<double>& values);
  bool take_sides(double at, double tolerance, const Made& made, std::vector<std::uint32_t>& fired);

  const problem::Events& events_;
  EventSigns& signs_;
  double finest_;                            // points looked at in a unit of time
  std::vector<std::uint32_t> numbers_;       // of the value of each event that is followed
  std::vector<char> plain_;                  // by event; a number that may rest, and neither an angle nor a kink
  std::vector<Side> trial_, before_, here_;  // here_: trial_ at the sample before the one ahead
  std::vector<Side> ahead_;                  // and before the last sample
  std::vector<double> last_;                 // by event: the part of the step at which its trial side was seen last
  std::vector<double> last_here_;            // last_ at the sample before the one ahead, and where that was
  double at_here_ = 0;
  double sampled_ = 0;  // the last part of the step that was looked at
  std::vector<Bracket> brackets_;
  Grazing grazing_;
  std::vector<double> values_;
  std::vector<double> at_first_;  // at the first change located so far
  std::vector<double> behind_;    // at the last step made that ended behind a change, and how large that was
  double behind_size_ = 0;
  std::uint32_t undefined_ = 0;
  bool kinks_defined_ = false;
  HiddenChanges* hidden_ = nullptr;
};

}  // namespace mbc::runtime
