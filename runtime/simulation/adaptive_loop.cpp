// SPDX-License-Identifier: Apache-2.0
// The loop of methods that choose their steps.
#include "runtime/simulation/adaptive_loop.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "kernel/limits.h"
#include "runtime/constraints/offset_from_singularity.h"
#include "runtime/simulation/data/run_failure.h"

namespace mbc::runtime {

namespace {

constexpr double kSingularStep = 1e-4;  // smallest step beside a singular position, in units of offset_from_singularity
// A method is stuck when this many attempts cover less than this part of the time span: a run would need 1e9.
constexpr std::uint64_t kPatience = 100000;
constexpr double kProgress = 1e-4;
constexpr std::uint64_t kLookForStiffness = 50;  // steps between two looks
constexpr std::uint64_t kStiffSteps = 15, kSmoothSteps = 6;
constexpr std::uint64_t kBackSteps = 200;  // of the method for stiff problems
constexpr double kSeen = 1e-2;             // of the tolerance: a difference that is looked at
constexpr double kAtLimit = 0.5;           // of the limit of stability: steps held by it vary below it
constexpr double kRowsToLook = 4;          // in a step, from which on they are compared with its slope
constexpr double kMissed = 1e4;            // of the tolerance: what a row may add unseen
constexpr double kWhole = 0.99;            // a step that a row has not cut short
constexpr double kEasily =
    1e-3;  // error of a step beside a singular position that needed no division, as a part of rtol

// What the rate at a row would change in the time between two rows, against the slope of the extension: a load, short
// against the step, that none of the stages has met. size(i): what an error of the entry is compared with.
template <class Size>
bool meets_slope(const std::vector<double>& rate, const std::vector<double>& slope, std::uint32_t from,
                 std::uint32_t to, double limit, Size&& size) {
  for (std::uint32_t i = from; i < to; ++i)
    if (!(std::fabs(rate[i] - slope[i]) <= limit * size(i))) return false;
  return true;
}

// The time of a row that is the same instant, else t.
double row_time_near(const RunParts& run, double t) {
  const double steps = std::round((t - run.options.begin) / run.options.step);
  const double last = static_cast<double>(run.options.steps);
  const double row = run.time_of(static_cast<std::uint64_t>(std::clamp(steps, 0.0, last)));
  return std::fabs(row - t) <= same_instant(t, run.length()) ? row : t;
}

// Steps end where an event is due.
double piece_end(const EventRun* events, double end) { return events ? std::min(end, events->next_time()) : end; }

// What work is measured by. Where nothing moves, rounding of the potential energy would be.
double energy_at_hand(const Equations& equations) {
  constexpr double kOfPotential = 1e-6;
  return std::max(std::fabs(equations.kinetic()), kOfPotential * std::fabs(equations.potential()));
}

// Of the events, at a state that is integrated, which is made one of the equations.
bool values_of_row(RunParts& run, EventRun& events, double t, std::vector<double>& row, std::vector<double>& values) {
  const bool quasi = run.integrated.in_quasi_velocities();
  if (quasi && run.equations.quasi().to_speeds(t, row.data(), row.data()) != 0) return false;
  return events.values_at(t, row.data(), values);
}

}  // namespace

AdaptiveLoop::AdaptiveLoop(RunParts& run, Passage& passage, AcceptedState& accepted, Stepping& stepping,
                           EventRun* events)
    : run_(run),
      passage_(passage),
      accepted_(accepted),
      stepping_(stepping),
      events_(events),
      control_(run.options.control, run.options.begin, run.options.begin + run.length(),
               run.options.control.by_sizes ? run.layout.n_y() : run.layout.work_at()),
      sizes_(run.info, run.layout, run.length()),
      trial_(sizes_),
      chattering_(run),
      row_(run.integrated.y().size()),
      row_rate_(row_.size()) {
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
  const bool near = passage_.near();  // then nothing but y has a rate
  const std::vector<double>&y = near ? integrated.y() : integrated.state(),
        &dy = near ? integrated.dy() : integrated.rate();
  if (!run_.method.dop853) return control_.begin(y, dy);
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

// A step whose events are known; h is what is left of the `whole`.
bool AdaptiveLoop::found_step(double t, double last_time, double& h, double& whole) {
  for (;;) {
    whole = h = stiff_ ? stiff_step(t, last_time) : accepted_step(t);
    if (h == 0) return false;
    const EventRun::Looked looked = shortened(t, h);
    if (looked != EventRun::Looked::again) return looked == EventRun::Looked::good;
    if (!accepted_.evaluate_again(t)) return false;
    accepted_state_ = run_.integrated.y();
  }
}

// Whether the step still goes where it should; h is made smaller where an event is inside it.
EventRun::Looked AdaptiveLoop::shortened(double t, double& h) {
  if (!events_ || !events_->watches()) return EventRun::Looked::good;
  IntegratedState& integrated = run_.integrated;
  const auto inner = [this](double at, const double* y, double* dy) { return stepping_.fast_rhs(at, y, dy); };
  const auto rhs = [this](double at, const double* y, double* dy) { return stepping_.rhs(at, y, dy); };
  const double whole = h;
  double at_hand = h;  // the step that the method has made; 0: not as far as its continuous extension
  bool extended = false;
  const auto remake = [&](double size) {
    if (stiff_ || at_hand == size) return true;
    at_hand = size;
    extended = false;
    return with_method([&](auto& method) {
      return method.step(inner, t, size, integrated.state(), integrated.rate()) == 0 && method.estimate(rhs, t) == 0;
    });
  };
  // by the functions themselves, or by the branches that are held
  const auto undefined = [&] {
    if (!events_->holds_branches()) fail(t, whole, false);
    return false;
  };
  const auto dense = [&](double theta, std::vector<double>& values) {
    if (!remake(whole)) return undefined();
    if (stiff_) {
      stiff_->interpolate(t + theta * whole, row_);
      return values_of_row(run_, *events_, t + theta * whole, row_, values);
    }
    return with_method([&](auto& method) {
      if (!extended && method.extend(inner, t, integrated.state()) != 0) return undefined();
      extended = true;
      method.interpolate(theta, integrated.state(), row_);
      return values_of_row(run_, *events_, t + theta * whole, row_, values);
    });
  };
  // a method with memory makes no step again: its changes are those of its continuous output
  const auto made = [&](double size, std::vector<double>& values) {
    if (stiff_) {
      stiff_->interpolate(t + size, row_);
    } else {
      at_hand = 0;
      const bool went = with_method([&](auto& method) {
        if (method.step(inner, t, size, integrated.state(), integrated.rate()) != 0) return false;
        row_ = method.y_new();
        return true;
      });
      if (!went) return undefined();
    }
    normalise(run_.info, row_.data());
    if (!integrated.in_quasi_velocities())
      run_.stabiliser.after_trial(t + size, row_.data(), run_.certification.near_singular());
    return values_of_row(run_, *events_, t + size, row_, values);
  };
  const EventRun::Looked looked = events_->shorten(t, h, dense, made);
  if (looked != EventRun::Looked::good || remake(h)) return looked;
  fail(t, h, false);
  return EventRun::Looked::ended;
}

bool AdaptiveLoop::go_on_to(double end) {
  for (;;) {
    if (events_) control_.go_on_to(piece_end(events_, end));
    if (run_.options.progress) run_.options.progress(t_);
    if (t_ >= end) return true;
    if (!run_.goes_on(t_)) return false;
    if (!step_from(t_, piece_end(events_, end))) return false;
  }
}

// One accepted step, and t at its end; false when the run ends.
bool AdaptiveLoop::step_from(double& t, double last_time) {
  if (passage_.near() || passage_.interpolated(t)) return step_beside(t, last_time);
  change_method(t);
  IntegratedState& integrated = run_.integrated;
  RunData& data = run_.data;
  double h = 0, whole = 0;
  if (!found_step(t, last_time, h, whole)) return false;
  bool cut = h != whole;
  double t_new = cut                      ? row_time_near(run_, t + h)
                 : stiff_                 ? stiff_->time()
                 : control_.reaches_end() ? last_time
                                          : t + h;
  ++data.steps;
  data.smallest_step = data.steps == 1 ? h : std::min(data.smallest_step, h);
  data.largest_step = std::max(data.largest_step, h);
  const std::uint64_t rows = data.rows;
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
    with_method([&](auto& method) { integrated.state() = method.y_new(); });
  if (!stepping_.settle(t, accepted_state_, t_new, stiff_ && !cut)) return false;
  if (stiff_ && !cut && stiff_->corrected() &&
      !stepping_.without_jumps({t, t_new, accepted_state_, integrated.dy(), *stiff_->corrected(), integrated.y()}))
    return false;
  const std::optional<Span> jumps = chattering_.look(t, accepted_state_, t_new, integrated.y());
  // the last stage of dopri5 is the rate at the new state, unless something was changed or evaluated since
  const bool known = run_.method.dopri5 && !run_.layout.quasi && data.rows == rows && !run_.options.drive &&
                     !run_.stabiliser.corrects() && integrated.y() == run_.method.dopri5->y_new();
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
  if (stiff_ || passage_.near() || passage_.interpolated(t)) {  // explicit pieces of a stiff step say nothing
    run_.energy_net.forget();
    return true;
  }
  const EnergyNet::Verdict verdict =
      run_.energy_net.look(t, run_.integrated.y(), run_.data.energy_balance.exchanged, run_.data.events);
  if (verdict == EnergyNet::Verdict::failed) return run_.end(RunStatus::stopped, run_.energy_net.failure());
  return verdict == EnergyNet::Verdict::stands ||
         run_.equations.rhs(t, run_.integrated.y().data(), row_rate_.data()) == 0 || run_.undefined(t);
}

// One attempt, and its error; infinite where it cannot be evaluated.
double AdaptiveLoop::attempt(double t, double h) {
  IntegratedState& integrated = run_.integrated;
  const auto rhs = [this](double at, const double* y, double* dy) { return stepping_.rhs(at, y, dy); };
  const auto inner = [this](double at, const double* y, double* dy) { return stepping_.fast_rhs(at, y, dy); };
  return with_method([&](auto& method) {
    const bool evaluated =
        method.step(inner, t, h, integrated.state(), integrated.rate()) == 0 && method.estimate(rhs, t) == 0;
    if (!evaluated) return std::numeric_limits<double>::infinity();
    if constexpr (std::is_same_v<std::decay_t<decltype(method)>, Dopri5>)
      return control_.measure(integrated.state(), method.y_new(), method.error());
    else
      return error_of(method, h);
  });
}

double AdaptiveLoop::error_of(Dop853& method, double h) {
  if (run_.options.control.by_sizes) {
    trial_.take(sizes_);
    trial_.look(method.y_new(), [this](std::size_t i) { return run_.integrated.entry_of(i); });
    trial_.look_at_change(run_.integrated.state(), method.y_new(), h,
                          [this](std::size_t i) { return run_.integrated.entry_of(i); });
  }
  return control_.measure(method.error(), method.coarse_error(), [this](std::size_t i) { return size(i); });
}

// The same by the method for stiff problems, which sees to its errors itself.
double AdaptiveLoop::stiff_step(double t, double last_time) {
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
  const double rate = method->stiffness([this](std::size_t i) { return size(i); }, kSeen * run_.options.control.rtol);
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
    return {control_.max_step(), c.tolerance, [this](std::size_t entry, double) { return sizes_[entry]; }};
  return {control_.max_step(), c.rtol,
          [floor = c.atol / c.rtol](std::size_t, double value) { return std::max(std::fabs(value), floor); }};
}

bool AdaptiveLoop::may_turn_stiff() const {
  return run_.options.control.by_sizes && run_.options.partials && !run_.options.literal && run_.info.events.empty() &&
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

// Where events are watched rows are written once the step that leads there is known: one that ends earlier, since a row
// is not on the motion, is looked at for events again.
bool AdaptiveLoop::rows_on_motion(double t, double& t_new, double& h, bool& cut) {
  if (!events_ || !events_->watches() || stiff_) return true;
  for (const std::uint64_t first_row = next_row_;;) {
    seen_.only_looks = true;
    const bool good = record_between(t, t_new, h);
    seen_.only_looks = false;
    next_row_ = first_row;
    if (!good) return false;
    if (!seen_.off_motion) return true;
    events_->look_again();
    if (!end_at_row(t, t_new, h)) return false;
    cut = true;
    const double whole = h;
    EventRun::Looked looked = shortened(t, h);
    for (; looked == EventRun::Looked::again; looked = shortened(t, h)) {
      if (!accepted_.evaluate_again(t)) return false;
      control_.shorten(h);
      if ((h = accepted_step(t)) == 0) return false;
    }
    if (looked == EventRun::Looked::ended) return false;
    if (h != whole) t_new = row_time_near(run_, t + h);
  }
}

// The rows after t and before t_new. The interpolated state is brought onto the constraints by the smallest
// correction; it is recorded only, the integration does not see it.
bool AdaptiveLoop::record_between(double t, double t_new, double h) {
  if (!(next_time() < t_new)) return true;
  seen_.end = t + h;
  const auto inner = [this](double at, const double* y, double* dy) { return stepping_.fast_rhs(at, y, dy); };
  const bool extended =
      stiff_ || with_method([&](auto& method) { return method.extend(inner, t, run_.integrated.state()) == 0; });
  if (!extended) {
    fail(t, h, false);
    return false;
  }
  const double apart = run_.options.step * static_cast<double>(run_.options.rows_apart());
  const bool looks = !stiff_ && t_new - t >= kRowsToLook * apart;
  if (seen_.only_looks && !looks) return true;
  double last = t;
  for (; next_time() < t_new; next_row_ += run_.options.rows_apart()) {
    const double at = next_time();
    if (looks && !slope_at(t, h, at)) return false;
    if (stiff_)
      stiff_->interpolate(at, row_);
    else
      with_method([&](auto& method) { method.interpolate((at - t) / h, run_.integrated.state(), row_); });
    if (!record_at(at, looks ? apart : 0)) return false;
    if (seen_.off_motion) {
      seen_.off_motion = last > t ? last : at;
      return true;
    }
    last = at;
  }
  return true;
}

// The slope of the continuous extension at a row, as the rate of [q; u; s].
bool AdaptiveLoop::slope_at(double t, double h, double at) {
  constexpr double kPart = 3e-4;  // of the step: the extension is a polynomial over all of it
  const double apart = kPart * h, first = std::max(at - apart, t), second = std::min(at + apart, t + h);
  seen_.slope.resize(row_.size());
  const auto state = [&](double time) {
    with_method([&](auto& method) { method.interpolate((time - t) / h, run_.integrated.state(), row_); });
    return !run_.integrated.in_quasi_velocities() ||
           run_.equations.quasi().to_speeds(time, row_.data(), row_.data()) == 0;
  };
  if (!state(first)) return run_.end(RunStatus::stopped, why_undefined(run_.equations, run_.info, first, row_.data()));
  seen_.slope = row_;
  if (!state(second))
    return run_.end(RunStatus::stopped, why_undefined(run_.equations, run_.info, second, row_.data()));
  for (std::size_t i = 0; i < row_.size(); ++i) seen_.slope[i] = (row_[i] - seen_.slope[i]) / (second - first);
  return true;
}

// The step again: to the last row that was on the motion, or, where the first one was not, towards that, with control
// of its error. What follows begins with steps no longer than rows are apart.
bool AdaptiveLoop::end_at_row(double t, double& t_new, double& h) {
  const double end = *seen_.off_motion;
  seen_.off_motion.reset();
  ++run_.data.rejected;
  const double apart = run_.options.step * static_cast<double>(run_.options.rows_apart());
  const bool first = next_time() == end;
  control_.shorten(first ? end - t : apart);
  if (first) {
    h = accepted_step(t);
    t_new = h == end - t ? end : t + h;
    return h != 0;
  }
  t_new = end;
  h = end - t;
  if (std::isfinite(attempt(t, h))) return true;
  fail(t, h, false);
  return false;
}

// The step goes across a singular position, and the row lies beside it: what the usual rank holds is corrected, or, on
// the position itself, nothing. Whether the motion goes on is decided at the ends of steps.
void AdaptiveLoop::correct_beside(double t) {
  row_ = interpolated_;
  if (!run_.usual_rank.project(t, row_.data(), run_.options.tolerance).converged) row_ = interpolated_;
}

// Of the step at hand, one of whose rows is off the constraints: where they jump, rows before that are off as well.
bool AdaptiveLoop::whole_step_is_continuous() {
  if (!run_.equations.can_jump(Equations::k_residuals) || std::exchange(seen_.checked, seen_.end) == seen_.end)
    return true;
  std::vector<double> end;
  if (stiff_)
    end = stiff_->y_new();
  else
    with_method([&](auto& method) { end = method.y_new(); });
  if (run_.integrated.in_quasi_velocities() && run_.equations.quasi().to_speeds(seen_.end, end.data(), end.data()) != 0)
    return true;
  return stepping_.is_continuous({t_, seen_.end, accepted_state_, run_.integrated.dy(), end, end});
}

// The state in row_, as it is integrated. apart: the time between two rows, where the slope is looked at; else 0.
bool AdaptiveLoop::record_at(double t, double apart) {
  const auto undefined = [&] {
    return run_.end(RunStatus::stopped, why_undefined(run_.equations, run_.info, t, row_.data()));
  };
  const bool quasi = run_.integrated.in_quasi_velocities();
  if (quasi && run_.equations.quasi().to_speeds(t, row_.data(), row_.data()) != 0) return undefined();
  normalise(run_.info, row_.data());
  interpolated_ = row_;
  Stabiliser::Outcome made = run_.stabiliser.between_steps(t, row_.data(), run_.certification.near_singular());
  if (made.before > Jumps::kSeen && !made.failed() && run_.stabiliser.corrects() && !whole_step_is_continuous())
    return false;
  const bool beside = made.failed() && run_.usual_rank.watches();
  if (beside)
    correct_beside(t);
  else if (!stepping_.accepts(t, row_.data(), std::move(made)))
    return false;
  ++run_.data.evaluations;
  const std::int32_t failed = beside              ? run_.usual_rank.rhs(t, row_.data(), row_rate_.data())
                              : run_.layout.quasi ? run_.equations.rhs(t, row_.data(), row_rate_.data())
                                                  : run_.singular_limit.rhs(t, row_.data(), row_rate_.data());
  if (failed != 0) return undefined();
  if (apart > 0 && !beside) {
    const StepSettings& c = run_.options.control;
    const auto of = [&](std::uint32_t i) { return c.by_sizes ? trial_[i] : c.atol / c.rtol + std::fabs(row_[i]); };
    if (!meets_slope(row_rate_, seen_.slope, run_.layout.speeds_at(), run_.layout.work_at(), kMissed * c.rtol / apart,
                     of)) {
      seen_.off_motion = t;
      return true;
    }
  }
  if (seen_.only_looks || run_.recording.row(t, row_, row_rate_, false)) return true;
  run_.data.reached = t;
  run_.integrated.y() = row_;
  return false;
}

}  // namespace mbc::runtime
