// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/companion_steps.h"

#include <algorithm>
#include <cmath>

#include "base/epsilon.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

constexpr std::uint64_t kLongestWindow = 16;  // in steps, where the cost does not ask for longer ones
constexpr int kRougher = 10;                  // slips of a smooth motion in windows that follow each other
constexpr int kRoundings = 450;               // by which companion steps of any length differ
constexpr std::uint64_t kFewEvents = 3;       // errors are not carried across events
// Evaluations times the entries of a state that are free, which take some milliseconds; 1/kLookedAt of those of a run.
constexpr std::uint64_t kFreeNumbers = 400000, kLookedAt = 10;

}  // namespace

CompanionSteps::CompanionSteps(const RunPlan& plan, RunState& state, ConstraintHandling& constraints)
    : plan_(plan), state_(state), constraints_(constraints), info_(settings::info_of(plan.options().integrator)) {
  const SimulateOptions& o = plan.options();
  looks_ = o.estimates_error && !o.chooses_steps() && !o.time_stepping && !o.drive && o.steps > 1;
  if (!looks_) return;
  const settings::IntegratorInfo& single = settings::info_of(info_.single);
  cost_ = (info_.single == o.integrator ? 2 : 3) * single.calls;
  affordable_ = static_cast<std::uint64_t>(std::ceil(kLookedAt * cost_ / info_.calls));
  free_ = static_cast<double>(kFreeNumbers / std::max<std::size_t>(1, size()));
}

void CompanionSteps::make() {
  const std::size_t n = state_.y().size();
  sizes_.emplace(state_.info(), state_.layout(), plan_.length());
  sizes_->know(constraints_.projector().size(), plan_.options().control.rtol);
  single_.emplace(info_.single, n);
  discrete_ = state_.discrete().values();
  for (std::vector<double>* list : {&worst_, &sum_, &slip_, &largest_, &when_}) list->assign(size(), 0);
  for (std::vector<double>* list : {&error_, &from_, &last_, &base_, &displaced_, &z_, &rate_}) list->assign(n, 0);
}

void CompanionSteps::prepare(std::uint64_t step, bool beside) {
  if (!sizes_) {
    make();
    sizes_->look(state_.y());
    sizes_->begin(state_.dy());
  }
  if (is_open_ && beside) drop();
  if (!is_open_) {
    const std::uint64_t left = plan_.options().steps - step;
    if (beside || left < 2) return;
    is_open_ = true;
    done_ = 0;
    first_ = state_.data().steps;
    events_ = state_.data().events;
    if (!can_afford(cost_)) length_ = std::max(length_, affordable_);
    length_ = std::min(length_, left);
    if (left - length_ == 1) length_ = left;
    t_ = plan_.time_of(step);
    from_ = state_.y();
  }
  if (done_ + 1 < length_ || !remembers_rates()) return;
  last_t_ = plan_.time_of(step);
  last_ = state_.y();
}

void CompanionSteps::count(double t) {
  ++done_;
  if (state_.data().steps != first_ + done_ || state_.data().events != events_) return drop();
  if (done_ == length_) look(t);
}

void CompanionSteps::drop() {
  is_open_ = false;
  length_ = std::max<std::uint64_t>(2, length_ / 2);
}

bool CompanionSteps::can_afford(double cost) const {
  return spent_ + cost <= free_ + info_.calls * static_cast<double>(state_.data().steps) / kLookedAt;
}

// Loads that depend on multipliers leave their sizes in the discrete state.
void CompanionSteps::look(double t) {
  const problem::DiscreteState discrete = state_.discrete();
  for (std::uint32_t k = 0; k < discrete_.size(); ++k) discrete_[k] = discrete[k];
  sizes_->look(state_.y());
  if (measure(t))
    is_open_ = false;
  else
    drop();
  discrete.assign(discrete_);
}

