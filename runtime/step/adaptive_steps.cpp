// SPDX-License-Identifier: Apache-2.0
// Steps whose size the method chooses.
#include "runtime/step/adaptive_steps.h"

#include <algorithm>

#include "runtime/record/growing_rate.h"
#include "runtime/record/run_failure.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

constexpr double kFirstSide = 1e-9;  // of the time span: longer steps do not cross a position where a run stops
constexpr double kAhead = 4;         // steps ahead in which changes of the time alone are searched
constexpr double kWhole = 0.99;      // a step that a row has not cut short
// Error of an undivided step near a singular position, as a part of rtol
constexpr double kEasily = 1e-3;

// Returns whether errors of the work count. They do if errors are relative to the sizes of the model. They also do if
// the constraints decide the motion and no speed is integrated; otherwise the errors of the speeds bound them.
bool controls_work(const RunState& state, const SimulateOptions& options) {
  const bool decided = state.integrated().in_quasi_velocities() &&
                       static_cast<std::uint32_t>(state.data().start.rank) == state.layout().n_speeds;
  return options.control.by_sizes || decided;
}

// Returns the energy that errors of the work are relative to. At rest it is a part of the potential energy, whose
// rounding would count otherwise.
double energy_at_hand(const Equations& equations) {
  constexpr double kOfPotential = 1e-6;
  return std::max(std::fabs(equations.kinetic()), kOfPotential * std::fabs(equations.potential()));
}

// Converts an integrated state to one of the equations. Returns false if there is none.
bool is_row(const RunState& state, double t, std::vector<double>& row) {
  const bool quasi = state.integrated().in_quasi_velocities();
  return !quasi || state.equations().quasi().to_speeds(t, row.data(), row.data()) == 0;
}

}  // namespace

AdaptiveSteps::AdaptiveSteps(const RunPlan& plan, RunState& state, ConstraintHandling& constraints,
                             Integration& integration, Recording& recording, EnergyMonitor& energy_monitor,
                             Crossing& crossing, AcceptedState& accepted, Stepping& stepping,
                             CompanionSteps& companions, EventRun* events)
    : plan_(plan),
      state_(state),
      constraints_(constraints),
      integration_(integration),
      recording_(recording),
      energy_monitor_(energy_monitor),
      crossing_(crossing),
      accepted_(accepted),
      stepping_(stepping),
      companions_(companions),
      events_(events),
      trial_steps_(state, constraints, integration, stepping),
      control_(plan_.options().control, plan_.options().begin, plan_.options().begin + plan_.length(),
               controls_work(state, plan.options()) ? state_.layout().n_y() : state_.layout().work_at()),
      sizes_(state_.info(), state_.layout(), plan_.length()),
      trial_(sizes_),
      terms_(state, constraints.projector().size(), plan.options().control.rtol),
      clock_(state.integrated().state().size()),
      chattering_(state.equations(), state.data()),
      row_(state_.y().size()),
      row_rate_(row_.size()),
      neglected_(row_.size()) {
  sizes_.know(constraints_.projector().size());
  trial_.take(sizes_);
  if (plan_.options().integrator == Integrator::bdf)
    stiff_.emplace(plan.options(), state, constraints, integration, stepping, limits());
}

bool AdaptiveSteps::begin() {
  t_ = plan_.options().begin;
  IntegratedState& integrated = state_.integrated();
  accepted_state_ = integrated.y();
  if (!accepted_.evaluate(t_)) return false;
  if (events_ && !events_->start(t_)) return false;
  if (!recording_.row(t_, integrated.y(), integrated.dy(), false)) return false;
  if (plan_.values_changed() && !accepted_.evaluate_again(t_)) return false;
  next_row_ = plan_.options().rows_apart();
  was_at_ = t_;
  first_step();
  return true;
}

