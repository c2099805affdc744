// SPDX-License-Identifier: Apache-2.0
// Steps of Taylor's method, whose size it chooses.
#include <algorithm>
#include <cmath>

#include "runtime/equations/failure_text.h"
#include "runtime/equations/user_place.h"
#include "runtime/step/adaptive_steps.h"

namespace mbc::runtime {

namespace {

// Limit of the defect: the difference between the rate at the end of a step and that of the polynomial, times the step.
// For a smooth motion it is about the order times the last term. A larger one comes from something that the
// coefficients do not contain: a jump of a derivative, or a short load.
constexpr double kSeriesStepsDefect = 100;
constexpr double kDefectOfRounding = 1e-11;
constexpr double kShorter = 0.5;
constexpr int kRepeated = 4;        // sizes and step that follow from each other; errors fall as the order to this
constexpr double kSameRate = 1e-8;  // of the largest rate: difference between series and equations

// Returns whether the accepted state has coefficients and they agree with the equations of the run.
bool develops(Taylor& method, RunState& state, double t) {
  const std::vector<double>& rate = state.integrated().dy();
  if (!method.develop(t, state.integrated().y())) return false;
  const kernel::SystemLayout& l = state.layout();
  double largest = 0;
  for (std::uint32_t i = l.speeds_at(); i < l.states_at(); ++i) largest = std::max(largest, std::fabs(rate[i]));
  for (std::uint32_t i = l.speeds_at(); i < l.states_at(); ++i) {
    // The rate of a speed that the rows leave no freedom is exactly zero, and that of its series is rounding.
    if (state.equations().is_determined(i - l.speeds_at())) continue;
    if (!(std::fabs(method.rate()[i] - rate[i]) <= kSameRate * largest)) return false;
  }
  return true;
}

Diagnostic without_series(Jets& jets, RunState& state, double t) {
  const Equations& equations = state.equations();
  Diagnostic d = diagnostic_of(
      Kind::no_series, t, {"another solution of the constraints is used there, since rows nearly depend on others"},
      "use `integrator = dop853`, which asks for values of the right-hand side only");
  if (state.equations().reaction_dependent().act(equations.inputs()))
    d.args = {"a load or a friction follows from the force that it makes"};
  else if (!jets.other_equations())
    if (const std::optional<kernel::Failure> why = jets.failure()) {
      d.args = {"a derivative of this expression is not finite"};
      d.span = why->origin;
      name_owner(d, state.info(),
                 {why->origin, t, state.integrated().y().data(), equations.params(), equations.inputs()});
    }
  return d;
}

}  // namespace

// Returns the longest step that the series at t allows. Where it is far shorter than the step before, an entry at zero
// may ask for it, whose size follows from the terms of its rate and from the step. Sizes for longer steps give longer
// ones, so that repetition comes from above to the longest step that agrees with its sizes.
double AdaptiveSteps::longest_series(double t) {
  Taylor& method = *integration_.method().get<Taylor>();
  const auto longest = [&] {
    method.compare_with([this](std::size_t i) { return size(i); });
    return method.longest(plan_.options().control.rtol);
  };
  trial_.take(sizes_);
  const double h = longest();
  const double before = state_.data().steps == 0 ? kOfRoundedStep * plan_.length() : integration_.pace();
  const bool looks = 4 * h < before && terms_.measure(t, sizes_);
  if (!looks && !terms_.helps()) return h;
  double by_terms = control_.max_step();
  for (int k = 0; k < kRepeated; ++k) {
    trial_.take(sizes_);
    terms_.raise(trial_, by_terms);
    by_terms = std::min(by_terms, longest());
  }
  if (by_terms > 2 * h) terms_.set_helps(true);
  return std::max(h, by_terms);
}

// Makes a step from t whose last terms are below the tolerance. Returns its size, or 0 if the run ends.
double AdaptiveSteps::series_step(double t) {
  Taylor& method = *integration_.method().get<Taylor>();
  const StepSettings& c = plan_.options().control;
  bool developed = develops(method, state_, t);
  if (!developed && events_ && events_->opens_modes()) {
    if (!accepted_.evaluate_again(t)) return 0;
    developed = develops(method, state_, t);
  }
  if (!developed) {
    state_.stop(without_series(*integration_.jets(), state_, t));
    return 0;
  }
  control_.want(longest_series(t));
  const double smallest = control_.smallest(t);
  const double limit = std::max(kSeriesStepsDefect * method.order() * c.rtol, kDefectOfRounding);
  for (double wanted = control_.next(t, smallest);;) {
    const double h = on_clock(t, wanted), error = attempt(t, h);
    const bool defined =
        std::isfinite(error) && stepping_.fast_rhs(t + h, method.y_new().data(), row_rate_.data()) == 0;
    const auto follows = [&] { return method.defect(row_rate_, state_.layout().work_at()) <= limit; };
    bool good = defined && follows();
    if (defined && !good && terms_.measure(t, sizes_)) {
      terms_.raise(trial_, h);
      method.compare_with([this](std::size_t i) { return size(i); });
      good = follows();
      if (good) terms_.set_helps(true);
    }
    if (good) {
      state_.data().accuracy.add(error, t);
      return h;
    }
    ++state_.data().rejected;
    if (wanted <= smallest || stuck(t)) {
      if (!defined)
        fail(t, h, false);
      else
        too_small(method.worst(), t, h);
      return 0;
    }
    control_.shorten(std::max(kShorter * wanted, smallest));
    wanted = control_.next(t, smallest);
  }
}

}  // namespace mbc::runtime
