// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/fixed_steps.h"

#include <algorithm>
#include <utility>

#include "runtime/step/fused_step.h"

namespace mbc::runtime {

namespace {

// Pieces of one step after which the run is asked whether it is to end.
constexpr std::uint32_t kPieces = 1000;

// Interpolates by the cubic with the values and rates of both ends (Hermite), at the part theta of the step.
void between(double theta, double h, const std::vector<double>& y0, const std::vector<double>& dy0,
             const std::vector<double>& y1, const std::vector<double>& dy1, std::vector<double>& out) {
  const double s = 1 - theta, a = s * s * (1 + 2 * theta), b = theta * theta * (3 - 2 * theta), c = h * theta * s * s,
               d = -h * theta * theta * s;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = a * y0[i] + b * y1[i] + c * dy0[i] + d * dy1[i];
}

}  // namespace

FixedSteps::FixedSteps(const RunPlan& plan, RunState& state, ConstraintHandling& constraints, Integration& integration,
                       Pauses& pauses, Crossing& crossing, AcceptedState& accepted, Stepping& stepping,
                       EventRun* events)
    : plan_(plan),
      state_(state),
      constraints_(constraints),
      integration_(integration),
      pauses_(pauses),
      crossing_(crossing),
      accepted_(accepted),
      stepping_(stepping),
      events_(events),
      y_(state_.layout().n_y()),
      end_(y_.size()),
      end_rate_(y_.size()) {}

void FixedSteps::transfer(Archive& archive) {
  archive(last_step_);
  archive.may_be_infinite(inside_);
  archive.expect(!is_inside() || std::isfinite(inside_));
}

// A method with memory takes every step of a run with events in pieces, because it has to know which steps are cut.
bool FixedSteps::takes_pieces() const { return !integration_.method().get<Rk4>() || is_inside(); }

bool FixedSteps::concerned(std::uint64_t step) const {
  return events_ && (takes_pieces() || events_->concerned(plan_.time_of(step + 1)));
}

bool FixedSteps::due(std::uint64_t step) {
  return events_ && (takes_pieces() || events_->due(plan_.time_of(step), plan_.time_of(step + 1)));
}

bool FixedSteps::make(std::uint64_t step) {
  const double t = plan_.time_of(step), end = plan_.time_of(step + 1), h = plan_.size_of(step);
  if (concerned(step)) return pieces(t, end, h);
  if (crossing_.near() || crossing_.interpolated(t))
    if (const Crossing::Status made = beside(t, end, h); made != Crossing::Status::left)
      return made == Crossing::Status::reached;
  FusedStep* fused = plan_.is_shorter(step) ? nullptr : plan_.options().fused;
  if (plan_.is_shorter(step)) integration_.method().forget_history();
  const bool whole = fused && constraints_.certification().regularity().regular() && fused->takes_next();
  if (!(whole && stepping_.fused_step(t)) && !stepping_.step(t, h)) return false;
  ++state_.data().steps;
  return true;
}

bool FixedSteps::pieces(double t, double end, double h) {
  bool cut = inside_ != kNotInside;
  if (cut) t = std::exchange(inside_, kNotInside);
  if (!events_->hold_modes(t)) return false;
  std::uint32_t pieces = 0;
  while (t < end) {
    double to = before_rest(t, end);
    events_->look_ahead(t, to);
    if (events_->next_time() < to - events_->tolerance(to)) to = std::max(events_->next_time(), t);
    double reached = to;
    if (to > t && !piece(t, to, to == end && !cut ? h : to - t, reached)) return false;
    cut = true;
    t = reached;
    if (!events_->is_due(t) && t >= end) return true;
    if (!accepted_.evaluate(t) || !events_->arrive(t)) return false;
    if (++pieces % kPieces == 0 && t < end && !goes_on_inside(t)) return false;
  }
  return true;
}

// Returns the end of the next piece. Friction in a plane turns faster as its slip becomes smaller, and fixed steps
// would hover around rest. Pieces therefore cover a part of the time to rest until the direction is held.
double FixedSteps::before_rest(double t, double end) {
  constexpr double kPart = 0.25, kApart = 1e-3;
  const double to = t + kPart * events_->time_to_rest(t, kApart * (end - t));
  return to < end - events_->tolerance(end) ? to : end;
}

// A run may be left, and continued, within a step that has many events.
bool FixedSteps::goes_on_inside(double t) {
  inside_ = t;
  const bool goes_on = pauses_.goes_on(t);
  if (goes_on) inside_ = kNotInside;
  return goes_on;
}

void FixedSteps::keep() {
  kept_.y = state_.y();
  kept_.dy = state_.dy();
  kept_.state = state_.integrated().state();
  kept_.rate = state_.integrated().rate();
  constraints_.stabiliser().keep();
}

void FixedSteps::restore() {
  state_.y() = kept_.y;
  state_.dy() = kept_.dy;
  state_.integrated().state() = kept_.state;
  state_.integrated().rate() = kept_.rate;
  constraints_.stabiliser().restore();
}

// Makes a step of the method from the kept state.
bool FixedSteps::make_again(double t, double h) {
  restore();
  integration_.method().forget_history();
  return stepping_.step(t, h);
}

// Returns the step of size h from t, from the kept state to end_.
EventWatch::Along FixedSteps::along(double t, double h) {
  return {[this, t, h](double theta, std::vector<double>& values) {
            between(theta, h, kept_.y, kept_.dy, end_, end_rate_, y_);
            return events_->values_at(t + theta * h, y_.data(), values);
          },
          [this, t](double size, std::vector<double>& values) {
            if (!make_again(t, size)) return false;
            y_ = state_.y();
            return events_->values_at(t + size, y_.data(), values);
          },
          [this, h](double theta) -> const double* {
            between(theta, h, kept_.y, kept_.dy, end_, end_rate_, y_);
            normalise(state_.info(), y_.data());
            return y_.data();
          }};
}

// Makes a piece from t to `end` or to the first change before that.
bool FixedSteps::piece(double t, double end, double h, double& reached) {
  if (crossing_.near() || crossing_.interpolated(t)) {
    const Crossing::Status made = beside(t, end, end - t);
    if (made == Crossing::Status::left) return piece(t, end, end - t, reached);
    reached = end;
    return made == Crossing::Status::reached;
  }
  keep();
  if (h != last_step_) integration_.method().forget_history();
  last_step_ = h;
  const RunStatus status = state_.data().status;
  if (!stepping_.step(t, h)) {
    if (!events_->opens_modes()) return false;
    state_.data().status = status;
    state_.data().diagnostic.reset();
    restore();
    if (!stepping_.step(t, h)) return false;
  }
  ++state_.data().steps;
  if (!events_->watches()) return true;
  end_ = state_.y();
  if (state_.equations().rhs(end, end_.data(), end_rate_.data()) != 0) return state_.undefined(end);
  ++state_.data().evaluations;
  double at = h;
  const std::uint64_t evaluations = state_.data().evaluations;
  const EventRun::StepVerdict looked = events_->look(t, h, along(t, h), at);
  if (looked == EventRun::StepVerdict::ended) return false;
  if (looked == EventRun::StepVerdict::shorten) {
    --state_.data().steps;
    restore();
    reached = t + at;
    return piece(t, reached, at, reached);
  }
  if (looked == EventRun::StepVerdict::retry) {
    restore();
    return accepted_.evaluate_again(t) && piece(t, end, h, reached);
  }
  if (events_->found_change()) {
    reached = t + at < end - events_->tolerance(end) ? t + at : end;
    return make_again(t, at);
  }
  if (state_.data().evaluations != evaluations) return make_again(t, h);  // the change was not real
  return true;
}

// Makes a step near a singular position. Such steps are not repeated, so the time of a change inside one is unknown.
Crossing::Status FixedSteps::beside(double t, double end, double h) {
  if (events_) events_->opens_modes();
  const Crossing::Status made = crossing_.step(t, end, h);
  if (made == Crossing::Status::left && !accepted_.evaluate_again(t)) return Crossing::Status::ended;
  if (made != Crossing::Status::reached) return made;
  ++state_.data().steps;
  return !events_ || events_->nothing_passed(end) ? made : Crossing::Status::ended;
}

}  // namespace mbc::runtime