void AdaptiveSteps::first_step() {
  IntegratedState& integrated = state_.integrated();
  const bool near = crossing_.near();  // then only y has a rate
  const std::vector<double>&y = near ? integrated.y() : integrated.state(),
        &dy = near ? integrated.dy() : integrated.rate();
  if (plan_.options().control.order != 8) return control_.begin(y, dy);
  sizes_.look(integrated.y());
  sizes_.look_at_energy(energy_at_hand(state_.equations()));
  sizes_.begin(state_.dy());
  trial_.take(sizes_);
  trial_.look_at_rate_of_nothing(state_.dy());
  row_ = y;
  const auto of = [this](std::size_t i) { return size(i); };
  control_.begin(y, dy, of, [&](double h) {
    if (near) return 0.0;
    std::vector<double>& moved = row_rate_;
    for (std::size_t i = 0; i < row_.size(); ++i) row_[i] = y[i] + h * dy[i];
    if (stepping_.fast_rhs(t_ + h, row_.data(), moved.data()) != 0) return 0.0;
    // The rates are zero as well at the beginning of a motion that begins as t^n.
    if (!state_.integrated().in_quasi_velocities()) trial_.look_at_rate_of_nothing(moved);
    double change = 0;
    for (std::size_t i = 0; i < state_.layout().work_at(); ++i)
      change = std::max(change, std::fabs(moved[i] - dy[i]) / of(i));
    return change / h;
  });
}

// Returns the size that the error of an integrated entry is relative to, in a step to y_new.
double AdaptiveSteps::size(std::size_t entry, const std::vector<double>& y_new) const {
  const StepSettings& c = plan_.options().control;
  const double rounded = rounded_in_ > 0 ? clock_.of_step(entry, rounded_in_) / c.rtol : 0;
  if (c.by_sizes) return std::max(trial_[state_.integrated().entry_of(entry)], rounded);
  const double now = std::fabs(state_.integrated().state()[entry]), then = std::fabs(y_new[entry]);
  const double floor = c.atol / c.rtol, larger = std::max(now, then);
  return std::max(c.order == 5 ? std::max(larger, floor) : floor + larger, rounded);
}

bool AdaptiveSteps::row_is_next() const {
  const std::uint64_t apart = plan_.options().rows_apart();
  const double near = 2 * same_instant(t_, plan_.length());
  return next_row_ >= apart && next_time() >= t_ - near && plan_.time_of(next_row_ - apart) <= t_ + near;
}

// Returns whether steps of `auto` end at every row because a host sets inputs there, which are constant in between.
bool AdaptiveSteps::driven() const { return plan_.options().drive && plan_.options().control.by_sizes; }

const std::vector<double>& AdaptiveSteps::y_new() {
  return integration_.method().with<const std::vector<double>&>(
      [](auto& method) -> const std::vector<double>& { return method.y_new(); });
}

// Returns the state at the end of the method's step, if it is defined.
std::optional<std::vector<double>> AdaptiveSteps::end_of_step(double t) {
  std::vector<double> end = y_new();
  if (state_.integrated().in_quasi_velocities() && state_.equations().quasi().to_speeds(t, end.data(), end.data()) != 0)
    return {};
  return end;
}

// Makes a step and finds its events. `whole` is the size of the method's step and h that of the accepted part.
bool AdaptiveSteps::found_step(double t, double last_time, double& h, double& whole) {
  for (;;) {
    whole = h = stiff_ ? stiff_step(t, last_time) : accepted_step(t);
    if (h == 0) return false;
    if (plan_.options().stop_at_singular && h > kFirstSide * plan_.length()) {
      const std::optional<std::vector<double>> end = end_of_step(t + h);
      if (end && crossing_.leads_across(t + h, *end, false)) {  // the run ends before the position
        integration_.method().forget_history();
        last_time = t + 0.5 * h;
        control_.shorten_next(0.5 * h);
        ++state_.data().rejected;
        continue;
      }
    }
    const EventRun::StepVerdict looked = shortened(t, h);
    if (looked != EventRun::StepVerdict::retry) return looked == EventRun::StepVerdict::accepted;
    if (!accepted_.evaluate_again(t)) return false;
    accepted_state_ = state_.y();
  }
}

