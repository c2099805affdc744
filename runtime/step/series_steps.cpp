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
  trial_.take(sizes_);
  method.compare_with([this](std::size_t i) { return size(i); });
  control_.want(method.longest(c.rtol));
  const double smallest = control_.smallest(t);
  const double limit = std::max(kSeriesStepsDefect * method.order() * c.rtol, kDefectOfRounding);
  for (double wanted = control_.next(t, smallest);;) {
    const double h = on_clock(t, wanted), error = attempt(t, h);
    const bool defined =
        std::isfinite(error) && stepping_.fast_rhs(t + h, method.y_new().data(), row_rate_.data()) == 0;
    if (defined && method.defect(row_rate_, state_.layout().work_at()) <= limit) {
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