// The window is made in 1, 2, 4, ... companion steps, until their slip is that of a smooth motion; at last in halves of
// the steps of the run, or, for a method that remembers rates, in steps of that size.
bool CompanionSteps::measure(double t) {
  const double largest = relative(error_), scale = largest > 0 ? kDisplacedBy / largest : 0;
  const std::uint64_t finest = remembers_rates() ? length_ : 2 * length_;
  double coarser = 0, carried_before = 0;
  for (std::uint64_t parts = 1;; parts = length_ >= 4 * parts ? 2 * parts : finest) {
    spent_ += cost_ * static_cast<double>(parts);
    const double finer = cost_ * static_cast<double>(length_ >= 4 * parts ? 2 * parts : finest);
    const bool can_refine = parts < finest && can_afford(finer), made = make_both(t, parts, scale);
    if (!made && !can_refine) return false;
    const double slip = relative(base_), carried = relative(displaced_);
    const bool is_smooth =
        made && slips_smoothly(slip, coarser, parts) && carried < 2 * std::max(largest, carried_before);
    if (!is_smooth && can_refine) {
      coarser = made ? slip : 0;
      carried_before = made ? carried : 0;
      continue;
    }
    const bool samples = remembers_rates() && parts < finest;
    if (samples && !step(last_t_, t - last_t_, last_)) return false;
    const bool follows = slip < kAway || parts == finest;
    if (follows) error_ = displaced_;
    if (follows) covered_ += length_;
    add_local_errors(parts, samples);
    choose_length(slip, parts);
    return true;
  }
}

// base_: how far companion steps in so many parts come away from the motion; displaced_: the errors that they carry.
bool CompanionSteps::make_both(double t, std::uint64_t parts, double scale) {
  base_ = displaced_ = from_;
  if (!steps(t, parts, base_)) return false;
  for (std::size_t i = 0; scale > 0 && i < size(); ++i) displaced_[i] += scale * error_[i];
  if (scale > 0 && !steps(t, parts, displaced_)) return false;
  for (std::size_t i = 0; i < size(); ++i) {
    displaced_[i] = scale > 0 ? (displaced_[i] - base_[i]) / scale : 0;
    base_[i] -= state_.y()[i];
  }
  return true;
}

// The factor by which companion steps in so many parts come away by more than the motion has errors.
double CompanionSteps::magnification(std::uint64_t parts) const {
  const double longer = static_cast<double>(length_) / static_cast<double>(parts);
  return longer == 1 ? -1 : std::pow(longer, info_.order) - 1;
}

bool CompanionSteps::slips_smoothly(double slip, double coarser, std::uint64_t parts) const {
  const double usual = usual_error_ * static_cast<double>(length_) * std::fabs(magnification(parts));
  if (slip > kAway) return false;
  if (slip <= std::max(kRougher * usual, kRoundings * kEpsilon)) return true;
  const double gained = coarser / slip / std::ldexp(1.0, info_.order);
  return gained * kRougher > 1 && gained < kRougher;
}

// Rounding counts as an error of each step that has the direction of the error at hand.
void CompanionSteps::add_local_errors(std::uint64_t parts, bool samples) {
  const std::vector<double>& y = state_.y();
  const double steps = static_cast<double>(length_), rounding = kEpsilon * std::sqrt(steps);
  const double of_slip = 1 / magnification(parts);
  for (std::size_t i = 0; i < size(); ++i) {
    const double local = samples ? steps * (y[i] - last_[i]) : of_slip * base_[i];
    error_[i] += local;
    error_[i] += std::copysign(rounding * y[i], error_[i]);
    worst_[i] = std::max(worst_[i], std::fabs(error_[i]));
    if (parts < length_) slip_[i] += std::fabs(base_[i]);
    sum_[i] += std::fabs(local);
    const double of_step = std::fabs(local) / steps;
    if (of_step <= largest_[i]) continue;
    largest_[i] = of_step;
    when_[i] = t_;
  }
  looked_at_ += length_;
  is_lost_ = relative(error_) > kLostAtAll;
  looks_ = !is_lost_;
}

