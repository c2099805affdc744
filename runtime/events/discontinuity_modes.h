// SPDX-License-Identifier: Apache-2.0
// The modes of piecewise functions. A step sees one smooth piece of each function: the mode is 1 or -1 by the sign of
// the number that decides, of `floor` the middle of its step. The mode is 0 where the number rests at zero and where a
// step has no finite value by the mode; the step then sees the function as it is written.
//
// A step across a discontinuity ends there, and the mode changes. If the new mode leads straight back, the motion
// slides along the discontinuity (A. F. Filippov, "Differential Equations with Discontinuous Righthand Sides", Kluwer
// 1988): no sequence of steps goes on from there, and the run ends.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "runtime/events/functions/event_signs.h"
#include "runtime/record/options.h"
#include "runtime/state/run_state.h"

namespace mbc::runtime {

class DiscontinuityModes {
 public:
  // The values of what is watched, at a state with its rate.
  using Evaluate = std::function<void(double t, const double* y, double* dy, std::vector<double>& values)>;

  // Both outlive the object.
  DiscontinuityModes(const SimulateOptions& options, RunState& state, EventSigns& signs);

  // All open, as at the beginning of a run.
  static void open(const RunState& state);
  [[nodiscard]] bool any() const { return !kinks_.empty(); }
  // Whether one is open that could be held.
  [[nodiscard]] bool waits() const;
  // Those at the values of an accepted state.
  void hold(const std::vector<double>& values);
  // Whether those that are held are on the sides of what was looked at last.
  [[nodiscard]] bool fit() const;
  // For a step from the accepted state at t that is made once more. False: the motion slides, and the run ends.
  bool refit(double t, double h, const Evaluate& evaluate);
  [[nodiscard]] bool holds() const;
  // All; false where none is held.
  bool open_all();
  // Returns whether it is continuous, as `abs` is.
  [[nodiscard]] bool is_edge(std::uint32_t event) const {
    const std::optional<problem::Discontinuity>& function = events_.list[event].kink;
    return function && function->kind == problem::Discontinuity::Kind::edge;
  }
  // An edge that changes again and again, since its number is zero but for the errors of steps: it needs no mode, and
  // is as it is written until the number is kReleased times as large.
  void release(std::uint32_t event);
  // At an instant of this kink, whose values are those before it.
  void change(std::uint32_t event, const std::vector<double>& values);
  // While friction is decided on, which may bring slips to rest: functions of velocities are as they are written. Then
  // the modes at the state that is left: open where that rests at zero.
  void open_of_speeds();
  void take_of_speeds(double t, const Evaluate& evaluate);
  // The run ends at a kink that it cannot leave. False.
  bool chatters(double t, std::uint32_t event);

 private:
  [[nodiscard]] double& mode(std::uint32_t event) const { return state_.discrete().mode(*events_.list[event].kink); }
  [[nodiscard]] std::optional<Side> known_side(std::uint32_t event) const {
    return signs_.known_side(events_.list[event].value, Reading::number);
  }
  [[nodiscard]] double inside(std::uint32_t event, const std::vector<double>& values) const;
  [[nodiscard]] double step_of(std::uint32_t event, double x) const;
  [[nodiscard]] bool fits(std::uint32_t event) const;
  [[nodiscard]] bool steps(std::uint32_t event) const {
    return events_.list[event].kink->kind == problem::Discontinuity::Kind::steps;
  }
  bool slides(double t, double h, std::uint32_t event, const Evaluate& evaluate);
  double slope(double t, double h, std::uint32_t event, const Evaluate& evaluate, std::vector<double>& rate);
  [[nodiscard]] double leaves_to(double t, std::uint32_t event, const Evaluate& evaluate);

  const SimulateOptions& options_;
  RunState& state_;
  EventSigns& signs_;
  const problem::Events& events_;
  std::vector<std::uint32_t> kinks_;      // events
  std::vector<std::uint32_t> of_speeds_;  // of those that friction may bring to rest
  double refit_at_ = 0;
  std::uint32_t refits_ = 0;  // there
  std::vector<double> values_, y_, above_, below_;
};

}  // namespace mbc::runtime
