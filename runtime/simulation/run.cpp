// SPDX-License-Identifier: Apache-2.0
// The loop at fixed steps.
#include "runtime/simulation/run.h"

#include "runtime/simulation/data/fused_step.h"
#include "runtime/simulation/data/run_failure.h"
#include "runtime/simulation/run_start.h"
#include "runtime/singular/locked_start.h"

namespace mbc::runtime {

namespace {
constexpr double kSlightlyOff = 1e-4;  // of the energy that loads give over the size of the model, by time steps
}

Run::Run(Equations& equations, const problem::Problem& info, const SimulateOptions& options, std::vector<double>& y,
         const Recorder& record)
    : parts_(equations, info, options, y, record),
      crossing_(equations, info, parts_.generic_rank, parts_.vanishing_rows, parts_.certification,
                parts_.integrated.y(), parts_.integrated.dy(),
                {parts_.stabiliser.corrects(), options.tolerance, options.control.rtol, options.stop_at_singular,
                 options.stop},
                {parts_.data.passed, parts_.data.evaluations, parts_.data.largest_correction, parts_.data.reached,
                 parts_.data.warnings},
                hooks()),
      accepted_(parts_, crossing_),
      stepping_(parts_),
      sample_(parts_) {
  if (options.time_stepping)
    time_stepping_.emplace(parts_, stepping_);
  else if (!info.events.empty() || (options.locates_kinks && info.events.has_kinks()))
    events_.emplace(parts_, crossing_, accepted_, stepping_);
  parts_.save = [this] {
    Archive archive;
    transfer_whole(archive);
    return archive.bytes();
  };
}

CrossingHooks Run::hooks() {
  return {.end =
              [this](std::optional<Diagnostic> why) {
                if (why) return parts_.end(RunStatus::stopped, std::move(*why));
                parts_.data.status = RunStatus::interrupted;
                return false;
              },
          .undefined =
              [this](double t, const std::vector<double>& y) {
                return parts_.end(RunStatus::stopped, why_undefined(parts_.equations, parts_.info, t, y.data()));
              },
          .moved =
              [this] {
                parts_.method.forget_history();
                parts_.integrated.forget_quasi_velocities();
              }};
}

RunData Run::run() {
  const bool resumed = parts_.options.resume != nullptr;
  const bool adaptive = parts_.options.chooses_steps();
  const double end = time_of(parts_.options.steps);
  if (resumed) {
    if (!resume()) return unread();
    if (adaptive)
      adaptive_->resume(end);
    else if (advance(at_))
      go_through_steps();
  } else if (begin()) {
    if (!adaptive)
      go_through_steps();
    else if (begin_adaptive())
      adapt_to(end);
  }
  return finish();
}

RunData Run::unread() {
  RunData data;
  data.status = RunStatus::inconsistent;
  data.unread = true;
  return data;
}

// From the state before at_ on; a run that was resumed has just made the step to the next.
void Run::go_through_steps() {
  for (std::uint64_t step = parts_.options.resume ? at_ + 1 : 0; at(step) && advance(step); ++step) continue;
}

// Baumgarte's gains are part of the parameters until finish().
bool Run::begin() {
  const SimulateOptions& options = parts_.options;
  if (events_ || time_stepping_) parts_.set_discrete_state();
  if (time_stepping_) time_stepping_->switch_off();
  KinkBranches::open(parts_);
  const bool baumgarte = options.stabilisation == Stabilisation::baumgarte;
  parts_.equations.set_gains(baumgarte ? options.alpha : 0, baumgarte ? options.beta : 0);
  parts_.equations.restart_fast_rhs();
  parts_.data.reached = options.begin;
  parts_.pace = options.step;
  const double span = options.horizon > 0 ? options.horizon : options.step * static_cast<double>(options.steps);
  parts_.projector.measure(options.begin, parts_.integrated.y().data(), span);
  if (options.fused) options.fused->begin(parts_.equations, parts_.projector.size(), options.step);
  if (!RunStart(parts_, accepted_).begin()) return false;
  if (!crossing_.begin(options.begin, parts_.data.start, parts_.rows_on(), kMomentLater * options.step)) return false;
  if (crossing_.near()) return true;
  std::optional<Diagnostic> locked = locked_start(parts_.equations, parts_.info, parts_.certification,
                                                  parts_.projector.size(), options.begin, parts_.integrated.y());
  return !locked || parts_.end(RunStatus::inconsistent, std::move(*locked));
}

bool Run::begin_adaptive() {
  adaptive_.emplace(parts_, crossing_, accepted_, stepping_, events_ ? &*events_ : nullptr);
  return adaptive_->begin();
}

bool Run::adapt_to(double end) { return adaptive_->go_to(end); }

void Run::step_changed() {
  parts_.method.forget_history();
  parts_.pace = parts_.options.step;
  restart_fused();
}

void Run::restart_fused() {
  if (!parts_.options.fused) return;
  parts_.options.fused->begin(parts_.equations, parts_.projector.size(), parts_.options.step);
}

void Run::transfer(Archive& archive) {
  RunData& data = parts_.data;
  archive(parts_.equations, parts_.projector, parts_.integrated, parts_.certification, parts_.singular_limit,
          parts_.stabiliser, parts_.vanishing_rows, crossing_, accepted_, parts_.energy_net);
  archive(data.passed, parts_.pace);
  archive(data.steps, data.rejected, data.rows, data.evaluations, data.smallest_step, data.largest_step, data.reached,
          data.speed_renewals, data.largest_correction, data.start.rank, data.start.smallest_kept, data.accuracy);
  archive.expect(parts_.pace > 0 && data.start.rank >= 0 &&
                 static_cast<std::size_t>(data.start.rank) <= parts_.info.rows.size());
  if (events_) archive(data.events, data.kinks, data.work_of_events, *events_);
  bool is_hosted = hosted_.has_value();
  archive(is_hosted);
  archive.expect(is_hosted == parts_.options.hosted);
  if (archive.reading() && is_hosted) hosted_.emplace(parts_, accepted_, stepping_, events_ ? &*events_ : nullptr);
  if (is_hosted) archive(*hosted_);
  if (time_stepping_) archive(data.events, data.work_of_events, *time_stepping_);
  if (parts_.method.ab4) archive(*parts_.method.ab4);
  if (parts_.method.taylor) archive(*parts_.method.taylor);
  if (parts_.method.gauss) archive(*parts_.method.gauss, stepping_);
  if (!parts_.options.chooses_steps()) {
    archive(sample_);
    return;
  }
  if (archive.reading()) adaptive_.emplace(parts_, crossing_, accepted_, stepping_, events_ ? &*events_ : nullptr);
  archive(*adaptive_);
}

RunData Run::finish() {
  parts_.equations.set_gains(0, 0);
  parts_.data.position_size = parts_.projector.size().position;
  parts_.data.speed_size = parts_.projector.size().speed;
  parts_.data.renewals = parts_.stabiliser.renewals();
  sample_.report();
  const bool whole = parts_.data.status == RunStatus::complete;  // else it has ended for a better reason
  // steps through contacts move what rests by rounding of their order: little against what loads would give the model
  const double natural = 0.5 * parts_.data.speed_size * parts_.data.speed_size;
  const bool slight = time_stepping_ && parts_.data.energy_balance.error <= kSlightlyOff * natural;
  if (const std::optional<double> since = parts_.recording.unbalanced_since(); since && whole && !slight)
    parts_.data.warnings.push_back(unbalanced(*since, parts_.data.energy_balance,
                                              !adaptive_                        ? nullptr
                                              : parts_.options.control.by_sizes ? "tol"
                                                                                : "rtol"));
  if (const Recording::DriftedOff& off = parts_.recording.drifted_off(); off.since && whole)
    parts_.data.warnings.push_back(drifts_off(parts_.info, off.row, *off.since, off.most));
  if (adaptive_ && parts_.options.control.by_sizes) parts_.data.accuracy.sizes = adaptive_->sizes();
  parts_.data.rank_events = parts_.certification.events();
  parts_.data.smallest_distance = parts_.certification.smallest_distance();
  return std::move(parts_.data);
}

bool Run::at(std::uint64_t step) {
  const SimulateOptions& options = parts_.options;
  const double t = time_of(step);
  if (!accepted_.evaluate(t)) return false;
  if (events_ && step == 0 && !events_->start(t)) return false;
  if (time_stepping_ && step == 0 && !time_stepping_->start(t)) return false;
  const bool last = step == options.steps;
  const bool beside = crossing_.near() || crossing_.interpolated(t);  // it looks at its steps itself
  if (beside) parts_.energy_net.forget();
  if (records(step) && !parts_.recording.row(t, parts_.integrated.y(), parts_.integrated.dy(), last,
                                             beside || time_stepping_ ? nullptr : &parts_.energy_net))
    return false;
  if (!records(step)) parts_.recording.note_work(parts_.integrated.y());
  if (time_stepping_ && last) time_stepping_->show_discrete_state();
  if (options.progress) options.progress(t);
  if (last) return false;
  if (!take_changes(t)) return false;
  at_ = step;
  return parts_.goes_on(t);
}

// Other values since the row: the rate at this state, with which the next step begins, is another one.
bool Run::take_changes(double t) {
  if (!parts_.values_changed()) return true;
  step_changed();
  return accepted_.evaluate_again(t);
}

// A method with memory has to know of every step that is cut, and of none that is not.
bool Run::concerned(std::uint64_t step) const {
  return time_stepping_ || (events_ && (!parts_.method.rk4 || events_->concerned(time_of(step + 1))));
}

bool Run::due(std::uint64_t step) {
  return events_ && (!parts_.method.rk4 || events_->due(time_of(step), time_of(step + 1)));
}

bool Run::advance(std::uint64_t step) {
  if (time_stepping_) return time_stepping_->step(time_of(step), parts_.size_of(step));
  if (concerned(step)) return events_->advance(time_of(step), time_of(step + 1), parts_.size_of(step));
  const double t = time_of(step);
  const double h = parts_.size_of(step);
  if (crossing_.near() || crossing_.interpolated(t)) {
    const Crossing::Status status = crossing_.step(t, time_of(step + 1), h);
    if (status == Crossing::Status::ended) return false;
    if (status == Crossing::Status::reached) ++parts_.data.steps;
    if (status == Crossing::Status::reached) return true;
    if (!accepted_.evaluate_again(t)) return false;
  }
  const bool shorter = parts_.is_shorter(step);
  if (shorter) parts_.method.forget_history();
  const bool sampled = sample_.takes(regular());
  const bool whole = parts_.options.fused && !shorter && regular() && parts_.options.fused->takes_next();
  if (!(whole && stepping_.fused_step(t)) && !stepping_.step(t, h)) return false;
  if (sampled) sample_.look(t, h);
  ++parts_.data.steps;
  return true;
}

}  // namespace mbc::runtime
