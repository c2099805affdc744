// SPDX-License-Identifier: Apache-2.0
// CompanionSteps estimates the global error of a run with steps of fixed size h while it goes on (R. D. Skeel,
// "Thirteen ways to estimate global error", Numer. Math. 48 (1986) 1-20). The run is divided into windows of k steps.
// At the end of each window its companion steps are made from its beginning, by the method of order p with steps of
// size r h:
//
//   b, from y_0             d = (b - y_k)/(r^p - 1)     the errors that the steps of the window have made
//   c, from y_0 + s e_0     e_k = (c - b)/s + d         those and the errors before them, carried to its end
//
// s makes the displacement small. One step with r = k is enough where the motion is smooth; else r is halved until the
// errors follow the order, and at last r = 1/2 shows errors of any order. A method that remembers rates has companion
// steps of the method of Runge and Kutta of the same order, and d is the difference of steps of the run to such steps.
//
// Companion steps resolve the motion less well than the steps of the run. The slip, which is the sum of |b - y_k|,
// shows how far they would come away from it. Errors that are carried over a longer way than that lose their direction,
// and they become too small by this factor; the estimate is multiplied by 1 + slip.
//
// k follows from the slip and from a bound on the cost. A window that is cut, by an event say, leaves the errors as
// they are. States are y = [q; u; s] for every formulation. The motion does not depend on any of this.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/integrators/method.h"
#include "runtime/record/error_sizes.h"
#include "runtime/record/run_plan.h"
#include "runtime/record/run_state.h"
#include "runtime/state/constraint_handling.h"

namespace mbc::runtime {

class CompanionSteps {
 public:
  // Everything outlives the object.
  CompanionSteps(const RunPlan& plan, RunState& state, ConstraintHandling& constraints);

  // The state before that step was accepted. beside: a singular position is near.
  void before_step(std::uint64_t step, bool beside) {
    if (looks_) prepare(step, beside);
  }
  // Parameters or inputs have changed.
  void values_changed() {
    if (is_open_) drop();
  }
  // The step was made, and has led to t.
  void after_step(double t) {
    if (is_open_) count(t);
  }
  // Tells what was found, at the end of the run.
  void report();

  void transfer(Archive& archive);

 private:
  void make();
  void prepare(std::uint64_t step, bool beside);
  void count(double t);
  void look(double t);
  bool measure(double t);
  bool make_both(double t, std::uint64_t parts, double scale);
  bool step(double t, double h, std::vector<double>& y);
  bool steps(double t, std::uint64_t parts, std::vector<double>& y);
  [[nodiscard]] double magnification(std::uint64_t parts) const;
  [[nodiscard]] bool slips_smoothly(double slip, double coarser, std::uint64_t parts) const;
  void add_local_errors(std::uint64_t parts, bool samples);
  void drop();
  void choose_length(double slip, std::uint64_t parts);
  [[nodiscard]] bool can_afford(double cost) const;
  [[nodiscard]] bool remembers_rates() const { return info_.single != plan_.options().integrator; }
  [[nodiscard]] double relative(const std::vector<double>& errors) const;
  [[nodiscard]] std::size_t size() const { return state_.layout().work_at(); }

  const RunPlan& plan_;
  RunState& state_;
  ConstraintHandling& constraints_;
  const settings::IntegratorInfo& info_;
  bool looks_ = false, is_open_ = false, is_lost_ = false;
  double cost_ = 0, free_ = 0, spent_ = 0;  // evaluations: of a window in one part, without a bound, so far
  std::uint64_t affordable_ = 2;            // the length of a window that costs what is looked at in long runs
  std::uint64_t length_ = 2;                // of the window at hand, or of the next one, in steps
  std::uint64_t done_ = 0, first_ = 0, events_ = 0;
  std::uint64_t looked_at_ = 0, covered_ = 0;    // steps in windows; of them those that companion steps could follow
  double t_ = 0, last_t_ = 0, usual_error_ = 0;  // times; of a step of the last window
  std::optional<ErrorSizes> sizes_;
  std::optional<Method> single_;
  std::vector<double> from_, last_, base_, displaced_, z_, rate_, discrete_;
  std::vector<double> error_, worst_, sum_, slip_, largest_, when_;
};

}  // namespace mbc::runtime
