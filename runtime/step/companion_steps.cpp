// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/companion_steps.h"

#include <algorithm>
#include <cmath>

#include "base/epsilon.h"
#include "runtime/step/clock_rounding.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

constexpr std::uint64_t kLongestWindow = 16;  // in steps, where the cost does not ask for longer ones
constexpr int kRougher = 10;                  // slips of a smooth motion in windows that follow each other
constexpr int kLowerOrder = 4;                // slips of a jump fall by 2, which is less than their order by more
constexpr int kRoundings = 450;               // by which companion steps of any length differ
constexpr int kTurned = 4;                    // squared change of the rate in a window, over its square
constexpr int kEarlier = 10;                  // displacements in time are shorter than a window by this factor
constexpr std::uint64_t kStiffWindow = 4;     // in steps by the method for stiff problems
// Errors that grow exponentially grow in steps that were not looked at as well. Beyond that growth they are not told if
// 1/kLeftOut of the steps and more were not looked at.
constexpr int kMostGrowth = 1000, kLeftOut = 10;
constexpr std::uint64_t kFewEvents = 3;  // events and discontinuities across which errors are carried
// Evaluations times the entries of a state that are free, which take some milliseconds; 1/kLookedAt of those of a run.
constexpr std::uint64_t kFreeNumbers = 400000, kLookedAt = 10;

// An entry that only the rounding of the others moves has no size to compare errors with.
double least_size(const std::vector<double>& y, std::size_t n) {
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::fabs(y[i]));
  return std::max(kRoundings * kEpsilon * largest, ErrorSizes::kNothing);
}

}  // namespace

CompanionSteps::CompanionSteps(const RunPlan& plan, RunState& state, ConstraintHandling& constraints)
    : plan_(plan), state_(state), constraints_(constraints), info_(settings::info_of(plan.options().integrator)) {
  const SimulateOptions& o = plan.options();
  looks_ = o.estimates_error && !o.time_stepping && !o.drive && (o.chooses_steps() || o.steps > 1);
  if (!looks_) return;
  const settings::IntegratorInfo& single = settings::info_of(info_.single);
  calls_ = info_.calls > 0 ? info_.calls : single.calls;
  cost_ = (remembers_rates() ? 3 : 2) * single.calls;
  affordable_ = static_cast<std::uint64_t>(std::ceil(kLookedAt * cost_ / calls_));
  free_ = static_cast<double>(kFreeNumbers / std::max<std::size_t>(1, size()));
}

void CompanionSteps::make() {
  const std::size_t n = state_.y().size();
  sizes_.emplace(state_.info(), state_.layout(), plan_.length());
  sizes_->know(constraints_.projector().size());
  single_.emplace(info_.single, n);
  discrete_ = held_ = state_.discrete().values();
  times_.reserve(std::max(kLongestWindow, affordable_) + 2);
  for (std::vector<double>* list : {&worst_, &sum_, &slip_, &largest_, &when_, &of_rows_, &by_clock_, &walked_})
    list->assign(size(), 0);
  for (std::vector<double>* list : {&error_, &from_, &from_rate_, &end_rate_, &before_rate_, &middle_, &last_, &row_,
                                    &neglected_, &base_, &displaced_, &z_, &rate_})
    list->assign(n, 0);
}

void CompanionSteps::prepare(const Next& next) {
  if (!sizes_) {
    make();
    sizes_->look(state_.y());
    sizes_->begin(state_.dy());
  }
  was_beside_ = was_beside_ || next.beside;
  if (is_open_ && (next.beside || next.stiff != is_stiff_)) drop();
  if (!is_open_) open(next);
  if (!is_open_ || (done_ + 1 < length_ && !remembers_rates())) return;
  row_part_ = 0;
  last_t_ = next.t;
  last_ = state_.y();
}

// Steps of a run that chooses them are as long as they can be, so that one companion step cannot cover many. Where a
// window costs too much, there is none.
void CompanionSteps::open(const Next& next) {
  if (next.beside || next.left < 2) return;
  const bool fixed = !plan_.options().chooses_steps();
  if (!can_afford(next.stiff ? cost_of_stiff() : cost_)) {
    if (!fixed) return;
    length_ = std::max(length_, affordable_);
  }
  is_open_ = true;
  is_stiff_ = next.stiff;
  done_ = 0;
  row_part_ = 0;
  first_ = state_.data().steps;
  events_ = state_.data().events;
  for (std::uint32_t k = 0; k < held_.size(); ++k) held_[k] = state_.discrete()[k];
  if (is_stiff_) length_ = kStiffWindow;
  length_ = std::min(length_, next.left);
  if (next.left - length_ == 1) length_ = next.left;
  times_.assign(1, next.t);
  from_ = state_.y();
  from_rate_ = state_.dy();
  std::fill(neglected_.begin(), neglected_.end(), 0.0);
}

