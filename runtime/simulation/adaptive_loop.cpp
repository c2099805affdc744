// SPDX-License-Identifier: Apache-2.0
// The loop of methods that choose their steps.
#include "runtime/simulation/adaptive_loop.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/constraints/offset_from_singularity.h"
#include "runtime/simulation/run_failure.h"

namespace mbc::runtime {

namespace {

constexpr double kSingularStep = 1e-4;  // smallest step beside a singular position, in units of offset_from_singularity
// dopri5 is stuck when this many attempts cover less than this part of the time span: a run would need 1e9.
constexpr std::uint64_t kPatience = 100000;
constexpr double kProgress = 1e-4;
constexpr double kWhole = 0.99;  // a step that a row has not cut short
constexpr double kEasily =
    1e-3;  // error of a step beside a singular position that needed no division, as a part of rtol

}  // namespace

AdaptiveLoop::AdaptiveLoop(RunParts& run, Passage& passage, AcceptedState& accepted, Stepping& stepping)
    : run_(run),
      passage_(passage),
      accepted_(accepted),
      stepping_(stepping),
      method_(run.method.dopri5 ? &*run.method.dopri5 : nullptr),
      // not the work integrals
      control_(run.options.control, run.options.begin,
               run.options.horizon > 0 ? run.options.begin + run.options.horizon : run.time_of(run.options.steps),
               run.layout.work_at()),
      row_(run.integrated.y().size()),
      row_rate_(row_.size()) {
  if (run.options.integrator == Integrator::bdf) stiff_.emplace(run, stepping, control_.max_step());
}

bool AdaptiveLoop::begin() {
  t_ = run_.options.begin;
  IntegratedState& integrated = run_.integrated;
  accepted_state_ = integrated.y();
  if (!accepted_.evaluate(t_) || !run_.recording.row(t_, integrated.y(), integrated.dy(), false)) return false;
  if (run_.values_changed() && !accepted_.evaluate_again(t_)) return false;
  next_row_ = rows_apart();
  was_at_ = t_;
  const bool near = passage_.near();  // then nothing but y has a rate
  control_.begin(near ? integrated.y() : integrated.state(), near ? integrated.dy() : integrated.rate());
  return true;
}

bool AdaptiveLoop::go_to(double end) {
  control_.go_on_to(end);
  for (;;) {
    if (run_.options.progress) run_.options.progress(t_);
    if (t_ >= end) return true;
    if (run_.options.stop && *run_.options.stop) {
      run_.data.status = RunStatus::interrupted;
      return false;
    }
    if (!step_from(t_, end)) return false;
  }
}

// One accepted step, and t at its end; false when the run ends.
bool AdaptiveLoop::step_from(double& t, double last_time) {
  if (passage_.near() || passage_.interpolated(t)) return step_beside(t, last_time);
  IntegratedState& integrated = run_.integrated;
  RunData& data = run_.data;
  const double h = stiff_ ? stiff_step(t, last_time) : accepted_step(t);
  if (h == 0) return false;
  const double t_new = stiff_ ? stiff_->time() : control_.reaches_end() ? last_time : t + h;
  ++data.steps;
  data.smallest_step = data.steps == 1 ? h : std::min(data.smallest_step, h);
  data.largest_step = std::max(data.largest_step, h);
  const std::uint64_t rows = data.rows;
  if (!record_between(t, t_new, h)) return false;
  integrated.state() = stiff_ ? stiff_->y_new() : method_->y_new();
  if (!stepping_.settle(t_new, stiff_.has_value())) return false;
  // the last stage is the rate at the new state, unless something was changed or evaluated since
  const bool known = method_ && !run_.layout.quasi && data.rows == rows && !run_.options.drive &&
                     !run_.stabiliser.corrects() && integrated.y() == method_->y_new();
  if (known) integrated.dy() = method_->rate_new();
  data.reached = t_new;
  run_.pace = h;
  if (known ? !accepted_.look(t_new, true) : !accepted_.evaluate(t_new)) return false;
  t = t_new;
  accepted_state_ = integrated.y();
  return record_end(t, last_time);
}

bool AdaptiveLoop::record_end(double t, double last_time) {
  if (next_time() != t) return true;
  if (!run_.recording.row(t, run_.integrated.y(), run_.integrated.dy(), t >= last_time)) return false;
  next_row_ += rows_apart();
  return !run_.values_changed() || accepted_.evaluate_again(t);
}

// One step beside a singular position. Rows are ends of steps there, so that nothing is interpolated but on the
// position itself.
bool AdaptiveLoop::step_beside(double& t, double last_time) {
  const double h = control_.next(t, control_.smallest(t));
  double end = control_.reaches_end() ? last_time : t + h;
  if (next_time() > t) end = std::min(end, next_time());
  const Passage::Went went = passage_.step(t, end, std::min(h, end - t));
  if (went == Passage::Went::ended) return false;
  if (went == Passage::Went::left) return accepted_.evaluate_again(t);
  if (passage_.in_one_piece() && end - t >= kWhole * h) control_.accept(kEasily * run_.options.control.rtol);
  RunData& data = run_.data;
  ++data.steps;
  data.smallest_step = data.steps == 1 ? end - t : std::min(data.smallest_step, end - t);
  data.largest_step = std::max(data.largest_step, end - t);
  data.reached = end;
  run_.pace = end - t;
  if (!accepted_.evaluate(end)) return false;
  t = end;
  accepted_state_ = run_.integrated.y();
  return record_end(t, last_time);
}

// The same by the method for stiff problems, which sees to its errors itself.
double AdaptiveLoop::stiff_step(double t, double last_time) {
  if (!stiff_->step(t, last_time)) return 0;
  if (!stuck(t)) return stiff_->length();
  run_.end(RunStatus::stopped,
           step_too_small(run_.info, run_.layout, run_.integrated.entry_of(stiff_->worst()), t, stiff_->length(),
                          run_.certification.near_singular(), run_.stabiliser.corrects()));
  return 0;
}

// Tries steps from t until one is accurate enough; its size, or 0 when there is none.
double AdaptiveLoop::accepted_step(double t) {
  IntegratedState& integrated = run_.integrated;
  const auto rhs = [this](double at, const double* y, double* dy) { return stepping_.rhs(at, y, dy); };
  const auto inner = [this](double at, const double* y, double* dy) { return stepping_.fast_rhs(at, y, dy); };
  const bool near_singular = run_.certification.near_singular();
  // beside a singular position what drift has left is amplified: no step would be small enough there
  const double drift = near_singular ? kSingularStep * offset_from_singularity(run_.equations, t, integrated.y().data(),
                                                                               integrated.dy().data())
                                     : 0;
  const double smallest = std::max(control_.smallest(t), drift);
  for (double h = control_.next(t, smallest);;) {
    double error = std::numeric_limits<double>::infinity();
    const bool evaluated =
        method_->step(inner, t, h, integrated.state(), integrated.rate()) == 0 && method_->estimate(rhs, t) == 0;
    if (evaluated) error = control_.measure(integrated.state(), method_->y_new(), method_->error());
    if (control_.accepts(error)) {
      control_.accept(error);
      return h;
    }
    ++run_.data.rejected;
    if (h <= smallest || stuck(t)) {
      run_.end(RunStatus::stopped,
               evaluated ? step_too_small(run_.info, run_.layout, integrated.entry_of(control_.worst()), t, h,
                                          run_.certification.near_singular(), run_.stabiliser.corrects())
                         : why_stage_undefined(run_.equations, run_.info, integrated, method_->failed_time(),
                                               method_->failed_state()));
      return 0;
    }
    h = std::max(control_.reject(error), smallest);
  }
}

// Where the rates jump back and forth steps are accepted, but lead nowhere.
bool AdaptiveLoop::stuck(double t) {
  const std::uint64_t attempts = run_.data.steps + run_.data.rejected;
  if (attempts < looked_at_ + kPatience) return false;
  const bool here = t - was_at_ < kProgress * length();
  looked_at_ = attempts;
  was_at_ = t;
  return here;
}

// The rows after t and before t_new. The interpolated state is brought onto the constraints by the smallest
// correction; it is recorded only, the integration does not see it.
bool AdaptiveLoop::record_between(double t, double t_new, double h) {
  for (; next_time() < t_new; next_row_ += rows_apart()) {
    const double at = next_time();
    if (stiff_)
      stiff_->interpolate(at, row_);
    else
      method_->interpolate((at - t) / h, run_.integrated.state(), row_);
    if (!record_at(at)) return false;
  }
  return true;
}

// The state in row_, as it is integrated.
bool AdaptiveLoop::record_at(double t) {
  const auto undefined = [&] {
    return run_.end(RunStatus::stopped, why_undefined(run_.equations, run_.info, t, row_.data()));
  };
  const bool quasi = run_.integrated.in_quasi_velocities();
  if (quasi && run_.equations.quasi().to_speeds(t, row_.data(), row_.data()) != 0) return undefined();
  normalise(run_.info, row_.data());
  if (!stepping_.accepts(t, row_.data(),
                         run_.stabiliser.between_steps(t, row_.data(), run_.certification.near_singular())))
    return false;
  ++run_.data.evaluations;
  const std::int32_t failed = run_.layout.quasi ? run_.equations.rhs(t, row_.data(), row_rate_.data())
                                                : run_.singular_limit.rhs(t, row_.data(), row_rate_.data());
  if (failed != 0) return undefined();
  if (run_.recording.row(t, row_, row_rate_, false)) return true;
  run_.data.reached = t;
  run_.integrated.y() = row_;
  return false;
}

}  // namespace mbc::runtime
