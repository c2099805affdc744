// SPDX-License-Identifier: Apache-2.0
// The loop of methods that choose their steps.
#include "runtime/simulation/adaptive_loop.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "kernel/limits.h"
#include "runtime/simulation/data/run_failure.h"
#include "runtime/singular/offset_from_singularity.h"

namespace mbc::runtime {

namespace {

constexpr double kSingularStep = 1e-4;  // smallest step beside a singular position, in units of offset_from_singularity
// A method is stuck when this many attempts cover less than this part of the time span: a run would need 1e9.
constexpr std::uint64_t kPatience = 100000;
constexpr double kProgress = 1e-4;
constexpr double kFirstSide = 1e-9;  // of the time span: steps longer than this do not lead across where a run stops
constexpr std::uint64_t kLookForStiffness = 50;  // steps between two looks
constexpr std::uint64_t kStiffSteps = 15, kSmoothSteps = 6;
constexpr std::uint64_t kBackSteps = 200;   // of the method for stiff problems
constexpr double kAdaptiveLoopSeen = 1e-2;  // of the tolerance: a difference that is looked at
constexpr double kAhead = 4;      // steps in which changes of the time alone are looked for before one is made
constexpr double kAtLimit = 0.5;  // of the limit of stability: steps held by it vary below it
constexpr double kWhole = 0.99;   // a step that a row has not cut short
// Error of a step beside a singular position that needed no division, as a part of rtol
constexpr double kEasily = 1e-3;

// Steps end where an event is due; on a row that is the same instant, so that it is the one after the event.
double piece_end(const RunParts& run, const EventRun* events, double end) {
  return events ? std::min(end, run.row_time_near(events->next_time())) : end;
}

// Whether the errors of the work count: relative to the sizes of the model, or where no speed is integrated, since the
// constraints alone decide the motion; else those of the speeds hold it.
bool controls_work(RunParts& run) {
  const bool decided =
      run.integrated.in_quasi_velocities() && static_cast<std::uint32_t>(run.data.start.rank) == run.layout.n_speeds;
  return run.options.control.by_sizes || decided;
}

// What work is measured by. Where nothing moves, rounding of the potential energy would be.
double energy_at_hand(const Equations& equations) {
  constexpr double kOfPotential = 1e-6;
  return std::max(std::fabs(equations.kinetic()), kOfPotential * std::fabs(equations.potential()));
}

// A state that is integrated is made one of the equations. False: it has none there.
bool is_row(RunParts& run, double t, std::vector<double>& row) {
  const bool quasi = run.integrated.in_quasi_velocities();
  return !quasi || run.equations.quasi().to_speeds(t, row.data(), row.data()) == 0;
}

// Of the events, there.
bool values_of_row(RunParts& run, EventRun& events, double t, std::vector<double>& row, std::vector<double>& values) {
  return is_row(run, t, row) && events.values_at(t, row.data(), values);
}

}  // namespace

AdaptiveLoop::AdaptiveLoop(RunParts& run, Crossing& crossing, AcceptedState& accepted, Stepping& stepping,
                           EventRun* events)
    : run_(run),
      crossing_(crossing),
      accepted_(accepted),
      stepping_(stepping),
      events_(events),
      trial_steps_(run, stepping),
      control_(run.options.control, run.options.begin, run.options.begin + run.length(),
               controls_work(run) ? run.layout.n_y() : run.layout.work_at()),
      sizes_(run.info, run.layout, run.length()),
      trial_(sizes_),
      chattering_(run.equations, run.data),
      row_(run.integrated.y().size()),
      row_rate_(row_.size()) {
  sizes_.know(run.projector.size().root_inertia);
  trial_.take(sizes_);
  if (run.options.integrator == Integrator::bdf) stiff_.emplace(run, stepping, limits());
}

bool AdaptiveLoop::begin() {
  t_ = run_.options.begin;
  IntegratedState& integrated = run_.integrated;
  accepted_state_ = integrated.y();
  if (!accepted_.evaluate(t_)) return false;
  if (events_ && !events_->start(t_)) return false;
  if (!run_.recording.row(t_, integrated.y(), integrated.dy(), false)) return false;
  if (run_.values_changed() && !accepted_.evaluate_again(t_)) return false;
  next_row_ = run_.options.rows_apart();
  was_at_ = t_;
  first_step();
  return true;
}

void AdaptiveLoop::first_step() {
  IntegratedState& integrated = run_.integrated;
  const bool near = crossing_.near();  // then nothing but y has a rate
  const std::vector<double>&y = near ? integrated.y() : integrated.state(),
        &dy = near ? integrated.dy() : integrated.rate();
  if (!run_.method.dop853 && !run_.method.taylor) return control_.begin(y, dy);
  sizes_.look(integrated.y());
  sizes_.look_at_energy(energy_at_hand(run_.equations));
  trial_.take(sizes_);
  row_ = y;
  const auto of = [this](std::size_t i) { return size(i); };
  control_.begin(y, dy, of, [&](double h) {
    if (near) return 0.0;
    std::vector<double>& moved = row_rate_;
    for (std::size_t i = 0; i < row_.size(); ++i) row_[i] = y[i] + h * dy[i];
    if (stepping_.fast_rhs(t_ + h, row_.data(), moved.data()) != 0) return 0.0;
    double change = 0;
    for (std::size_t i = 0; i < run_.layout.work_at(); ++i)
      change = std::max(change, std::fabs(moved[i] - dy[i]) / of(i));
    return change / h;
  });
}

// What the error of an entry of what is integrated is compared with.
double AdaptiveLoop::size(std::size_t entry) const {
  const StepSettings& c = run_.options.control;
  if (c.by_sizes) return trial_[run_.integrated.entry_of(entry)];
  const double now = std::fabs(run_.integrated.state()[entry]), then = std::fabs(run_.method.dop853->y_new()[entry]);
  return c.atol / c.rtol + std::max(now, then);
}

bool AdaptiveLoop::row_is_next() const {
  const std::uint64_t apart = run_.options.rows_apart();
  const double near = 2 * same_instant(t_, run_.length());
  return next_row_ >= apart && next_time() >= t_ - near && run_.time_of(next_row_ - apart) <= t_ + near;
}

// Where a host sets inputs at every row, steps of `auto` end there: inputs are constant in between.
bool AdaptiveLoop::driven() const { return run_.options.drive && run_.options.control.by_sizes; }

bool AdaptiveLoop::go_to(double last) {
  last_ = last;
  for (;;) {
    const double row = next_time(), end = driven() && row > t_ ? std::min(last, row) : last;
    control_.go_on_to(end);
    if (!go_on_to(end)) return false;
    if (end >= last) return true;
  }
}

// The state that the method has come to, where it is defined.
std::optional<std::vector<double>> AdaptiveLoop::end_of_step(double t) {
  std::vector<double> end;
  if (stiff_)
    end = stiff_->y_new();
  else
    with_method([&](auto& method) { end = method.y_new(); });
  if (run_.integrated.in_quasi_velocities() && run_.equations.quasi().to_speeds(t, end.data(), end.data()) != 0)
    return {};
  return end;
}

// A step whose events are known; h is what is left of the `whole`.
bool AdaptiveLoop::found_step(double t, double last_time, double& h, double& whole) {
  for (;;) {
    whole = h = stiff_ ? stiff_step(t, last_time) : accepted_step(t);
    if (h == 0) return false;
    if (run_.options.stop_at_singular && h > kFirstSide * run_.length()) {
      const std::optional<std::vector<double>> end = end_of_step(t + h);
      if (end && crossing_.leads_across(t + h, *end, false)) {  // the run ends on this side of the position
        run_.method.forget_history();
        last_time = t + 0.5 * h;
        control_.shorten_next(0.5 * h);
        ++run_.data.rejected;
        continue;
      }
    }
    const EventRun::Looked looked = shortened(t, h);
    if (looked != EventRun::Looked::again) return looked == EventRun::Looked::good;
    if (!accepted_.evaluate_again(t)) return false;
    accepted_state_ = run_.integrated.y();
  }
}

// Whether the step still goes where it should; h is made smaller where an event is inside it.
EventRun::Looked AdaptiveLoop::shortened(double t, double& h) {
  if (!events_ || !events_->watches()) return EventRun::Looked::good;
  double whole = h;
  trial_steps_.begin(t, h, stiff_ ? &*stiff_ : nullptr);
  const auto values_of = [&](double at, std::vector<double>* row, std::vector<double>& values) {
    if (row) return values_of_row(run_, *events_, at, *row, values);
    // by the functions themselves, or by the branches that are held
    if (!events_->holds_branches()) fail(t, whole, false);
    return false;
  };
  const auto dense = [&](double theta, std::vector<double>& values) {
    return values_of(t + theta * whole, trial_steps_.dense(theta), values);
  };
  const auto made = [&](double size, std::vector<double>& values) {
    return values_of(t + size, trial_steps_.made(size), values);
  };
  const auto row = [&](double theta) -> const double* {
    const std::vector<double>* made_row = trial_steps_.dense(theta);
    if (made_row == nullptr) return nullptr;
    dense_row_ = *made_row;
    if (!is_row(run_, t + theta * whole, dense_row_)) return nullptr;
    normalise(run_.info, dense_row_.data());
    return dense_row_.data();
  };
  const EventWatch::Along along{dense, made, row};
  EventRun::Looked looked = events_->shorten(t, h, along);
  for (; looked == EventRun::Looked::shorter; looked = events_->shorten(t, h, along)) {
    if (h <= 0.5 * whole) control_.shorten(h);
    whole = h;
    trial_steps_.shorten(h);
  }
  if (looked != EventRun::Looked::good || trial_steps_.end_at(h)) return looked;
  fail(t, h, false);
  return EventRun::Looked::ended;
}

bool AdaptiveLoop::go_on_to(double end) {
  for (;;) {
    if (events_) {
      events_->look_ahead(t_, std::min(end, t_ + kAhead * run_.pace));
      control_.go_on_to(piece_end(run_, events_, end));
    }
    if (run_.options.progress) run_.options.progress(t_);
    if (t_ >= end) return true;
    if (!run_.goes_on(t_)) return false;
    if (events_ && events_->changes_now(t_)) {  // what depends on the time alone, found at this instant just now
      if (!events_->arrive(t_)) return false;
      accepted_state_ = run_.integrated.y();
      continue;
    }
    if (!step_from(t_, piece_end(run_, events_, end))) return false;
  }
}

// One accepted step, and t at its end; false when the run ends.
bool AdaptiveLoop::step_from(double& t, double last_time) {
  if (crossing_.near() || crossing_.interpolated(t)) return step_beside(t, last_time);
  change_method(t);
  IntegratedState& integrated = run_.integrated;
  RunData& data = run_.data;
  double h = 0, whole = 0;
  if (!found_step(t, last_time, h, whole)) return false;
  bool cut = h != whole;
  double t_new = cut ? run_.row_time_near(t + h) : stiff_ ? stiff_->time() : control_.reaches_end() ? last_time : t + h;
  ++data.steps;
  data.smallest_step = data.steps == 1 ? h : std::min(data.smallest_step, h);
  data.largest_step = std::max(data.largest_step, h);
  const std::uint64_t rows = data.rows;
  // what lies between the ends of a step that has corrected its state itself follows the correction
  const std::vector<double>* made = stiff_ && !cut && next_time() < t_new ? stiff_->corrected() : nullptr;
  if (made && !stepping_.is_continuous({t, t_new, accepted_state_, integrated.dy(), *made, *made})) return false;
  if (!rows_on_motion(t, t_new, h, cut) || !record_between(t, t_new, h)) return false;
  if (seen_.off_motion) {
    if (!end_at_row(t, t_new, h)) return false;
    cut = true;
  }
  if (!cut && stiff_)
    look_for_smoothness(h);
  else if (!cut)
    look_for_stiffness(t, h);
  if (stiff_ && cut)
    stiff_->interpolate(t_new, integrated.state());
  else if (stiff_)
    integrated.state() = stiff_->y_new();
  else
    with_method([&](auto& method) {
      const std::vector<double>* located = trial_steps_.located(h);
      integrated.state() = located ? *located : method.y_new();
    });
  if (!stepping_.settle(t, accepted_state_, t_new, stiff_ && !cut)) return false;
  if (stiff_ && !cut && stiff_->corrected() &&
      !stepping_.without_jumps({t, t_new, accepted_state_, integrated.dy(), *stiff_->corrected(), integrated.y()}))
    return false;
  const std::optional<Span> jumps = chattering_.look(run_.length(), t, accepted_state_, t_new, integrated.y());
  // the last stage of dopri5 is the rate at the new state, unless something was changed or evaluated since
  const bool known = run_.method.dopri5 && !run_.layout.quasi && data.rows == rows && !run_.options.drive &&
                     !run_.stabiliser.corrects() && !trial_steps_.located(h) &&
                     integrated.y() == run_.method.dopri5->y_new();
  if (known) integrated.dy() = run_.method.dopri5->rate_new();
  data.reached = t_new;
  run_.pace = h;
  const bool within = driven() && t_new < last_time;
  if (known ? !accepted_.look(t_new, true) : within ? !accepted_.evaluate_again(t_new) : !accepted_.evaluate(t_new))
    return false;
  t = t_new;
  accepted_state_ = integrated.y();
  if (jumps)
    return run_.end(RunStatus::stopped,
                    chattering(run_.info, run_.layout,
                               run_.integrated.entry_of(stiff_ ? stiff_->worst() : control_.worst()), *jumps, t));
  if (run_.options.control.by_sizes) take_sizes(t);
  run_.recording.note_work(integrated.y());
  if (run_.options.control.by_sizes && !energy_holds(t)) return false;
  if (events_ && !events_->arrive(t)) return false;
  accepted_state_ = integrated.y();
  return record_end(t);
}

bool AdaptiveLoop::record_end(double t) {
  if (next_time() != t) return true;
  if (!run_.recording.row(t, run_.integrated.y(), run_.integrated.dy(), t >= last_)) return false;
  next_row_ += run_.options.rows_apart();
  return !run_.values_changed() || accepted_.evaluate_again(t);
}

// One step beside a singular position. Rows are ends of steps there, so that nothing is interpolated but on the
// position itself.
bool AdaptiveLoop::step_beside(double& t, double last_time) {
  run_.energy_net.forget();
  if (events_) events_->open_branches();
  const double h = control_.next(t, control_.smallest(t));
  double end = control_.reaches_end() ? last_time : t + h;
  if (next_time() > t) end = std::min(end, next_time());
  const Crossing::Status status = crossing_.step(t, end, std::min(h, end - t));
  if (status == Crossing::Status::ended) return false;
  if (status == Crossing::Status::left) return accepted_.evaluate_again(t);
  if (crossing_.in_one_piece() && end - t >= kWhole * h) control_.accept(kEasily * run_.options.control.rtol);
  RunData& data = run_.data;
  ++data.steps;
  data.smallest_step = data.steps == 1 ? end - t : std::min(data.smallest_step, end - t);
  data.largest_step = std::max(data.largest_step, end - t);
  data.reached = end;
  run_.pace = end - t;
  if (!accepted_.evaluate(end)) return false;
  t = end;
  if (events_ && !(events_->nothing_passed(t) && events_->arrive(t))) return false;
  accepted_state_ = run_.integrated.y();
  return record_end(t);
}

// What the accepted step has added.
void AdaptiveLoop::take_sizes(double t) {
  std::swap(sizes_, trial_);
  run_.equations.outputs(t, run_.integrated.y().data(), run_.integrated.dy().data());
  const double kinetic = std::fabs(run_.equations.kinetic());
  sizes_.look_at_energy(energy_at_hand(run_.equations));
  double& exchanged = run_.data.energy_balance.exchanged;  // between two rows there may be more than at them
  exchanged = std::max(exchanged, kinetic);
}

// Of the energies that take_sizes() has evaluated.
bool AdaptiveLoop::energy_holds(double t) {
  if (stiff_ || crossing_.near() || crossing_.interpolated(t)) {  // explicit pieces of a stiff step say nothing
    run_.energy_net.forget();
    return true;
  }
  const EnergyNet::Verdict verdict =
      run_.energy_net.look(t, run_.integrated.y(), run_.data.energy_balance, run_.data.events, run_.data.steps);
  if (verdict == EnergyNet::Verdict::failed) return run_.end(RunStatus::stopped, run_.energy_net.failure());
  return verdict == EnergyNet::Verdict::stands ||
         run_.equations.rhs(t, run_.integrated.y().data(), row_rate_.data()) == 0 || run_.undefined(t);
}

// One attempt, and its error; infinite where it cannot be evaluated.
double AdaptiveLoop::attempt(double t, double h) {
  trial_steps_.forget();
  IntegratedState& integrated = run_.integrated;
  const auto rhs = [this](double at, const double* y, double* dy) { return stepping_.rhs(at, y, dy); };
  const auto inner = [this](double at, const double* y, double* dy) { return stepping_.fast_rhs(at, y, dy); };
  return with_method([&](auto& method) {
    const bool evaluated =
        method.step(inner, t, h, integrated.state(), integrated.rate()) == 0 && method.estimate(rhs, t) == 0;
    if (!evaluated) return std::numeric_limits<double>::infinity();
    using Made = std::decay_t<decltype(method)>;
    if constexpr (std::is_same_v<Made, Dopri5>) {
      return control_.measure(integrated.state(), method.y_new(), method.error());
    } else {
      const auto entry = [&](std::size_t i) { return integrated.entry_of(i); };
      const auto of = [this](std::size_t i) { return size(i); };
      if (run_.options.control.by_sizes) {
        trial_.take(sizes_);
        trial_.look(method.y_new(), entry);
        trial_.look_at_change(integrated.state(), method.y_new(), h, entry);
      }
      if constexpr (std::is_same_v<Made, Taylor>) {
        method.compare_with(of);
        return method.error();
      } else {
        return control_.measure(method.error(), method.coarse_error(), of);
      }
    }
  });
}

// The same by the method for stiff problems, which sees to its errors itself.
double AdaptiveLoop::stiff_step(double t, double last_time) {
  if (run_.options.control.by_sizes) {
    trial_.take(sizes_);
    trial_.look(run_.integrated.y());  // an event may have given it a speed
    trial_.look_at_rate(run_.integrated.dy(), [](std::size_t i) { return static_cast<std::uint32_t>(i); });
  }
  if (!stiff_->step(t, last_time)) return 0;
  run_.data.accuracy.add(stiff_->error(), t);
  if (run_.options.control.by_sizes) {
    trial_.take(sizes_);
    trial_.look(stiff_->y_new());
  }
  if (!stuck(t)) return stiff_->length();
  run_.end(RunStatus::stopped, step_too_small(run_.info, run_.layout, run_.integrated.entry_of(stiff_->worst()), t,
                                              stiff_->length(), run_.certification.near_singular(),
                                              run_.stabiliser.corrects(), run_.options.control.by_sizes));
  return 0;
}

// Tries steps from t until one is accurate enough; its size, or 0 when there is none.
double AdaptiveLoop::accepted_step(double t) {
  if (run_.method.taylor) return series_step(t);
  IntegratedState& integrated = run_.integrated;
  const bool near_singular = run_.certification.near_singular();
  // beside a singular position what drift has left is amplified: no step would be small enough there
  const double drift = near_singular ? kSingularStep * offset_from_singularity(run_.equations, t, integrated.y().data(),
                                                                               integrated.dy().data())
                                     : 0;
  const double smallest = std::max(control_.smallest(t), drift);
  for (double h = control_.next(t, smallest);;) {
    const double error = attempt(t, h);
    if (control_.accepts(error)) {
      control_.accept(error);
      run_.data.accuracy.add(error, t);
      return h;
    }
    ++run_.data.rejected;
    if (!std::isfinite(error) && events_ && events_->opens_branches()) {
      if (!accepted_.evaluate_again(t)) return 0;
      continue;
    }
    if (h <= smallest || stuck(t)) {
      fail(t, h, std::isfinite(error));
      return 0;
    }
    h = std::max(control_.reject(error), smallest);
  }
}

// No step from t is small enough.
void AdaptiveLoop::fail(double t, double h, bool evaluated) {
  const IntegratedState& integrated = run_.integrated;
  if (evaluated)
    run_.end(RunStatus::stopped, step_too_small(run_.info, run_.layout, integrated.entry_of(control_.worst()), t, h,
                                                run_.certification.near_singular(), run_.stabiliser.corrects(),
                                                run_.options.control.by_sizes));
  else
    with_method([&](auto& method) {
      run_.end(RunStatus::stopped,
               why_stage_undefined(run_.equations, run_.info, integrated, method.failed_time(), method.failed_state()));
    });
}

// Whether the steps are as short as the fastest decay asks for, and not the accuracy: Hairer and Wanner's test, some
// steps in a row.
void AdaptiveLoop::look_for_stiffness(double t, double h) {
  Dop853* method = run_.method.dop853 ? &*run_.method.dop853 : nullptr;
  if (!method || told_stiff_ || (run_.data.steps % kLookForStiffness != 0 && stiff_steps_ == 0)) return;
  const auto inner = [this](double at, const double* y, double* dy) { return stepping_.fast_rhs(at, y, dy); };
  if (method->end_rate(inner, t) != 0) return;  // the end of the step is looked at next
  const double rate =
      method->stiffness([this](std::size_t i) { return size(i); }, kAdaptiveLoopSeen * run_.options.control.rtol);
  if (rate * h <= kAtLimit * Dop853::kStable) {
    if (stiff_steps_ > 0 && ++other_steps_ == kSmoothSteps) stiff_steps_ = other_steps_ = 0;
    return;
  }
  other_steps_ = 0;
  if (++stiff_steps_ < kStiffSteps) return;
  stiff_rate_ = rate;
  vibrates_ = method->vibrates(inner, t, [this](std::size_t i) { return size(i); });
  if (may_turn_stiff()) {
    changes_ = true;
    return;
  }
  told_stiff_ = true;
  run_.data.warnings.push_back(
      stiff(run_.info, run_.layout, run_.integrated.entry_of(method->stiffest()), t, rate, h, vibrates_));
}

// Of `auto` the tolerance relative to the sizes of the model, of `bdf` itself the larger of rtol |y| and atol.
StiffSteps::Limits AdaptiveLoop::limits() const {
  const StepSettings& c = run_.options.control;
  if (c.by_sizes)
    return {control_.max_step(), c.tolerance, [this](std::size_t entry, double) { return trial_[entry]; }};
  return {control_.max_step(), c.rtol,
          [floor = c.atol / c.rtol](std::size_t, double value) { return std::max(std::fabs(value), floor); }};
}

bool AdaptiveLoop::may_turn_stiff() const {
  return run_.options.control.by_sizes && run_.options.partials && !run_.options.literal &&
         !run_.integrated.in_quasi_velocities() && run_.layout.n_y() <= kernel::kMostStiffStates;
}

// Between two steps: `auto` goes on with the other method.
void AdaptiveLoop::change_method(double t) {
  if (!std::exchange(changes_, false)) return;
  stiff_steps_ = other_steps_ = 0;
  const bool to_stiff = !stiff_;
  if (to_stiff)
    stiff_.emplace(run_, stepping_, limits());
  else
    stiff_.reset();
  run_.data.method_changes.push_back({t, stiff_rate_, to_stiff, vibrates_});
}

// Whether steps of the explicit method would be as long as those of the method for stiff problems, many in a row.
void AdaptiveLoop::look_for_smoothness(double h) {
  if (!run_.options.control.by_sizes) return;
  const double rate = stiff_->fastest();
  other_steps_ = rate * h <= kAtLimit * Dop853::kStable ? other_steps_ + 1 : 0;
  if (other_steps_ < kBackSteps) return;
  stiff_rate_ = rate;
  changes_ = true;
}

// Where the rates jump back and forth steps are accepted, but lead nowhere.
bool AdaptiveLoop::stuck(double t) {
  const std::uint64_t attempts = run_.data.steps + run_.data.rejected;
  if (attempts < looked_at_ + kPatience) return false;
  const bool here = t - was_at_ < kProgress * run_.length();
  looked_at_ = attempts;
  was_at_ = t;
  return here;
}

}  // namespace mbc::runtime
