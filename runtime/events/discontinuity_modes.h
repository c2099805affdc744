// SPDX-License-Identifier: Apache-2.0
// The modes of piecewise functions. A time step sees one smooth formula of each function. The mode is 1 or -1, the sign
// of the event function; for `floor` it is the middle of its step. The mode is 0 if the event function rests at zero or
// if the step has no finite value by the mode. The time step then evaluates the function as it is written.
//
// A time step across a discontinuity ends there, and the mode changes. If the new mode leads straight back, the motion
// slides along the discontinuity (A. F. Filippov, "Differential Equations with Discontinuous Righthand Sides", Kluwer
// 1988). No sequence of steps continues from there, so the run ends.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "runtime/events/functions/event_signs.h"
#include "runtime/record/options.h"
#include "runtime/record/run_state.h"

namespace mbc::runtime {

class DiscontinuityModes {
 public:
  // Evaluates the event functions at a state with its rate.
  using Evaluate = std::function<void(double t, const double* y, double* dy, std::vector<double>& values)>;

  // The references must outlive the object.
  DiscontinuityModes(const SimulateOptions& options, RunState& state, EventSigns& signs);

  // Sets all modes to 0, as at the beginning of a run.
  static void open(const RunState& state);
  [[nodiscard]] bool any() const { return !kinks_.empty(); }
  // Returns whether a function has no mode yet although its side is known.
  [[nodiscard]] bool waits() const;
  // Sets the modes that are 0 by the values of an accepted state. Returns whether a mode has changed; rates found
  // before then differ from those by the modes in their rounding.
  bool hold(const std::vector<double>& values);
  // Returns whether the modes agree with the sides that the last look has found.
  [[nodiscard]] bool fit() const;
  // Jumps that a step begins at, and whether one of them leaves to the other side than that of its mode. A step that
  // goes to the wrong side there and comes back has the right one at its end. Jumps that have left are taken off the
  // list.
  [[nodiscard]] std::vector<std::uint32_t> at_jumps() const;
  [[nodiscard]] bool takes_other_side(std::vector<std::uint32_t>& jumps, const std::vector<double>& values);
  // Changes the modes for a step that is repeated from the accepted state at t. Returns false if the motion slides,
  // which ends the run.
  bool refit(double t, double h, const Evaluate& evaluate);
  [[nodiscard]] bool holds() const;
  // Sets all modes to 0. Returns false if they all were 0 before.
  bool open_all();
  // Returns whether the function is continuous at its discontinuity of slope, as `abs` is.
  [[nodiscard]] bool is_edge(std::uint32_t event) const {
    const std::optional<problem::Discontinuity>& function = events_.list[event].kink;
    return function && function->kind == problem::Discontinuity::Kind::edge;
  }
  // Sets the mode of an edge to 0 that changes again and again because its number is zero up to the errors of steps. An
  // edge needs no mode: it is evaluated as written until the number is kReleased times as large.
  void release(std::uint32_t event);
  // Changes the mode at an instant of this discontinuity. `values` are those before the instant.
  void change(std::uint32_t event, const std::vector<double>& values);
  // The first function sets the modes of functions of velocities to 0 while friction is decided, which may bring slips
  // to rest. The second one sets them for the state that results; a function that rests at zero keeps the mode 0.
  void open_of_speeds();
  void take_of_speeds(double t, const Evaluate& evaluate);
  // Ends the run at a discontinuity that it cannot leave. Returns false.
  bool chatters(double t, std::uint32_t event);

 private:
  [[nodiscard]] double& mode(std::uint32_t event) const { return state_.discrete().mode(*events_.list[event].kink); }
  [[nodiscard]] std::optional<Side> known_side(std::uint32_t event) const {
    return signs_.known_side(events_.list[event].value, Reading::number);
  }
  bool takes_side(std::uint32_t event, const std::vector<double>& values);
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
  std::vector<std::uint32_t> of_speeds_;  // those of kinks_ that depend on velocities, which friction may bring to rest
  double refit_at_ = 0;
  std::uint32_t refits_ = 0;  // number of refits at refit_at_
  std::vector<double> values_, y_, above_, below_;
};

}  // namespace mbc::runtime
