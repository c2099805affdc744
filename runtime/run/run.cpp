// SPDX-License-Identifier: Apache-2.0
// The loop of a run.
#include "runtime/run/run.h"

#include "runtime/contact/loaded_share.h"
#include "runtime/record/run_failure.h"
#include "runtime/singular/locked_start.h"
#include "runtime/state/run_start.h"
#include "runtime/step/fused_step.h"

namespace mbc::runtime {

namespace {
constexpr double kSlightlyOff = 1e-4;  // of the energy that loads give over the size of the model, for time stepping
}

Run::Run(Equations& equations, const problem::Problem& info, const SimulateOptions& options, std::vector<double>& y,
         const Recorder& record)
    : plan_(options),
      state_(equations, info, y),
      constraints_(equations, info, options),
      integration_(equations, options, y.size()),
      recording_(equations, constraints_.projector(), info, options, record, state_.data()),
      energy_monitor_(equations, constraints_.projector(), options),
      pauses_(options, state_.data(),
              [this] {
                Archive archive;
                transfer_whole(archive);
                return archive.bytes();
              }),
      crossing_(options, state_, constraints_.generic_rank(), constraints_.vanishing_rows(),
                constraints_.certification(), constraints_.stabiliser(), integration_.method()),
      accepted_(options, state_, constraints_, integration_, crossing_),
      start_(options, state_, constraints_, integration_, accepted_),
      stepping_(options, state_, constraints_, integration_),
      companions_(plan_, state_, constraints_) {
  use_shared_multipliers(equations, info);
  if (options.time_stepping)
    time_stepping_.emplace(options, state_, constraints_, recording_, stepping_);
  else if (!info.events.empty() || (options.locates_kinks && info.events.has_kinks()))
    events_.emplace(plan_, state_, constraints_, integration_, recording_, start_, crossing_, accepted_, companions_);
  fixed_steps_.emplace(plan_, state_, constraints_, integration_, pauses_, crossing_, accepted_, stepping_, events());
}

RunData Run::run() {
  try {
    if (!go()) return unread();
  } catch (const Interrupted&) {
    pauses_.cut_short(state_.data().reached);
  }
  return finish();
}

// Returns false if the saved run cannot be read. It was saved between a state and the step from there.
bool Run::go() {
  const double end = time_of(plan_.options().steps);
  const bool resumed = plan_.options().resume != nullptr;
  if (resumed && !resume()) return false;
  if (resumed ? step_on(end) : begin() && first()) go_to(end);
  return true;
}

// The loop of all runs. A step of fixed size is one that is always accurate enough.
bool Run::go_to(double end) {
  for (;;) {
    const double t = time();
    if (plan_.options().progress) plan_.options().progress(t);
    if (t >= end) return true;
    if (!pauses_.goes_on(t) || !step_on(end)) return false;
  }
}

// Makes a step, which ends at that time at the latest, and everything at the state behind it.
bool Run::step_on(double end) { return adaptive_ ? adaptive_->make(end) : advance(at_) && arrive(at_ + 1); }

bool Run::first() {
  if (!plan_.options().chooses_steps()) return arrive(0);
  make_adaptive();
  return adaptive_->begin();
}

RunData Run::unread() {
  RunData data;
  data.status = RunStatus::inconsistent;
  data.unread = true;
  return data;
}

// An impact during the search counts and leaves an impulse. Only the states of contacts and frictions are kept.
bool Run::find_discrete_state() {
  const double t = plan_.options().begin;
  open();
  const std::vector<double> given = state_.y();
  const problem::DiscreteState discrete = state_.discrete();
  const std::vector<double> before = discrete.values();
  const bool found = start_.certify_first(t) && accepted_.evaluate(t) && (!events_ || events_->find_discrete_state(t));
  state_.y() = given;
  using Use = problem::DiscreteVariable::Use;
  for (std::uint32_t k = 0; k < before.size(); ++k) {
    const Use use = state_.info().events.discrete[k].use;
    if (use != Use::active && use != Use::friction && use != Use::load) discrete[k] = before[k];
  }
  return found;
}

bool Run::begin() {
  open();
  const SimulateOptions& options = plan_.options();
  if (options.fused) options.fused->begin(state_.equations(), constraints_.projector().size(), options.step);
  if (!start_.begin()) return false;
  if (!crossing_.begin(options.begin)) return false;
  if (crossing_.near()) return true;
  std::optional<Diagnostic> locked = locked_start(state_.equations(), state_.info(), constraints_.certification(),
                                                  constraints_.projector().size(), options.begin, state_.y());
  return !locked || state_.end(RunStatus::inconsistent, std::move(*locked));
}

void Run::open() {
  const SimulateOptions& options = plan_.options();
  if (state_.info().events.discrete.size() > 0)
    state_.discrete().assign(options.held ? *options.held
                                          : state_.info().events.discrete.at_start(state_.equations().params()));
  if (time_stepping_) time_stepping_->switch_off();
  DiscontinuityModes::open(state_);
  const bool baumgarte = options.stabilisation == Stabilisation::baumgarte;
  state_.equations().set_gains(baumgarte ? options.alpha : 0, baumgarte ? options.beta : 0);
  state_.equations().restart_fast_rhs();
  state_.data().reached = options.begin;
  integration_.set_pace(options.step);
  const double span = options.horizon > 0 ? options.horizon : options.step * static_cast<double>(options.steps);
  constraints_.projector().measure(options.begin, state_.y().data(), span);
}

void Run::step_changed() {
  integration_.method().forget_history();
  integration_.set_pace(plan_.options().step);
  restart_fused();
}

void Run::restart_fused() {
  if (!plan_.options().fused) return;
  plan_.options().fused->begin(state_.equations(), constraints_.projector().size(), plan_.options().step);
}

void Run::transfer(Archive& archive) {
  RunData& data = state_.data();
  archive(state_.equations(), constraints_.projector(), state_.integrated(), constraints_.certification(),
          constraints_.singular_limit(), constraints_.stabiliser(), constraints_.vanishing_rows(), crossing_, accepted_,
          energy_monitor_);
  archive(data.passed);
  integration_.transfer_pace(archive);
  archive(data.steps, data.rejected, data.rows, data.evaluations, data.smallest_step, data.largest_step, data.reached,
          data.speed_renewals, data.largest_correction, data.start.rank, data.start.smallest_kept, data.accuracy);
  archive.expect(integration_.pace() > 0 && data.start.rank >= 0 &&
                 static_cast<std::size_t>(data.start.rank) <= state_.info().rows.size());
  if (events_) archive(data.events, data.kinks, data.work_of_events, *events_, *fixed_steps_);
  bool is_exchange = exchange_.has_value();
  archive(is_exchange);
  archive.expect(is_exchange == plan_.options().exchange);
  if (archive.reading() && is_exchange) make_exchange();
  if (is_exchange) archive(*exchange_);
  if (time_stepping_) archive(data.events, data.work_of_events, *time_stepping_);
  archive(integration_.method(), stepping_, companions_);
  if (!plan_.options().chooses_steps()) return;
  if (archive.reading()) make_adaptive();
  archive(*adaptive_);
}

// A signal during the look at the last window leaves it out: the motion is there.
RunData Run::finish() {
  const bool whole = state_.data().status == RunStatus::complete;  // other endings have a more important message
  try {
    companions_.finish(whole);
  } catch (const Interrupted&) {
  }
  state_.data().position_size = constraints_.projector().size().position;
  state_.data().speed_size = constraints_.projector().size().speed;
  state_.data().renewals = constraints_.stabiliser().renewals();
  // Time stepping moves resting bodies by rounding of its order, which is small compared with the motion that loads
  // would cause.
  const double natural = 0.5 * state_.data().speed_size * state_.data().speed_size;
  const bool slight = time_stepping_ && state_.data().energy_balance.error <= kSlightlyOff * natural;
  if (const std::optional<double> since = recording_.unbalanced_since(); since && whole && !slight)
    state_.data().warnings.push_back(unbalanced(*since, state_.data().energy_balance,
                                                !adaptive_                         ? nullptr
                                                : plan_.options().control.by_sizes ? "tol"
                                                                                   : "rtol"));
  if (const std::optional<double> error = state_.data().accuracy.global; error && *error > kErrorSeen && whole)
    state_.data().warnings.push_back(inaccurate(*error, plan_.options()));
  if (const Recording::DriftedOff& off = recording_.drifted_off(); off.since && whole)
    state_.data().warnings.push_back(drifts_off(state_.info(), off.row, *off.since, off.most));
  if (!state_.data().shares_taken.empty() && !plan_.options().shares_accepted)
    state_.data().warnings.push_back(shares_decide(state_.info(), state_.data().shares_taken));
  if (adaptive_ && plan_.options().control.by_sizes) state_.data().accuracy.sizes = adaptive_->sizes();
  state_.data().rank_events = constraints_.certification().events();
  state_.data().smallest_distance = constraints_.certification().smallest_distance();
  return std::move(state_.data());
}

bool Run::at(std::uint64_t step) {
  if (!arrive(step)) return false;
  if (plan_.options().progress) plan_.options().progress(time_of(step));
  return step != plan_.options().steps && pauses_.goes_on(time_of(step));
}

// Does everything at the accepted state before that step but leave it.
bool Run::arrive(std::uint64_t step) {
  at_ = step;
  const double t = time_of(step);
  if (!accepted_.evaluate(t)) return false;
  if (events_ && step == 0 && !events_->start(t)) return false;
  if (time_stepping_ && step == 0 && !time_stepping_->start(t)) return false;
  const bool last = step == plan_.options().steps;
  const bool beside = crossing_.near() || crossing_.interpolated(t);  // a crossing checks its steps itself
  if (beside) energy_monitor_.forget();
  if (records(step) &&
      !recording_.row(t, state_.y(), state_.dy(), last, beside || time_stepping_ ? nullptr : &energy_monitor_))
    return false;
  if (!records(step)) recording_.note_work(state_.y());
  if (time_stepping_ && last) time_stepping_->show_discrete_state();
  return last || take_changes(t);
}

// If parameters or inputs have changed since the row, the rate with which the next step begins is evaluated again.
bool Run::take_changes(double t) {
  if (!plan_.values_changed()) return true;
  step_changed();
  companions_.values_changed();
  return accepted_.evaluate_again(t);
}

bool Run::advance(std::uint64_t step) {
  companions_.before_step({.t = time_of(step),
                           .left = plan_.options().steps - step,
                           .beside = crossing_.near() || constraints_.near_singular()});
  if (!(time_stepping_ ? time_stepping_->step(time_of(step), plan_.size_of(step)) : fixed_steps_->make(step)))
    return false;
  companions_.after_step(time_of(step + 1), nullptr);
  return true;
}

}  // namespace mbc::runtime