// Looks for events along the step. h becomes smaller if there is one inside it.
EventRun::StepVerdict AdaptiveSteps::shortened(double t, double& h) {
  if (!events_ || !events_->watches()) return EventRun::StepVerdict::accepted;
  double whole = h;
  trial_steps_.begin(t, h);
  const auto values_of = [&](double at, std::vector<double>* row, std::vector<double>& values) {
    if (row) return is_row(state_, at, *row) && events_->values_at(at, row->data(), values);
    // If modes are in use, the step is tried again without them. Otherwise the run ends.
    if (!events_->holds_modes()) fail(t, whole, false);
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
    if (!is_row(state_, t + theta * whole, dense_row_)) return nullptr;
    normalise(state_.info(), dense_row_.data());
    return dense_row_.data();
  };
  const EventWatch::Along along{dense, made, row};
  EventRun::StepVerdict looked = events_->shorten(t, h, along);
  for (; looked == EventRun::StepVerdict::shorten; looked = events_->shorten(t, h, along)) {
    if (h <= 0.5 * whole) control_.shorten(h);
    whole = h;
    trial_steps_.shorten(h);
  }
  if (looked != EventRun::StepVerdict::accepted || trial_steps_.end_at(h)) return looked;
  fail(t, h, false);
  return EventRun::StepVerdict::ended;
}

// Returns the time at which steps have to end before an event. If a row is at the same instant, it is the row's time,
// and the row comes after the event.
double AdaptiveSteps::piece_end(double end) const {
  return events_ ? std::min(end, plan_.row_time_near(events_->next_time())) : end;
}

bool AdaptiveSteps::make(double last) {
  last_ = last;
  const double row = next_time(), end = driven() && row > t_ ? std::min(last, row) : last;
  if (events_) events_->look_ahead(t_, std::min(end, t_ + kAhead * integration_.pace()));
  control_.go_on_to(piece_end(end));
  if (!events_ || !events_->changes_now(t_)) return followed_step(piece_end(end));
  // A change of the time alone was found at this very instant.
  if (!events_->arrive(t_)) return false;
  accepted_state_ = state_.y();
  return true;
}

// Makes a step from t_ of which companion steps may be made.
bool AdaptiveSteps::followed_step(double last_time) {
  companions_.before_step({.t = t_,
                           .beside = crossing_.near() || crossing_.interpolated(t_) || constraints_.near_singular(),
                           .stiff = stiff_.has_value() != changes_});
  if (!step_from(t_, last_time)) return false;
  if (companions_.looks()) companions_.after_step(t_, neglected());
  return true;
}

// Returns the errors of the last step, as the method knows them, or null if it does not.
const std::vector<double>* AdaptiveSteps::neglected() {
  if (const Taylor* taylor = integration_.method().get<Taylor>())
    taylor->neglected(neglected_);
  else if (const Bdf* bdf = integration_.method().get<Bdf>())
    bdf->neglected(neglected_);
  else
    return nullptr;
  return &neglected_;
}

void AdaptiveSteps::count_step(double h) {
  RunData& data = state_.data();
  ++data.steps;
  data.smallest_step = data.steps == 1 ? h : std::min(data.smallest_step, h);
  data.largest_step = std::max(data.largest_step, h);
}

// Notes the time t, reached by a step of size h.
void AdaptiveSteps::reach(double t, double h) {
  state_.data().reached = t;
  integration_.set_pace(h);
}

// Makes one accepted step; t becomes its end. Returns false when the run ends.
bool AdaptiveSteps::step_from(double& t, double last_time) {
  if (crossing_.near() || crossing_.interpolated(t)) return step_beside(t, last_time);
  change_method(t);
  IntegratedState& integrated = state_.integrated();
  RunData& data = state_.data();
  double h = 0, whole = 0;
  if (!found_step(t, last_time, h, whole)) return false;
  bool cut = h != whole;
  double t_new = cut                      ? plan_.row_time_near(t + h)
                 : stiff_                 ? integration_.method().get<Bdf>()->time()
                 : control_.reaches_end() ? last_time
                                          : t + h;
  count_step(h);
  const std::uint64_t rows = data.rows;
  // States inside a step that has corrected itself contain a part of the correction.
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
  const std::vector<double>* located = trial_steps_.located(h);
  if (stiff_ && cut)
    integration_.method().get<Bdf>()->interpolate({t_new, 1}, {}, integrated.state());
  else
    integrated.state() = located ? *located : y_new();
  if (!stepping_.settle(t, accepted_state_, t_new, stiff_ && !cut)) return false;
  if (stiff_ && !cut && stiff_->corrected() &&
      !stepping_.without_jumps({t, t_new, accepted_state_, integrated.dy(), *stiff_->corrected(), integrated.y()}))
    return false;
  const std::optional<Span> jumps = chattering_.look(plan_.length(), t, accepted_state_, t_new, integrated.y());
  // The rate of the last stage is the rate at the new state unless something was changed or evaluated since.
  const std::vector<double>* rate = integration_.method().rate_at_end();
  const bool known = rate && !state_.layout().quasi && data.rows == rows && !plan_.options().drive &&
                     !constraints_.stabiliser().corrects() && !located && integrated.y() == y_new();
  if (known) integrated.dy() = *rate;
  if (known) accepted_.follow_angles(t_new, integrated.y().data());
  reach(t_new, h);
  const bool within = driven() && t_new < last_time;
  if (known ? !accepted_.look(t_new, true) : within ? !accepted_.evaluate_again(t_new) : !accepted_.evaluate(t_new))
    return false;
  t = t_new;
  accepted_state_ = integrated.y();
  if (jumps)
    return state_.stop(
        chattering(state_.info(), state_.layout(),
                   state_.integrated().entry_of(stiff_ ? integration_.method().get<Bdf>()->worst() : control_.worst()),
                   *jumps, t));
  if (plan_.options().control.by_sizes) take_sizes(t, cut);
  recording_.note_work(integrated.y());
  if (plan_.options().control.by_sizes && !energy_holds(t)) return false;
  if (events_ && !events_->arrive(t)) return false;
  accepted_state_ = integrated.y();
  return record_end(t);
}

