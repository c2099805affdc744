// SPDX-License-Identifier: Apache-2.0
// CompanionSteps estimates the global error of a run while it goes on (R. D. Skeel, "Thirteen ways to estimate global
// error", Numer. Math. 48 (1986) 1-20). The run is divided into windows of k steps. At the end of each window its
// companion steps are made from its beginning, by the method of order p. Each of them leads over r steps of the run:
//
//   b, from y_0             d = (b - y_k)/(r^p - 1)     the errors that the steps of the window have made
//   c, from y_0 + s e_0     e_k = (c - b)/s + d         those and the errors before them, carried to its end
//
// The part of e_0 along the motion, tau f_0, is an error of time. It becomes tau f_k, and c carries the rest, from a
// time that is earlier by s tau. Otherwise the small errors of c would let errors of an oscillation grow exponentially,
// which grow linearly: the matrix that carries them has a double eigenvalue of 1, which is sensitive.
//
// s makes the displacement small. One step with r = k is enough where the motion is smooth; else r is halved until the
// errors follow the order, and at last r = 1/2 shows errors of any order. A method that remembers rates has companion
// steps of the method of Runge and Kutta of the same order, and d is the difference of steps of the run to such steps.
// Taylor series and the method for stiff problems know d as the sum of what their steps neglect. The errors before a
// window of stiff steps are carried by the Jacobian (stiff_companion.h).
//
// Companion steps resolve the motion less well than the steps of the run. The slip, which is the sum of |b - y_k|,
// shows how far they would come away from it. Errors that are carried over a longer way than that lose their direction,
// and they become too small by this factor; the estimate is multiplied by 1 + slip.
//
// A window ends at an event or a discontinuity, and the next one begins behind it. A motion that is displaced by e
// meets it later by tau, -(dg/dy e)/g' of its event function g, and until then it has the rate f_- in place of f_+:
//
//   e_+ = e_- + tau (f_- - f_+)
//
// An event is taken to leave an error as large as it was.
//
// k follows from the slip and from a bound on the cost. A window that is cut otherwise leaves the errors as they
// are. States are y = [q; u; s] for every formulation. The motion does not depend on any of this.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "runtime/events/followed_errors.h"
#include "runtime/integrators/method.h"
#include "runtime/record/error_sizes.h"
#include "runtime/record/run_plan.h"
#include "runtime/record/run_state.h"
#include "runtime/state/constraint_handling.h"
#include "runtime/step/stiff_companion.h"

namespace mbc::runtime {

class CompanionSteps : public FollowedErrors {
  static constexpr int kColumnsOfCall = 4;  // of a Jacobian, that take as long as an evaluation of the rates

 public:
  // Everything outlives the object.
  CompanionSteps(const RunPlan& plan, RunState& state, ConstraintHandling& constraints);

  // A step that begins at t: as many steps are left as are known, the method for stiff problems makes it or not, and a
  // singular position is near or not.
  struct Next {
    double t = 0;
    std::uint64_t left = std::numeric_limits<std::uint64_t>::max();
    bool beside = false, stiff = false;
  };
  // The state before the next step was accepted.
  void before_step(const Next& next) {
    if (looks_) prepare(next);
  }
  // Parameters or inputs have changed.
  void values_changed() {
    if (is_open_) drop();
  }
  // The step was made, and has led to t. `neglected` are the errors of this step in [q; u; s], or null if its method
  // does not know them.
  void after_step(double t, const std::vector<double>* neglected) {
    if (is_open_) count(t, neglected);
  }
  [[nodiscard]] bool looks() const { return is_open_; }
  // A row at t was taken from the dense output of the step that is being made, at that part of it.
  void inside_step(double t, double part, const std::vector<double>& row) {
    if (is_open_ && done_ + 1 == length_) keep_row(t, part, row);
  }
  [[nodiscard]] bool follows_events() const override;
  void reach(double t) override;
  double displace(std::vector<double>& y) const override;
  double go_back(std::vector<double>& y) const override;
  void pass(double late) override;
  // The run has come to its end. Looks at the steps that fill no window, and tells what was found.
  void finish(bool whole);