// The slip of a window grows as its length to the power p + 1, and may be its share of kSlip.
void CompanionSteps::choose_length(double slip, std::uint64_t parts) {
  const double length = static_cast<double>(length_), whole = static_cast<double>(plan_.options().steps);
  usual_error_ = slip / length / std::fabs(magnification(parts));
  const double share = std::min(kSlip * length / whole, kSlipOfWindow);
  const double longer = usual_error_ > 0 ? std::pow(share / (usual_error_ * length), 1.0 / info_.order) : 2 * length;
  length_ = std::clamp(static_cast<std::uint64_t>(std::clamp(longer, length / 2, 2 * length)), std::uint64_t{2},
                       kLongestWindow);
}

// An entry that only the rounding of the others moves has no size to compare errors with.
double CompanionSteps::relative(const std::vector<double>& errors) const {
  double most = 0, largest = 0;
  for (std::size_t i = 0; i < size(); ++i) largest = std::max(largest, std::fabs(state_.y()[i]));
  const double least = kRoundings * kEpsilon * largest;
  for (std::size_t i = 0; i < size(); ++i)
    if ((*sizes_)[i] > least) most = std::max(most, std::fabs(errors[i]) / (*sizes_)[i]);
  return most;
}

bool CompanionSteps::steps(double t, std::uint64_t parts, std::vector<double>& y) {
  const double h = (t - t_) / static_cast<double>(parts);
  for (std::uint64_t k = 0; k < parts; ++k)
    if (!step(t_ + static_cast<double>(k) * h, h, y)) return false;
  return true;
}

// A step of the method from y at t, onto the constraints where those of the run go there.
bool CompanionSteps::step(double t, double h, std::vector<double>& y) {
  Equations& equations = state_.equations();
  const bool quasi = state_.integrated().in_quasi_velocities();
  const auto rate = [&equations, quasi](double at, const double* state, double* dy) {
    return quasi ? equations.rhs_of_quasi_state(at, state, dy) : equations.rhs(at, state, dy);
  };
  if (!quasi) z_ = y;
  if (quasi && equations.quasi().to_quasi(t, y.data(), z_.data()) != 0) return false;
  single_->forget_history();
  if (rate(t, z_.data(), rate_.data()) != 0 || single_->step(rate, t, h, z_, rate_) != 0) return false;
  if (!quasi) y = z_;
  if (quasi && equations.quasi().to_speeds(t + h, z_.data(), y.data()) != 0) return false;
  normalise(state_.info(), y.data());
  if (!std::all_of(y.begin(), y.end(), [](double x) { return std::isfinite(x); })) return false;
  return !constraints_.stabiliser().corrects() ||
         constraints_.projector().project(t + h, y.data(), plan_.options().tolerance, false).converged;
}

void CompanionSteps::report() {
  if (looked_at_ == 0) return;
  sizes_->look(state_.y());
  Accuracy& found = state_.data().accuracy;
  found.looked_at = looked_at_;
  found.sum = relative(sum_);
  for (std::size_t i = 0; i < size(); ++i) {
    const double largest = largest_[i] / (*sizes_)[i];
    if (largest <= found.largest) continue;
    found.largest = largest;
    found.when = when_[i];
  }
  // The direction of a slip that begins depends on its size without bound, and errors grow by no rate.
  const std::uint64_t few = state_.info().events.frictions.empty() ? kFewEvents : 0;
  if (state_.data().events > few || state_.data().passed.count > 0) return;
  const double covered = static_cast<double>(covered_) / static_cast<double>(state_.data().steps);
  if (!is_lost_ && covered < 0.5) return;
  // Among random models 0.5 % have ten times the error that is estimated, so twice of it is told.
  const double error = 2 * relative(worst_) * (1 + relative(slip_)) / covered;
  found.global = is_lost_ || error > kAsLargeAsMotion ? 1 : error;
}

void CompanionSteps::transfer(Archive& archive) {
  bool made = sizes_.has_value();
  archive(made);
  if (made && archive.reading()) make();
  if (!made) return;
  archive(*sizes_, looks_, is_lost_, is_open_, spent_, usual_error_, length_, done_, first_, events_, covered_,
          looked_at_, t_, last_t_);
  archive.fixed(from_, last_, error_, worst_, sum_, slip_, largest_, when_);
  archive.expect(length_ >= 2 && (!is_open_ || done_ < length_));
}

}  // namespace mbc::runtime
