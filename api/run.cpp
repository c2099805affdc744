// SPDX-License-Identifier: Apache-2.0
// Runs of a program: its simulations and its tests.
#include <chrono>
#include <cmath>

#include "api/impl.h"
#include "api/initial.h"
#include "api/settings.h"
#include "api/tests.h"
#include "base/diagnostics/render.h"
#include "base/numbers.h"
#include "kernel/floating_point.h"

namespace mbc {

namespace {

// The block to run, or the diagnostic why there is none.
const sema::Simulation* choose(const std::vector<sema::Simulation>& list, const std::string& name, Diagnostic& why) {
  if (list.empty()) {
    why.kind = Kind::no_simulation;
    why.help = "add for example `simulate { time = 0 .. 10 step 0.001 }`";
    return nullptr;
  }
  if (name.empty() && list.size() == 1) return &list[0];
  std::string names;
  for (const sema::Simulation& s : list) {
    if (!name.empty() && s.name == name) return &s;
    names += (names.empty() ? "" : ", ") + (s.name.empty() ? std::string("(unnamed)") : s.name);
  }
  why.kind = Kind::which_simulation;
  why.args = {name.empty() ? "the file has " + std::to_string(list.size()) + " `simulate` blocks: say which one to run"
                           : "there is no `simulate` block `" + printable(name) + "`"};
  why.help = "the blocks are " + names;
  return nullptr;
}

}  // namespace

RunResult Program::simulate(const RunOptions& options, const Observer& observer) {
  const kernel::StrictFloatingPoint strict;
  RunResult result;
  Diagnostic why;
  const SourceSet& sources = impl_->compilation.sources;
  sema::Simulation fallback;  // of a file without blocks, over a span that is given
  fallback.end = 1;
  fallback.step = 1e-3;
  const sema::Simulation* simulation = ok() ? choose(impl_->build.simulations(), options.simulation, why) : nullptr;
  if (simulation) {
    impl_->shape_for(*simulation);
    simulation = ok() ? choose(impl_->build.simulations(), options.simulation, why) : nullptr;
  }
  if (ok() && !simulation && options.span && impl_->build.simulations().empty()) simulation = &fallback;
  if (!simulation) {
    result.status = Status::model_error;
    if (ok()) {
      result.diagnostic = api::to_info(why, sources);
      result.rendered = render_text(why, sources);
    } else {  // of the model, or of its equations as this block wants them
      const std::vector<DiagnosticInfo> found = diagnostics();
      if (!found.empty()) result.diagnostic = found.front();
      result.rendered = render_diagnostics();
    }
    return result;
  }
  runtime::SimulateOptions settings = api::settings_of(*simulation, options);
  settings.watch = impl_->watch;
  std::vector<double> y = options.state.empty() ? impl_->initial() : options.state;
  if (y.size() != impl_->compilation.formulated.layout.n_y()) {  // of another representation of the bodies, say
    result.status = Status::model_error;
    result.rendered = "the state given has " + std::to_string(y.size()) + " entries, that of the model " +
                      std::to_string(impl_->compilation.formulated.layout.n_y()) + "\n";
    return result;
  }
  const std::vector<double> given = settings.assemble ? y : std::vector<double>();
  impl_->complete_inertia(settings.begin, y);
  runtime::Equations& equations = impl_->watch ? impl_->ready_for_tests() : impl_->ready();
  equations.set_inputs(impl_->inputs);
  result.simulation = simulation->name;
  result.integrator = api::integrator_text(*simulation);
  result.formulation = api::choice_text(simulation->formulation);
  result.stabilise = api::stabilise_text(*simulation);
  if (!simulation->integrator.written) result.chosen_for_user.push_back("integrator = " + result.integrator);
  if (!simulation->formulation.written) result.chosen_for_user.push_back("formulation = " + result.formulation);
  if (impl_->build.has_bodies() && simulation->bodies.written)
    result.formulation += std::string(", bodies ") + simulation->bodies.name();
  if (!simulation->stabilise.written) result.chosen_for_user.push_back("stabilise = " + result.stabilise);
  result.begin = settings.begin;
  result.step = settings.step;
  result.end = settings.begin + static_cast<double>(settings.steps) * settings.step;

  equations.forget_engine();
  equations.expect_calls(api::expected_calls(settings));
  if (!impl_->interpret)
    settings.fused =
        impl_->fused.for_run(settings, impl_->compilation, impl_->info, impl_->build.options(), *impl_->native);
  result.engine = api::engine_text(equations.engines_used(), impl_->native.get());
  const auto begin = std::chrono::steady_clock::now();
  if (options.state.empty() && impl_->soft_values) {
    const InitialState start = initial(settings.begin, settings.assemble);
    result.reached = settings.begin;
    if (!api::take(start, y, result)) return result;
  }
  const runtime::RunData data =
      runtime::simulate(equations, impl_->info, settings, y, [&](double t, std::span<const double> values) {
        return !observer || observer({t, values, y});
      });
  equations.set_inputs(impl_->inputs);  // what `drive` did ends with the run
  result.engine = api::engine_text(equations.engines_used(), impl_->native.get());
  result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  switch (data.status) {
    case runtime::RunStatus::complete:
      result.status = Status::complete;
      break;
    case runtime::RunStatus::inconsistent:
      result.status = Status::inconsistent;
      break;
    case runtime::RunStatus::stopped:
      result.status = Status::stopped;
      break;
    case runtime::RunStatus::output_failed:
      result.status = Status::output_failed;
      break;
    case runtime::RunStatus::interrupted:
      result.status = Status::interrupted;
      break;
  }
  for (const Diagnostic& w : data.warnings) {
    result.warnings.push_back(api::to_info(w, sources));
    result.rendered += render_text(w, sources);
  }
  if (data.diagnostic) {
    result.diagnostic = api::to_info(*data.diagnostic, sources);
    result.rendered += render_text(*data.diagnostic, sources);
  }
  result.steps = data.steps;
  result.adaptive = settings.integrator == runtime::Integrator::dopri5;
  result.rejected = data.rejected;
  result.smallest_step = data.smallest_step;
  result.largest_step = data.largest_step;
  result.violation = {"", data.violation.position, data.violation.velocity, data.violation.acceleration};
  result.renewals = data.renewals;
  result.rows = data.rows;
  result.evaluations = data.evaluations;
  result.reached = data.reached;
  result.rank = data.start.rank;
  for (std::size_t k = 0; k < data.start.rows.size(); ++k)
    if (data.start.rows[k].state != runtime::RowState::independent)
      result.dependent_rows.push_back(impl_->info.rows[k].name);
  for (const runtime::RankEvent& e : data.rank_events)
    result.rank_changes.push_back({e.t, e.rank_before, e.rank_after, e.rows});
  result.smallest_distance = data.smallest_distance;
  for (std::size_t k = 0; k < data.not_unique.size(); ++k)
    if (data.not_unique[k]) result.reactions_not_unique.push_back(impl_->info.outputs[k].name);
  result.constraints.reserve(data.residuals.size());
  for (std::size_t k = 0; k < data.residuals.size(); ++k) {
    ConstraintReport c{impl_->info.rows[k].name, {}, {}, data.residuals[k].acceleration};
    if (impl_->info.rows[k].level == runtime::RowLevel::position) c.position = data.residuals[k].position;
    if (impl_->info.rows[k].level != runtime::RowLevel::acceleration) c.velocity = data.residuals[k].velocity;
    result.constraints.push_back(std::move(c));
  }
  if (equations.layout().quasi) impl_->build.restore_model();
  api::describe_speeds(impl_->compilation, impl_->info, *impl_->build.options().formulation, data, result);
  const kernel::SystemLayout& layout = equations.layout();
  const formulate::FormulationSizes sizes = impl_->build.options().formulation->sizes(
      {layout.n_coordinates, layout.n_speeds, static_cast<std::size_t>(data.start.rank),
       layout.quasi ? layout.quasi->n_momenta : 0});
  result.equations = sizes.equations;
  result.unknowns = sizes.unknowns;
  result.states = sizes.states + impl_->info.states.size();
  result.energy_begin = data.energy_balance.begin;
  result.energy_end = data.energy_balance.end;
  result.work_of_loads = data.energy_balance.work_of_loads;
  result.work_of_constraints = data.energy_balance.work_of_constraints;
  for (std::size_t k = 0; k < data.energy_balance.works.size(); ++k)
    result.works.emplace_back(impl_->works[k], data.energy_balance.works[k]);
  result.balance_error = data.energy_balance.error;
  result.largest_correction = data.largest_correction;
  if (data.assembly.made) {
    result.chosen_for_user.push_back("initial state assembled: moved by " +
                                     text::short_number(data.assembly.moved[0], 3) + " (positions) and " +
                                     text::short_number(data.assembly.moved[1], 3) + " (velocities), mass-weighted");
    result.assembled = api::moves_between(impl_->model(), given, data.assembly.state);
  }
  result.state = std::move(y);
  return result;
}

std::vector<TestInfo> Program::tests() const {
  std::vector<TestInfo> out;
  for (const sema::Test& t : impl_->model().tests) out.push_back(api::test_info(impl_->compilation, t));
  return out;
}

TestResult Program::run_test(std::size_t index, const volatile std::sig_atomic_t* stop) {
  const kernel::StrictFloatingPoint strict;
  const sema::Simulation& block = impl_->model().simulations[impl_->model().tests.at(index).simulation];
  const double begin = block.begin;
  impl_->shape_for(block);
  if (ok()) impl_->complete_inertia(begin, impl_->initial());
  TestResult result;
  if (!ok()) {  // the model cannot be had as the block wants it
    result.run.status = Status::model_error;
    result.rendered = render_diagnostics();
    return result;
  }
  const sema::Test& test = impl_->model().tests.at(index);
  result.test = api::test_info(impl_->compilation, test);
  runtime::CheckRun run = api::check_run(impl_->model(), test, impl_->ready_for_tests());
  const std::shared_ptr<void> no_longer(nullptr, [this](void*) { impl_->watch = {}; });
  impl_->watch = [&run](double t, bool last, const double* y, double* dy) { run.row(t, last, y, dy); };
  RunOptions options;
  options.simulation = result.test.simulation;
  options.stop = stop;
  result.run = simulate(options, {});
  for (const Diagnostic& d : api::failures(impl_->model(), test, run)) {
    result.failures.push_back(api::to_info(d, impl_->compilation.sources));
    result.rendered += render_text(d, impl_->compilation.sources);
  }
  result.passed = result.failures.empty() && result.run.status == Status::complete;
  if (result.run.diagnostic) result.failures.push_back(*result.run.diagnostic);
  result.rendered += result.run.rendered;
  return result;
}

}  // namespace mbc
