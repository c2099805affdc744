// SPDX-License-Identifier: Apache-2.0
// The parts of a run, from its options.
#include "runtime/simulation/run_parts.h"

#include <algorithm>
#include <cmath>

#include "base/stop_flag.h"
#include "runtime/constraints/reactions.h"
#include "runtime/simulation/data/event_clock.h"
#include "runtime/simulation/data/run_failure.h"
#include "runtime/simulation/data/series_order.h"

namespace mbc::runtime {

Method::Method(Integrator integrator, std::size_t n) {
  switch (integrator) {
    case Integrator::rk4:
      rk4.emplace(n);
      break;
    case Integrator::ab4:
      ab4.emplace(n);
      break;
    case Integrator::dopri5:
      dopri5.emplace(n);
      break;
    case Integrator::dop853:
    case Integrator::automatic:
      dop853.emplace(n);
      break;
    case Integrator::taylor:
    case Integrator::bdf:
      break;
    case Integrator::gauss4:
      gauss.emplace(n, 2);
      break;
    case Integrator::gauss6:
      gauss.emplace(n, 3);
      break;
  }
}

double RunParts::usual_rebound() const {
  if (!options.chooses_steps()) return kLowestRebound;
  const double tolerance = options.control.by_sizes ? options.control.tolerance : options.control.rtol;
  return tolerance > kFineSteps ? tolerance : kLowestRebound;
}

RunParts::RunParts(Equations& e, const problem::Problem& i, const SimulateOptions& o, std::vector<double>& y,
                   const Recorder& record)
    : equations(e),
      info(i),
      options(o),
      layout(e.layout()),
      integrated(e, y),
      projector(e, i),
      certification(e, i, projector, o.rank_tolerance),
      singular_limit(e, projector),
      usual_rank(e, i, projector),
      vanishing_rows(e, i),
      stabiliser(e, i, projector, o.stabilisation, o.tolerance),
      recording(e, projector, i, o, record, data),
      energy_net(e, o),
      method(o.integrator, y.size()) {
  e.share = nullptr;
  if (!e.beyond_dense()) e.share = [&e, &i](double t, const double* at) { share_multipliers(e, i, t, at); };
  if (o.integrator != Integrator::taylor) return;
  jets.emplace(o.jets, series_order(o), e);
  method.taylor.emplace(y.size(), jets->order(),
                        [this](double t, const double* at) { return jets->coefficients(t, at); });
}

bool RunParts::goes_on(double t) {
  const bool stopped = is_set(options.stop);
  const std::string why = options.pause ? options.pause({t, data.steps, stopped, save}) : std::string();
  if (stopped) data.status = RunStatus::interrupted;
  if (stopped || why.empty()) return !stopped;
  Diagnostic d;
  d.kind = Kind::run_limit;
  d.args = {why};
  d.time = t;
  return end(RunStatus::interrupted, std::move(d));
}

bool RunParts::gradients_stand(double t, const std::vector<double>& y) {
  if (!vanishing_rows.asks(t, y.data())) return true;
  std::optional<Diagnostic> why = vanishing_rows.passed(t, y.data());
  return !why || end(RunStatus::stopped, std::move(*why));
}

double RunParts::row_time_near(double t) const {
  const double row = time_of(steps().nearest(t));
  return std::fabs(row - t) <= same_instant(t, length()) ? row : t;
}

void RunParts::set_discrete_state() {
  discrete_state().assign(options.held ? *options.held : info.events.discrete.at_start(equations.params()));
}

int RunParts::rows_on() const {
  const problem::DiscreteState discrete = discrete_state();
  auto on = static_cast<int>(info.rows.size());
  for (const problem::SwitchedRow& s : info.events.switched_rows)
    if (!discrete.is_on(s.held)) --on;
  return on;
}

bool RunParts::rate_is_finite(double t) {
  ++data.evaluations;
  return equations.rhs(t, integrated.y().data(), integrated.dy().data()) == 0;
}

bool RunParts::undefined(double t) {
  return end(RunStatus::stopped, why_undefined(equations, info, t, integrated.y().data()));
}

}  // namespace mbc::runtime
