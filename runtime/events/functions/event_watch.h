// SPDX-License-Identifier: Apache-2.0
// The events `when` along one step: on which side of zero each event function is, whether each condition holds, and
// where in the step that changes.
//
// A step is sampled at the Chebyshev points of its dense output, and at four points at least in the time between two
// rows. Bounds of the event functions exclude or find changes between two samples (hidden_changes.h). The change itself
// is located on steps of the method (locate_change.h); the last of these steps ends after the change. Changes that
// depend on the time alone are located in time alone (time_functions.h), so their sides are known along every step.
//
// After an event the first look at the next step begins with points that approach its beginning, for numbers that rest
// at zero there (event_signs.h).
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "kernel/problem/events.h"
#include "runtime/events/functions/event_signs.h"
#include "runtime/events/functions/grazing.h"
#include "runtime/events/functions/hidden_changes.h"

namespace mbc::runtime {

// Returns the parts of a step of size h at which it is sampled. `apart` is the time between two rows.
std::vector<double> looks_along(double h, double apart);

class EventWatch {
 public:
  using Side = runtime::Side;
  // Computes the event functions on the dense output at a part of a step, 0 <= theta <= 1. Returns false if they are
  // undefined.
  using Dense = std::function<bool(double theta, std::vector<double>& values)>;
  // Does the same at the end of a step of size h from the same state.
  using Made = std::function<bool(double h, std::vector<double>& values)>;
  // A step of the method. `row` returns the state on its dense output.
  struct Along {
    Dense dense;
    Made made;
    DensePolynomials::Row row;
  };

  // `apart` is the time between two rows. References must outlive the object.
  EventWatch(const problem::Events& events, double apart, EventSigns& signs);

  // Sets the search of changes between samples, which must outlive the object; null means none. EventSigns::know() is
  // called before.
  void look_for(HiddenChanges* hidden);

  // Sets whether event functions of discontinuities must be defined. They need not be if the functions are evaluated as
  // written.
  void expect_kinks(bool defined) { kinks_defined_ = defined; }

  // Finds the first change in a step of size h from t that fires events. `at` is the size of the step that ends after
  // it; `fired` lists the events of that instant. The signs are then those of the state there, and open for the fired
  // events.
  enum class Found : std::uint8_t { nothing, change, undefined };
  Found look(double t, double h, double tolerance, const Along& along, double& at, std::vector<std::uint32_t>& fired);
  // Returns whether the last look met its cost limit before bounds had excluded hidden changes.
  [[nodiscard]] bool unclear() const { return hidden_ != nullptr && hidden_->unclear(); }
  // Restores the signs from before the last look.
  void look_again() { signs_.take(before_); }
  // Returns the event whose function was undefined.
  [[nodiscard]] std::uint32_t undefined() const { return undefined_; }

 private:
  struct Bracket {
    std::uint32_t event = 0;
    double before = 0, behind = 1;  // parts of the step
    Side from{}, to{};
    double round = 0;  // time from the start of the step at which an angle wraps
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
  double finest_;                            // samples per unit of time
  std::vector<std::uint32_t> numbers_;       // number of the value of each followed event
  std::vector<char> plain_;                  // by event: a number that may rest, no angle and no discontinuity
  std::vector<Side> trial_, before_, here_;  // here_: trial_ at the sample before the one taken ahead
  std::vector<Side> ahead_;                  // trial_ before the last sample
  std::vector<double> last_;                 // by event: the part of the step at which trial_ was last set
  std::vector<double> last_here_;            // last_ at the sample before the one taken ahead, and where that was
  double at_here_ = 0;
  double sampled_ = 0;  // the part of the step that was sampled last
  std::vector<Bracket> brackets_;
  Grazing grazing_;
  std::vector<double> values_;
  std::vector<double> at_first_;  // values at the first change located so far
  std::vector<double> behind_;    // values at the end of the last step that ended after a change, and its size
  double behind_size_ = 0;
  std::uint32_t undefined_ = 0;
  bool kinks_defined_ = false;
  HiddenChanges* hidden_ = nullptr;
};

}  // namespace mbc::runtime