bool AdaptiveSteps::record_end(double t) {
  if (next_time() != t) return true;
  if (!recording_.row(t, state_.y(), state_.dy(), t >= last_)) return false;
  next_row_ += plan_.options().rows_apart();
  if (!plan_.values_changed()) return true;
  companions_.values_changed();
  return accepted_.evaluate_again(t);
}

// Makes one step near a singular position. Rows are ends of steps there, so that only states on the position itself are
// interpolated.
bool AdaptiveSteps::step_beside(double& t, double last_time) {
  energy_monitor_.forget();
  if (events_) events_->opens_modes();
  const double h = control_.next(t, control_.smallest(t));
  double end = control_.reaches_end() ? last_time : t + h;
  if (next_time() > t) end = std::min(end, next_time());
  const Crossing::Status status = crossing_.step(t, end, std::min(h, end - t));
  if (status == Crossing::Status::ended) return false;
  if (status == Crossing::Status::left) return accepted_.evaluate_again(t);
  if (crossing_.in_one_piece() && end - t >= kWhole * h) control_.accept(kEasily * plan_.options().control.rtol);
  count_step(end - t);
  reach(end, end - t);
  if (!accepted_.evaluate(end)) return false;
  t = end;
  if (events_ && !(events_->nothing_passed(t) && events_->arrive(t))) return false;
  accepted_state_ = state_.y();
  return record_end(t);
}

// Updates the sizes by the accepted step. The trial of a step that was cut went on where the motion did not go.
void AdaptiveSteps::take_sizes(double t, bool cut) {
  if (cut)
    sizes_.look(state_.y());
  else
    std::swap(sizes_, trial_);
  state_.equations().outputs(t, state_.y().data(), state_.dy().data());
  const double kinetic = std::fabs(state_.equations().kinetic());
  sizes_.look_at_energy(energy_at_hand(state_.equations()));
  double& exchanged = state_.data().energy_balance.exchanged;  // it may be larger between two rows than at them
  exchanged = std::max(exchanged, kinetic);
}

// Checks the energies that take_sizes() has evaluated.
bool AdaptiveSteps::energy_holds(double t) {
  // Energies say nothing about a motion by rounding only.
  const bool rests = state_.data().energy_balance.exchanged <= kRoundedToZero * sizes_[state_.layout().work_at()];
  if (rests || stiff_ || crossing_.near() || crossing_.interpolated(t)) {  // pieces of a stiff step say nothing
    energy_monitor_.forget();
    return true;
  }
  const EnergyMonitor::Verdict verdict =
      energy_monitor_.look(t, state_.y(), state_.data().energy_balance, state_.data().events, state_.data().steps);
  if (verdict == EnergyMonitor::Verdict::failed) return state_.stop(energy_monitor_.failure());
  return verdict == EnergyMonitor::Verdict::stands ||
         state_.equations().rhs(t, state_.y().data(), row_rate_.data()) == 0 || state_.undefined(t);
}

}  // namespace mbc::runtime