  void transfer(Archive& archive);

 private:
  void make();
  void prepare(const Next& next);
  void open(const Next& next);
  void count(double t, const std::vector<double>* neglected);
  void look_at_zeros();
  [[nodiscard]] bool is_told() const;
  void look();
  void look_at_clock(bool defined);
  double walk(std::size_t entry);
  bool measure();
  bool measure_stiff();
  void keep_row(double t, double part, const std::vector<double>& row);
  void look_at_row();
  [[nodiscard]] double cost_of_stiff() const { return 1 + static_cast<double>(size()) / kColumnsOfCall; }
  void report();
  bool make_both(std::uint64_t parts, double scale);
  [[nodiscard]] double time_error() const;
  bool step(double t, double h, std::vector<double>& y);
  bool steps(std::uint64_t parts, double late, std::vector<double>& y);
  [[nodiscard]] double time_at(double step) const;
  [[nodiscard]] double magnification(std::uint64_t parts) const;
  [[nodiscard]] bool slips_smoothly(double slip, double coarser, std::uint64_t parts) const;
  void add_local_errors(std::uint64_t parts, bool samples);
  void take_local_errors(const std::vector<double>& errors, double part);
  [[nodiscard]] bool nothing_happened() const;
  [[nodiscard]] double steps_of_run() const;
  void drop();
  void choose_length(double slip, std::uint64_t parts);
  [[nodiscard]] double least_length() const;
  [[nodiscard]] bool can_afford(double cost) const;
  [[nodiscard]] bool remembers_rates() const { return settings::remembers_rates(plan_.options().integrator); }
  [[nodiscard]] double relative(const std::vector<double>& errors) const;
  [[nodiscard]] std::size_t size() const { return state_.layout().work_at(); }

  // Returns whether the method tells what its steps neglect.
  [[nodiscard]] bool knows_errors() const { return is_stiff_ || info_.calls == 0; }

  const RunPlan& plan_;
  RunState& state_;
  ConstraintHandling& constraints_;
  const settings::IntegratorInfo& info_;
  bool looks_ = false, is_open_ = false, is_lost_ = false, is_stiff_ = false;
  bool was_beside_ = false;                 // a step beside a singular position, whose errors are not known
  double calls_ = 0;                        // evaluations of a step of the run
  double cost_ = 0, free_ = 0, spent_ = 0;  // evaluations: of a window in one part, without a bound, so far
  std::uint64_t affordable_ = 2;            // the length of a window that costs what is looked at in long runs
  std::uint64_t length_ = 2;                // of the window at hand, or of the next one, in steps
  std::uint64_t done_ = 0, first_ = 0, events_ = 0;
  std::uint64_t looked_at_ = 0, covered_ = 0;  // steps in windows; of them those that companion steps could follow
  double last_t_ = 0, usual_error_ = 0;        // a time; of a step of the last window
  double late_ = 0;                            // the error of time at the beginning of the window
  double middle_t_ = 0;                        // the time of middle_
  std::uint64_t zeros_at_ = 0;                 // steps until the terms of the rates are looked at again
  double row_t_ = 0, row_part_ = 0;            // of the row within the last step that is next to its middle
  std::optional<ErrorSizes> sizes_;
  std::optional<Method> single_;
  std::optional<StiffCompanion> stiff_;
  std::vector<double> times_;  // at which the steps of the window begin and end
  std::vector<double> from_, from_rate_, end_rate_, before_rate_, middle_, last_, row_, neglected_, base_, displaced_,
      z_, rate_, discrete_, held_;
  std::vector<double> error_, worst_, sum_, slip_, largest_, when_, of_rows_;
  std::vector<double> by_clock_;  // what the rounding of the time moves in the window
  std::vector<double> walked_;    // the squares of it, added up over the windows
};

}  // namespace mbc::runtime