void CompanionSteps::count(double t, const std::vector<double>* neglected) {
  ++done_;
  if (!nothing_happened()) return drop();
  times_.push_back(t);
  for (std::size_t i = 0; neglected && i < size(); ++i) neglected_[i] += (*neglected)[i];
  if (2 * done_ <= length_) {
    middle_ = state_.y();
    middle_t_ = t;
  }
  if (done_ == length_) look();
}

// Returns whether the window consists of whole steps of one smooth motion. What each evaluation finds may vary.
bool CompanionSteps::nothing_happened() const {
  const RunData& data = state_.data();
  if (data.steps != first_ + done_ || data.events != events_) return false;
  using Use = problem::DiscreteVariable::Use;
  const problem::DiscreteState discrete = state_.discrete();
  for (std::uint32_t k = 0; k < held_.size(); ++k) {
    const Use use = state_.info().events.discrete[k].use;
    if (use != Use::friction && use != Use::load && use != Use::turns && discrete[k] != held_[k]) return false;
  }
  return std::ranges::none_of(state_.info().events.angles, [&](const problem::JointAngle& a) {
    return a.acts && discrete[a.near] != held_[a.near];
  });
}

void CompanionSteps::drop() {
  is_open_ = false;
  length_ = std::max<std::uint64_t>(2, length_ / 2);
}

bool CompanionSteps::can_afford(double cost) const {
  return spent_ + cost <= free_ + calls_ * static_cast<double>(state_.data().steps) / kLookedAt;
}

// Loads that depend on multipliers leave their sizes in the discrete state.
void CompanionSteps::look() {
  const problem::DiscreteState discrete = state_.discrete();
  for (std::uint32_t k = 0; k < discrete_.size(); ++k) discrete_[k] = discrete[k];
  sizes_->look(state_.y());
  spent_ += 1;
  const bool defined = state_.equations().rhs(times_.back(), state_.y().data(), end_rate_.data()) == 0;
  late_ = defined ? time_error() : 0;
  if (is_late(plan_.options().begin, plan_.length())) look_at_clock(defined);
  if (is_stiff_ ? measure_stiff() : measure())
    is_open_ = false;
  else
    drop();
  discrete.assign(discrete_);
}

// The rounding of the time moves each step by its rounding of the rates, in any direction.
void CompanionSteps::look_at_clock(bool defined) {
  const double t = next_on_clock(times_.back()), moved = times_.back() - times_.front();
  const double roundings = std::sqrt(static_cast<double>(times_.size() - 1));
  const bool known = defined && state_.equations().rhs(t, state_.y().data(), rate_.data()) == 0;
  for (std::size_t i = 0; i < by_clock_.size(); ++i)
    by_clock_[i] = known ? std::fabs(rate_[i] - end_rate_[i]) * moved / roundings : 0;
}

// Returns what the clock adds to the error of an entry. Its rounding has no direction: the sum of n windows is sqrt(n)
// times that of one.
double CompanionSteps::walk(std::size_t entry) {
  const double before = walked_[entry];
  walked_[entry] += by_clock_[entry] * by_clock_[entry];
  return std::sqrt(walked_[entry]) - std::sqrt(before);
}

