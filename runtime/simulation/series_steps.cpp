// SPDX-License-Identifier: Apache-2.0
// Steps of Taylor's method in the loop of methods that choose their steps.
#include <algorithm>
#include <cmath>

#include "runtime/equations/failure_text.h"
#include "runtime/simulation/adaptive_loop.h"
#include "runtime/simulation/data/run_failure.h"

namespace mbc::runtime {

namespace {

// The rate at the end of a step against that of the polynomial, times the step: of a smooth motion about the order
// times the last term. More than that is something the coefficients do not know of: a jump of a derivative, a short
// load.
constexpr double kSeriesStepsDefect = 100;
constexpr double kDefectOfRounding = 1e-11;
constexpr double kShorter = 0.5;
constexpr double kSameRate = 1e-8;  // of the series and of the equations, relative to the largest of their kind

// Whether the accepted state has coefficients, and they are those of the equations that the run goes by.
bool develops(RunParts& run, double t) {
  Taylor& method = *run.method.get<Taylor>();
  const std::vector<double>& rate = run.integrated.dy();
  if (!method.develop(t, run.integrated.y())) return false;
  double largest = 0;
  for (std::uint32_t i = run.layout.speeds_at(); i < run.layout.states_at(); ++i)
    largest = std::max(largest, std::fabs(rate[i]));
  for (std::uint32_t i = run.layout.speeds_at(); i < run.layout.states_at(); ++i)
    if (!(std::fabs(method.rate()[i] - rate[i]) <= kSameRate * largest)) return false;
  return true;
}

Diagnostic without_series(RunParts& run, double t) {
  Diagnostic d;
  d.kind = Kind::no_series;
  d.time = t;
  d.help = "use `integrator = dop853`, which asks for values of the right-hand side only";
  d.args = {"another solution of the constraints is used there, since rows nearly depend on others"};
  if (run.equations.implicit_loads().act(run.equations.inputs()))
    d.args = {"a load or a friction follows from the force that it makes"};
  else if (!run.jets->other_equations())
    if (const std::optional<kernel::Failure> why = run.jets->failure()) {
      d.args = {"a derivative of this expression is not finite"};
      d.span = why->origin;
      name_owner(d, run.info,
                 {why->origin, t, run.integrated.y().data(), run.equations.params(), run.equations.inputs()});
    }
  return d;
}

}  // namespace

// A step from t whose last terms are below the tolerance; its size, or 0 where the run ends.
double AdaptiveLoop::series_step(double t) {
  Taylor& method = *run_.method.get<Taylor>();
  const StepSettings& c = run_.options.control;
  bool developed = develops(run_, t);
  if (!developed && events_ && events_->opens_branches()) {
    if (!accepted_.evaluate_again(t)) return 0;
    developed = develops(run_, t);
  }
  if (!developed) {
    run_.end(RunStatus::stopped, without_series(run_, t));
    return 0;
  }
  trial_.take(sizes_);
  method.compare_with([this](std::size_t i) { return size(i); });
  control_.want(method.longest(c.rtol));
  const double smallest = control_.smallest(t);
  const double limit = std::max(kSeriesStepsDefect * method.order() * c.rtol, kDefectOfRounding);
  for (double h = control_.next(t, smallest);;) {
    const double error = attempt(t, h);
    const bool defined =
        std::isfinite(error) && stepping_.fast_rhs(t + h, method.y_new().data(), row_rate_.data()) == 0;
    if (defined && method.defect(row_rate_, run_.layout.work_at()) <= limit) {
      run_.data.accuracy.add(error, t);
      return h;
    }
    ++run_.data.rejected;
    if (h <= smallest || stuck(t)) {
      if (!defined)
        fail(t, h, false);
      else
        run_.end(RunStatus::stopped,
                 step_too_small(run_.info, run_.layout, static_cast<std::uint32_t>(method.worst()), t, h,
                                run_.certification.near_singular(), run_.stabiliser.corrects(), true));
      return 0;
    }
    control_.shorten(std::max(kShorter * h, smallest));
    h = control_.next(t, smallest);
  }
}

}  // namespace mbc::runtime
