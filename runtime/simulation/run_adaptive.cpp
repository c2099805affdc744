// SPDX-License-Identifier: Apache-2.0
// Steps of the method's own size (dopri5), and the rows between them.
#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "runtime/constraints/offset_from_singularity.h"
#include "runtime/simulation/run.h"

namespace mbc::runtime {

namespace {

constexpr double kSingularStep = 1e-4;  // smallest step beside a singular position, in units of time_aside
// dopri5 is stuck when this many attempts cover less than this part of the time span: a run would need 1e9.
constexpr std::uint64_t kPatience = 100000;
constexpr double kProgress = 1e-4;

}  // namespace

// Rows are recorded at begin + i*step, from the continuous extension of the step that holds them.
void Run::adaptive_loop() {
  if (begin_adaptive()) adapt_to(time_of(options_.steps));
}

bool Run::begin_adaptive() {
  t_ = options_.begin;
  const double end = options_.horizon > 0 ? t_ + options_.horizon : time_of(options_.steps);
  control_.emplace(options_.control, t_, end, layout_.work_at());  // not the work integrals
  if (!evaluate(t_) || !recording_.row(t_, y_, k1_, false)) return false;
  next_row_ = rows_apart();
  was_at_ = t_;
  control_->begin(state(), rate());
  return true;
}

bool Run::adapt_to(double end) {
  control_->go_on_to(end);
  for (;;) {
    if (options_.progress) options_.progress(t_);
    if (t_ >= end) return true;
    if (options_.stop && *options_.stop) {
      data_.status = RunStatus::interrupted;
      return false;
    }
    const double h = accepted_step(t_);
    if (h == 0) return false;
    const double t_new = control_->reaches_end() ? end : t_ + h;
    ++data_.steps;
    data_.smallest_step = data_.steps == 1 ? h : std::min(data_.smallest_step, h);
    data_.largest_step = std::max(data_.largest_step, h);
    const std::uint64_t rows = data_.rows;
    if (!record_between(t_, t_new, h)) return false;
    state() = dopri5_->y_new();
    if (!settle(t_new)) return false;
    // the last stage is the rate at the new state, unless something was changed or evaluated since
    const bool known =
        !layout_.quasi && data_.rows == rows && !options_.drive && !keeper_.corrects() && y_ == dopri5_->y_new();
    if (known) k1_ = dopri5_->rate_new();
    data_.reached = t_new;
    if (known ? !decide(t_new) : !evaluate(t_new)) return false;
    t_ = t_new;
    if (next_time() == t_ && !recording_.row(t_, y_, k1_, t_ >= end)) return false;
    if (next_time() == t_) next_row_ += rows_apart();
  }
}

// Tries steps from t until one is accurate enough; its size, or 0 when there is none.
double Run::accepted_step(double t) {
  StepControl& control = *control_;
  const auto rhs = [this](double at, const double* y, double* dy) { return stage(at, y, dy); };
  const auto inner = [this](double at, const double* y, double* dy) { return inner_stage(at, y, dy); };
  // beside a singular position what drift has left is amplified: no step would be small enough there
  const double drift =
      certification_.near_singular() ? kSingularStep * time_aside(equations_, t, y_.data(), k1_.data()) : 0;
  const double smallest = std::max(control.smallest(t), drift);
  for (double h = control.next(t, smallest);;) {
    double error = std::numeric_limits<double>::infinity();
    const bool evaluated = dopri5_->step(inner, t, h, state(), rate()) == 0 && dopri5_->estimate(rhs, t) == 0;
    if (evaluated) error = control.measure(state(), dopri5_->y_new(), dopri5_->error());
    if (control.accepts(error)) {
      control.accept(error);
      return h;
    }
    ++data_.rejected;
    if (h <= smallest || stuck(t)) {
      end(RunStatus::stopped, evaluated ? step_too_small(control.worst(), t, h)
                                        : why_stage_failed(dopri5_->failed_time(), dopri5_->failed_state()));
      return 0;
    }
    h = std::max(control.reject(error), smallest);
  }
}

// Where the rates jump back and forth steps are accepted, but lead nowhere.
bool Run::stuck(double t) {
  if (data_.steps + data_.rejected < looked_at_ + kPatience) return false;
  const bool here = t - was_at_ < kProgress * length();
  looked_at_ = data_.steps + data_.rejected;
  was_at_ = t;
  return here;
}

Diagnostic Run::step_too_small(std::size_t component, double t, double h) const {
  Diagnostic d;
  d.kind = Kind::step_too_small;
  const std::uint32_t entry = entry_of(component);
  d.args = {quoted_name(entry_name(info_, layout_, entry)), text::short_number(h, 3)};
  d.span = entry_span(info_, layout_, entry);
  d.time = t;
  d.help = certification_.near_singular()
               ? "rows of the constraints become dependent here: use `stabilise = project`"
               : "look whether the motion is smooth here; if it is, loosen `rtol` and `atol`";
  return d;
}

// The rows after t and before t_new. The interpolated state is brought onto the constraints by the smallest
// correction; it is recorded only, the integration does not see it.
bool Run::record_between(double t, double t_new, double h) {
  for (; next_time() < t_new; next_row_ += rows_apart()) {
    const double at = next_time();
    dopri5_->interpolate((at - t) / h, state(), row_);
    if (quasi_ && equations_.to_speeds(at, row_.data(), row_.data()) != 0)
      return end(RunStatus::stopped, why_undefined(at, row_.data()));
    normalise(info_, row_.data());
    if (!kept(at, keeper_.between_steps(at, row_.data(), certification_.near_singular()))) return false;
    ++data_.evaluations;
    if ((layout_.quasi ? equations_.rhs(at, row_.data(), row_rate_.data())
                       : passage_.rhs(at, row_.data(), row_rate_.data())) != 0)
      return end(RunStatus::stopped, why_undefined(at, row_.data()));
    if (recording_.row(at, row_, row_rate_, false)) continue;
    data_.reached = at;
    y_ = row_;
    return false;
  }
  return true;
}

}  // namespace mbc::runtime