// The window is made in 1, 2, 4, ... companion steps, until their slip is that of a smooth motion; at last in halves of
// the steps of the run, or, for a method that remembers rates, in steps of that size.
bool CompanionSteps::measure() {
  const double largest = relative(error_), scale = largest > 0 ? kDisplacedBy / largest : 0;
  const std::uint64_t finest = remembers_rates() ? length_ : 2 * length_;
  double coarser = 0, carried_before = 0;
  for (std::uint64_t parts = length_ == 1 ? finest : 1;; parts = length_ >= 4 * parts ? 2 * parts : finest) {
    spent_ += cost_ * static_cast<double>(parts);
    const double finer = cost_ * static_cast<double>(length_ >= 4 * parts ? 2 * parts : finest);
    const bool can_refine = parts < finest && can_afford(finer), made = make_both(parts, scale);
    if (!made && !can_refine) return false;
    const double slip = relative(base_), carried = relative(displaced_);
    const bool grows = carried > 2 * largest && (carried > 2 * carried_before || carried_before > 2 * carried);
    const bool is_smooth = made && !grows && slips_smoothly(slip, coarser, parts);
    if (!is_smooth && can_refine) {
      coarser = made ? slip : 0;
      carried_before = made ? carried : 0;
      continue;
    }
    if (!is_smooth && parts < finest && plan_.options().chooses_steps()) return false;
    const bool samples = remembers_rates() && parts < finest;
    if (samples && !step(last_t_, times_.back() - last_t_, last_)) return false;
    const bool follows = slip < kAway || (parts == finest && !knows_errors());
    if (follows) error_ = displaced_;
    if (follows) covered_ += length_;
    look_at_row();
    add_local_errors(parts, samples);
    choose_length(slip, parts);
    return true;
  }
}

// The error of a row within a step has a part that its dense output makes, and that later steps do not carry. The
// polynomials of Taylor series and of stiff steps are as good inside a step as at its end.
void CompanionSteps::keep_row(double t, double part, const std::vector<double>& row) {
  if (knows_errors() || std::fabs(part - 0.5) >= std::fabs(row_part_ - 0.5)) return;
  row_t_ = t;
  row_part_ = part;
  row_ = row;
}

void CompanionSteps::look_at_row() {
  if (row_part_ == 0) return;
  spent_ += settings::info_of(info_.single).calls;
  std::vector<double>& there = displaced_;
  there = last_;
  if (!step(last_t_, row_t_ - last_t_, there)) return;
  for (std::size_t i = 0; i < size(); ++i) of_rows_[i] = std::max(of_rows_[i], std::fabs(row_[i] - there[i]));
}

// The Jacobian is that of a state in the middle of the window.
bool CompanionSteps::measure_stiff() {
  if (!stiff_) stiff_.emplace(plan_.options().partials(), state_.equations());
  spent_ += cost_of_stiff();
  const bool single = length_ == 1;
  for (std::size_t i = 0; i < size(); ++i) {
    base_[i] = state_.y()[i] - from_[i];
    rate_[i] = end_rate_[i] - from_rate_[i];
    error_[i] -= late_ * from_rate_[i];
  }
  const StiffCompanion::Step step{.t = single ? times_.back() : middle_t_,
                                  .y = single ? state_.y() : middle_,
                                  .h = times_.back() - times_.front(),
                                  .late = -late_,
                                  .moved = base_,
                                  .changed = rate_};
  const bool carried = stiff_->carry(step, error_);
  for (std::size_t i = 0; i < size(); ++i) error_[i] += late_ * (carried ? end_rate_ : from_rate_)[i];
  if (!carried) return false;
  covered_ += length_;
  take_local_errors(neglected_, 1);
  return true;
}

// Returns tau of the part tau f_0 of the errors at the beginning of the window. It is 0 where the rate of the motion
// changes in the window by more than its size, so that it gives no direction.
double CompanionSteps::time_error() const {
  double product = 0, square = 0, change = 0;
  const double least = least_size(state_.y(), size());
  for (std::size_t i = 0; i < size(); ++i) {
    const double of_entry = (*sizes_)[i];
    if (of_entry <= least || std::fabs(error_[i]) > kAsLargeAsMotion * of_entry) continue;
    const double rate = from_rate_[i] / of_entry, changed = end_rate_[i] / of_entry - rate;
    product += rate * error_[i] / of_entry;
    square += rate * rate;
    change += changed * changed;
  }
  return square > 0 && change <= kTurned * square ? product / square : 0;
}

