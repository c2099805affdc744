// SPDX-License-Identifier: Apache-2.0
// The data that determines a simulation: the variant of the model, parameters and inputs, the state.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "api/model/initial.h"
#include "api/model/settings.h"
#include "api/simulation/simulation_impl.h"
#include "base/diagnostics/render.h"
#include "runtime/constraints/initial_state.h"
#include "runtime/equations/light_spins.h"
#include "runtime/equations/representation_state.h"

namespace mbc {

// ---- equation variants

Result<void> Simulation::Impl::variant_for(const sema::Simulation& s, bool driven) {
  if (Result<void> fit = check_fit(s); !fit) return fit;
  std::shared_ptr<const api::EquationVariant> wanted =
      model.state()->family->for_block(variant(), s, driven ? s.inputs : inputs_by_host());
  if (!wanted->ok()) {
    auto state = std::make_shared<Model::State>(*model.state());
    state->variant = std::move(wanted);
    return model_error(Model(std::move(state)));
  }
  adopt(std::move(wanted));
  return {};
}

Result<void> Simulation::Impl::check_fit(const sema::Simulation& s) const {
  if (!s.unfit) return {};
  Error why{ErrorCode::model_error, render_text(*s.unfit, sources(), {variant().how().colour}), {}};
  if (why.message.ends_with('\n')) why.message.pop_back();
  why.diagnostics.push_back(to_info(*s.unfit, sources()));
  return why;
}

// A state of another representation of bodies is meaningless in the new one, so the simulation restarts.
void Simulation::Impl::adopt(std::shared_ptr<const api::EquationVariant> wanted) {
  if (wanted.get() == &variant()) return;
  const bool other_state =
      wanted->facts().bodies != variant().facts().bodies || wanted->layout().n_y() != variant().layout().n_y();
  const problem::Quantities held_before = facts().info.held;
  motion.reset();
  discrete_search.forget();
  equations.reset();
  check_equations.reset();
  fused = {};
  auto state = std::make_shared<Model::State>(*model.state());
  state->variant = std::move(wanted);
  model = Model(std::move(state));
  if (other_state) {
    plain_size = 0;
    return begin_anew();
  }
  // The discrete state is kept; other input signals may have added or removed entries.
  const std::vector<double> before = std::exchange(held, discrete_at_start());
  const problem::Quantities& now = facts().info.held;
  for (std::size_t k = 0; k < held.size(); ++k)
    for (std::size_t b = 0; b < std::min(before.size(), held_before.size()); ++b)
      if (now[k].name.text() == held_before[b].name.text()) held[k] = before[b];
}

void Simulation::Impl::complete_inertia(double t, const std::vector<double>& at) {
  std::shared_ptr<const api::EquationVariant> found = model.state()->variant;
  while (found->wanted().inertia_rows != InertiaRows::light && found->wanted().method->adds_inertia_rows) {
    const kernel::SystemLayout& l = found->layout();
    if (!facts().has_bodies && l.diagonal_mass() && l.mass.size() == l.n_speeds) break;
    runtime::Equations probe(found->kernel(), l, {}, params);
    probe.discrete_state(found->facts().info.events).assign(held);
    runtime::Assembled s;
    const bool complete = probe.has_inertia(t, at.data(), s);
    const bool light = complete && runtime::has_light_spins(probe, facts().info, t, at.data());
    api::Wanted wanted = found->wanted();
    const std::optional<InertiaRows> rows = formulate::more_rows(wanted.inertia_rows, complete, light);
    if (!rows) break;
    wanted.inertia_rows = *rows;
    std::shared_ptr<const api::EquationVariant> next = model.state()->family->with(*found, wanted);
    if (next->too_large()) break;  // the run reports the missing inertia
    found = std::move(next);
  }
  adopt(std::move(found));
}

runtime::Equations& Simulation::Impl::ready() {
  runtime::Equations& e = made();
  if (!certified || running) return e;
  // The rows were certified at the state of a query; at other states their rank may be another, and an answer does not
  // depend on earlier ones.
  certified = false;
  std::fill(e.mask.begin(), e.mask.end(), 1.0);
  e.forget();
  return e;
}

runtime::Equations& Simulation::Impl::made() {
  if (equations && !running) discrete_state(*equations).assign(held);
  if (equations) return *equations;
  complete_inertia(0, written_state());
  equations = variant().equations(params);
  certified = false;
  equations->set_inputs(inputs);
  discrete_state(*equations).assign(held);
  const runtime::SimulateOptions settings = api::settings_of(chosen_block(), {});
  if (settings.stabilisation == Stabilisation::baumgarte) equations->set_gains(settings.alpha, settings.beta);
  return *equations;
}

runtime::Equations& Simulation::Impl::ready_for_checks() {
  if (check_equations) return *check_equations;
  check_equations = variant().check_equations(params);
  check_equations->set_inputs(inputs);
  return *check_equations;
}

runtime::FusedStep* Simulation::Impl::fused_for(const runtime::SimulateOptions& run) {
  std::unique_ptr<runtime::FusedStep>& step = fused[run.stabilisation == Stabilisation::project ? 1 : 0];
  if (!step)
    if (runtime::FusedCode* code = variant().fused_code(run)) step = std::make_unique<runtime::FusedStep>(*code);
  return runtime::steps_can_be_fused(run, facts().info) ? step.get() : nullptr;
}

Result<void> Simulation::Impl::check_native() {
  const api::CodeOptions& how = variant().how();
  if (how.interpret || !how.native_at_once) return {};
  const api::NativeCode& native = *variant().native();
  const std::string why = native.unavailable() ? native.note() : native.failure();
  if (why.empty()) return {};
  return Error{ErrorCode::no_native_code, "there is no native code: " + why};
}

// ---- parameters and inputs

void Simulation::Impl::update_params() {
  params = facts().written.parameters(set_params);
  values_checked = false;
  if (fresh) held = discrete_at_start();
  for (const auto* made : {&equations, &check_equations})
    if (*made) (*made)->set_params(params);
  update_inputs();
}

// Declared values are computed from the parameters; values that were set stay. During a run the other inputs keep the
// values of `drive`.
void Simulation::Impl::update_inputs() {
  decided = false;
  const std::vector<double> before = std::exchange(inputs, facts().written.inputs(params));
  for (const auto& [index, value] : set_inputs) inputs[index] = value;
  changed = true;
  for (const auto* made : {&equations, &check_equations}) {
    if (!*made) continue;
    std::vector<double> now = inputs;
    for (std::size_t k = 0; running && k < now.size(); ++k)
      if (inputs[k] == before[k]) now[k] = (*made)->inputs()[k];
    (*made)->set_inputs(now);
  }
  if (motion) motion->set_inputs(inputs);
}

namespace {

void put(std::vector<std::pair<std::uint32_t, double>>& list, std::size_t index, double value) {
  const auto at = static_cast<std::uint32_t>(index);
  std::erase_if(list, [at](const auto& p) { return p.first == at; });
  list.emplace_back(at, value);
}

}  // namespace

// The state does not change, even if it was not requested yet.
Result<void> Simulation::Impl::set_parameter(std::size_t index, double value) {
  if (!running) state();
  const std::vector<std::pair<std::uint32_t, double>> before = set_params;
  put(set_params, index, value);
  motion.reset();
  update_params();
  if (!running) return {};  // others may have to be set as well before these are values of a model
  Result<void> fit = check_values();
  if (!fit) set_params = before, update_params();
  return fit;
}

std::vector<std::string> Simulation::Impl::inputs_by_host() const {
  std::vector<std::string> names;
  for (const auto& [index, value] : set_inputs) names.push_back(facts().info.inputs[index].name);
  return names;
}

// Returns the input as the equations use it: an input with a signal has its value at the present time and state. The
// events of a motion assign held samples; a fresh simulation has no motion yet.
Result<double> Simulation::Impl::input(std::size_t index) {
  const auto& signals = facts().info.input_signals;
  const auto signal = std::find_if(signals.begin(), signals.end(), [&](const auto& c) { return c.input == index; });
  if (signal == signals.end()) return inputs[index];
  if (Result<void> free = check_free(); !free) return free.error();
  if (signal->samples && fresh) {
    const std::span<const double> times = signal->samples->arguments();
    return signal->samples->value(std::clamp(time, times.front(), times.back()), 0);
  }
  const std::vector<double> at = state();
  runtime::Equations& e = ready();
  std::vector<double> rate(at.size());
  e.rhs(time, at.data(), rate.data());
  e.outputs(time, at.data(), rate.data());
  const double value = e.output_values()[facts().info.events.first_value + signal->value];
  if (std::isfinite(value)) return value;
  return Error{ErrorCode::undefined_value,
               "the input `" + printable(facts().info.inputs[index].name) + "` is undefined here",
               {},
               index};
}

// From now on the host sets an input that had a signal.
Result<void> Simulation::Impl::set_input(std::size_t index, double value) {
  const std::vector<std::string>& signals = facts().signals.inputs;
  const std::string name = facts().info.inputs[index].name;
  if (std::find(signals.begin(), signals.end(), name) != signals.end()) {
    if (running)
      return Error{ErrorCode::invalid_argument,
                   "the input `" + printable(name) + "` has a signal in this run: set it before the run begins"};
    state();
    const std::vector<std::pair<std::uint32_t, double>> before = set_inputs;
    put(set_inputs, index, value);
    if (Result<void> shaped = variant_for(chosen_block()); !shaped) {
      set_inputs = before;
      return shaped;
    }
  }
  put(set_inputs, index, value);
  inputs[index] = std::numeric_limits<double>::quiet_NaN();  // `drive` may have changed it
  update_inputs();
  return {};
}

// ---- the state

sema::Simulation Simulation::Impl::chosen_block() const {
  const sema::Simulation* named = api::block_named(facts().simulations, block);
  return named ? *named : api::usual_block();
}

void Simulation::Impl::begin_anew() {
  motion.reset();
  model_exchange = false;
  time = chosen_block().begin;
  fresh = true;
  decided = false;
  held = discrete_at_start();
}

std::vector<double> Simulation::Impl::discrete_at_start() const {
  return facts().info.events.discrete.at_start(params);
}

problem::DiscreteState Simulation::Impl::discrete_state(runtime::Equations& of) const {
  return of.discrete_state(facts().info.events);
}

std::optional<std::size_t> Simulation::Impl::held_index(const std::string& name) const {
  const problem::DiscreteVariables& list = facts().info.events.discrete;
  const auto found = std::find_if(list.begin(), list.end(),
                                  [&](const problem::DiscreteVariable& h) { return h.name == name && h.is_told(); });
  if (found == list.end()) return {};
  return static_cast<std::size_t>(found - list.begin());
}

void Simulation::Impl::take_discrete_state(runtime::Equations& from) {
  if (held.empty()) return;  // there is no discrete state
  held = discrete_state(from).values();
  const problem::DiscreteVariables& variables = facts().info.events.discrete;
  for (std::size_t k = 0; k < held.size(); ++k)  // a mode is constant only within a run
    if (variables[k].use == problem::DiscreteVariable::Use::mode) held[k] = 0;
}

void Simulation::Impl::forget_contacts(std::vector<double>& among) const {
  for (const problem::Unilateral& u : facts().info.events.unilaterals) among[u.active] = 0;
}

const std::vector<double>& Simulation::Impl::state() {
  if (running) return y;  // the equations belong to the run
  if (fresh) y = initial_state();
  fresh = false;
  return y;
}

std::vector<double> Simulation::Impl::written_state() const {
  return facts().written.initial(params, variant().layout().n_y());
}

std::vector<double> Simulation::Impl::initial_state() {
  std::vector<double> given = written_state();
  if (!facts().soft_values) return given;
  if (running) return copy()->initial_state();
  if (const std::unique_ptr<Impl> seen = in_quaternions())
    return runtime::in_representation(seen->facts().info, seen->initial_state(), facts().info);
  runtime::Equations& e = ready();
  runtime::ConstraintProjector projector(e, facts().info);
  runtime::assemble(e, facts().info, variant().analysis().initial_problem().at(params), projector, chosen_block().begin,
                    given);
  return given;
}

// Bodies are assembled in quaternions, whatever their representation: a hard angular velocity turns with the body,
// lengths have no influence on its rotation, and no rotation becomes a reflection.
InitialState Simulation::Impl::initial(double t, bool assemble, const volatile std::sig_atomic_t* stop) {
  const std::vector<double> given = written_state();
  InitialState out;
  if (facts().soft_values || assemble)
    if (const std::unique_ptr<Impl> seen = in_quaternions()) {
      out = seen->initial(t, assemble, stop);
      out.state = runtime::in_representation(seen->facts().info, out.state, facts().info);
      out.moved = api::moves_between(variant().analysis().tree().model(), given, out.state);
      return out;
    }
  runtime::Equations& e = ready();
  e.forget();  // the result does not depend on earlier queries
  out.state = given;
  runtime::ConstraintProjector projector(e, facts().info);
  const auto fail = [&](const Diagnostic& d) {
    out.consistent = false;
    out.diagnostic = to_info(d, sources());
    out.rendered = render_text(d, sources(), {variant().how().colour});
  };
  if (is_drawn_anew() && !assemble)
    if (const std::optional<Diagnostic> d = api::drawn_apart(variant().analysis().tree().model(), params)) {
      fail(*d);
      return out;
    }
  runtime::AssemblyProblem problem = variant().analysis().initial_problem().at(params);
  problem.stop = stop;
  const runtime::AssemblyResult soft = runtime::assemble(e, facts().info, problem, projector, t, out.state);
  out.distance = {soft.distance[0], soft.distance[1]};
  if (soft.diagnostic && !assemble) {
    fail(*soft.diagnostic);
    return out;
  }
  const runtime::InitialCheck check =
      runtime::check_initial_state(e, facts().info, projector, t, out.state, assemble, problem);
  if (check.diagnostic) fail(*check.diagnostic);
  if (check.outcome == runtime::InitialCheck::Outcome::assembled) out.distance = {check.moved[0], check.moved[1]};
  out.moved = api::moves_between(variant().analysis().tree().model(), given, out.state);
  return out;
}

Result<void> Simulation::Impl::check_state(double t, std::span<const double> at) const {
  const std::size_t size = variant().layout().n_y();
  if (!std::isfinite(t)) return Error{ErrorCode::not_finite, "the time is not finite"};
  if (at.size() != size)
    return Error{ErrorCode::wrong_size, "the state given has " + std::to_string(at.size()) +
                                            " entries, that of the model " + std::to_string(size)};
  for (std::size_t k = 0; k < size; ++k)
    if (!std::isfinite(at[k]))
      return Error{ErrorCode::not_finite, "entry " + std::to_string(k) + " of the state is not finite", {}, k};
  return {};
}

Result<void> Simulation::Impl::check_free() const {
  if (!running) return {};
  return Error{ErrorCode::invalid_argument, "a run is in progress: its observer may look at rows and set parameters"};
}

}  // namespace mbc