// base_: how far companion steps in so many parts come away from the motion; displaced_: the errors that they carry.
bool CompanionSteps::make_both(std::uint64_t parts, double scale) {
  base_ = displaced_ = from_;
  if (!steps(parts, 0, base_)) return false;
  const double late = kEarlier * std::fabs(scale * late_) < times_.back() - times_.front() ? late_ : 0;
  for (std::size_t i = 0; scale > 0 && i < size(); ++i) displaced_[i] += scale * (error_[i] - late * from_rate_[i]);
  if (scale > 0 && !steps(parts, -scale * late, displaced_)) return false;
  for (std::size_t i = 0; i < size(); ++i) {
    displaced_[i] = scale > 0 ? (displaced_[i] - base_[i]) / scale + late * end_rate_[i] : 0;
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
  if (knows_errors()) return slip < kRougher * kSlipOfWindow;
  const double usual = usual_error_ * static_cast<double>(length_) * std::fabs(magnification(parts));
  if (slip > kAway) return false;
  if (slip <= std::max(kRougher * usual, kRoundings * kEpsilon)) return true;
  const double gained = coarser / slip / std::ldexp(1.0, info_.order);
  return gained * kLowerOrder > 1 && gained < kRougher;
}

void CompanionSteps::add_local_errors(std::uint64_t parts, bool samples) {
  for (std::size_t i = 0; parts < length_ && i < size(); ++i) slip_[i] += std::fabs(base_[i]);
  if (knows_errors()) return take_local_errors(neglected_, 1);
  if (!samples) return take_local_errors(base_, 1 / magnification(parts));
  for (std::size_t i = 0; i < size(); ++i) last_[i] = state_.y()[i] - last_[i];
  take_local_errors(last_, static_cast<double>(length_));
}

// Takes the errors of the steps of the window, `part` of the given ones. Rounding counts as an error of each step that
// has the direction of the error at hand.
void CompanionSteps::take_local_errors(const std::vector<double>& errors, double part) {
  const double steps = static_cast<double>(length_), rounding = kEpsilon * std::sqrt(steps);
  for (std::size_t i = 0; i < size(); ++i) {
    const double local = part * errors[i];
    const double by_clock = walk(i);
    error_[i] += local;
    error_[i] += std::copysign(rounding * std::fabs(state_.y()[i]) + by_clock, error_[i]);
    worst_[i] = std::max(worst_[i], std::fabs(error_[i]));
    sum_[i] += std::fabs(local) + by_clock;
    const double of_step = std::fabs(local) / steps;
    if (of_step <= largest_[i]) continue;
    largest_[i] = of_step;
    when_[i] = times_.front();
  }
  looked_at_ += length_;
  look_at_zeros();
  if (relative(error_) > kLostAtAll) {
    zeros_at_ = 0;
    look_at_zeros();
  }
  is_lost_ = relative(error_) > kLostAtAll;
  looks_ = !is_lost_;
}

// An entry that stays at zero while the terms of its rate do not has a size by these terms in the whole time span, and
// one that rests by their rounding. They are looked at where errors seem large.
void CompanionSteps::look_at_zeros() {
  const std::uint64_t steps = state_.data().steps;
  if (steps < zeros_at_ || relative(worst_) <= kErrorSeen) return;
  zeros_at_ = 2 * steps;
  std::vector<double> terms = terms_of_rates(state_.equations(), times_.back(), state_.y().data(),
                                             sizes_->reach(state_.y(), plan_.options().control.rtol).data());
  if (is_stiff_ && stiff_) stiff_->resist(state_.info(), plan_.length(), terms);
  sizes_->look_at_terms(
      constraints_.projector().size(), terms,
      {.rtol = plan_.options().control.rtol, .h = plan_.length(), .of_span = true, .anew = is_stiff_});
}

// Returns the number of steps of the whole run as far as it is known.
double CompanionSteps::steps_of_run() const {
  if (!plan_.options().chooses_steps()) return static_cast<double>(plan_.options().steps);
  return static_cast<double>(state_.data().steps) * plan_.length() / (times_.back() - plan_.options().begin);
}

// Returns the length of windows that cost a tenth of the run and of the evaluations that are free.
double CompanionSteps::least_length() const {
  const double steps = steps_of_run();
  return kLookedAt * cost_ * steps / (free_ + calls_ * steps);
}

// The slip of a window grows as its length to the power p + 1, and may be its share of kSlip. The terms of the error of
// a companion step fall by about the (p + 1)-th root of its slip. Where they fall slowly d has another direction than
// the errors of the steps, which matters where errors grow in some directions only: windows are shorter than they could
// be as long as that is affordable.
void CompanionSteps::choose_length(double slip, std::uint64_t parts) {
  const double length = static_cast<double>(length_);
  usual_error_ = slip / length / std::fabs(magnification(parts));
  const auto longest = [&](double share) {
    return usual_error_ > 0 ? std::pow(share / (usual_error_ * length), 1.0 / info_.order) : 2 * length;
  };
  double longer = longest(std::min(kSlip * length / steps_of_run(), kSlipOfWindow));
  if (!knows_errors())
    longer = std::min(longer, std::max(longest(std::pow(kNextTerm, info_.order + 1)), least_length()));
  length_ = std::clamp(static_cast<std::uint64_t>(std::clamp(longer, length / 2, 2 * length)), std::uint64_t{2},
                       kLongestWindow);
}

double CompanionSteps::relative(const std::vector<double>& errors) const {
  double most = 0;
  const double least = least_size(state_.y(), size());
  for (std::size_t i = 0; i < size(); ++i)
    if ((*sizes_)[i] > least) most = std::max(most, std::fabs(errors[i]) / (*sizes_)[i]);
  return most;
}

// Returns the time after so many steps of the window, which may end with a part of one.
double CompanionSteps::time_at(double step) const {
  const std::size_t whole = std::min(static_cast<std::size_t>(step), times_.size() - 2);
  return times_[whole] + (step - static_cast<double>(whole)) * (times_[whole + 1] - times_[whole]);
}

// Makes steps that are later by `late` than those of the run.
bool CompanionSteps::steps(std::uint64_t parts, double late, std::vector<double>& y) {
  const double longer = static_cast<double>(length_) / static_cast<double>(parts);
  double t = times_.front();
  for (std::uint64_t k = 1; k <= parts; ++k) {
    const double end = k == parts ? times_.back() : time_at(static_cast<double>(k) * longer);
    if (!step(t + late, end - t, y)) return false;
    t = end;
  }
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

void CompanionSteps::finish(bool whole) {
  if (is_open_ && whole && done_ > 0 && nothing_happened()) {
    length_ = done_;
    look();
  }
  if (looked_at_ > 0) report();
}

// Returns whether errors are known behind everything that has happened. The direction of a slip that begins depends on
// its size without bound, and errors grow by no rate.
bool CompanionSteps::is_told() const {
  const RunData& data = state_.data();
  const std::uint64_t few = state_.info().events.frictions.empty() ? kFewEvents : 0;
  return data.events + data.kinks <= few && data.passed.count == 0 && !was_beside_;
}

void CompanionSteps::report() {
  sizes_->look(state_.y());
  zeros_at_ = 0;
  look_at_zeros();
  Accuracy& found = state_.data().accuracy;
  if (!plan_.options().chooses_steps()) {
    found.looked_at = looked_at_;
    found.sum = relative(sum_);
    for (std::size_t i = 0; i < size(); ++i) {
      const double largest = largest_[i] / (*sizes_)[i];
      if (largest <= found.largest) continue;
      found.largest = largest;
      found.when = when_[i];
    }
  }
  if (!is_told()) return;
  const double covered = static_cast<double>(covered_) / static_cast<double>(state_.data().steps);
  if (!is_lost_ && covered < 0.5) return;
  if (!is_lost_ && covered < 1 - 1.0 / kLeftOut && relative(worst_) > kMostGrowth * relative(sum_)) return;
  // Among random models 0.5 % have ten times the error that is estimated, so twice of it is told.
  const double error = 2 * (relative(worst_) * (1 + relative(slip_)) / covered + relative(of_rows_));
  found.global = is_lost_ || error > kAsLargeAsMotion ? 1 : error;
}

void CompanionSteps::transfer(Archive& archive) {
  bool made = sizes_.has_value();
  archive(made);
  if (made && archive.reading()) make();
  if (!made) return;
  archive(*sizes_, looks_, is_lost_, is_open_, is_stiff_, was_beside_, spent_, usual_error_, length_, done_, first_,
          events_, covered_, looked_at_, zeros_at_, last_t_, row_t_, row_part_, middle_t_, times_);
  archive.results(held_);
  archive.fixed(from_, from_rate_, middle_, last_, row_, neglected_, error_, worst_, sum_, slip_, largest_, when_,
                of_rows_, walked_);
  archive.expect(length_ >= 2 && (!is_open_ || (done_ < length_ && times_.size() == done_ + 1)));
  archive.expect(!is_stiff_ || plan_.options().partials != nullptr);
}

}  // namespace mbc::runtime
