// SPDX-License-Identifier: Apache-2.0
#include "api/analysis/sweep_member.h"

#include <algorithm>
#include <cmath>

#include "api/model/equation_variant.h"
#include "base/check.h"
#include "base/diagnostics/render.h"
#include "base/numbers.h"
#include "compiler/formulate/partials.h"
#include "compiler/formulate/steps/step.h"
#include "compiler/sema/check_values.h"
#include "runtime/constraints/initial_state.h"
#include "runtime/equations/light_spins.h"
#include "runtime/run/check_run.h"
#include "runtime/run/simulate.h"

namespace mbc::api {

std::string reason_of(const DiagnosticInfo& d) {
  std::string out = d.code + ": " + d.message.substr(0, d.message.find('\n'));
  if (d.time) out += " (at t = " + text::short_number(*d.time, 10) + ")";
  return out;
}

namespace {

bool is_extreme(const problem::RunValue& v) {
  return v.kind == problem::RunValue::Kind::minimum || v.kind == problem::RunValue::Kind::maximum;
}

}  // namespace

SweepCode::SweepCode(const lower::System& system, formulate::FormulateOptions options,
                     std::optional<kernel::StepShape> shape, NativeCode* native, bool at_once)
    : system_(system),
      options_(std::move(options)),
      shape_(std::move(shape)),
      interpreted_(native == nullptr),
      code_(native, at_once) {
  options_.step_parts = shape_.has_value();
}

SweepCode::Form& SweepCode::form(std::size_t rows) {
  const std::lock_guard lock(mutex_);
  if (forms_[rows]) return *forms_[rows];
  formulate::FormulateOptions options = options_;
  options.inertia_rows = static_cast<InertiaRows>(rows);
  forms_[rows] = std::make_unique<Form>();
  Form& made = *forms_[rows];
  made.formulated = formulate::formulate(system_, options);
  if (shape_ && rows == 0) made.step = formulate::rk4_in_lanes(made.formulated.kernel, made.formulated.layout, *shape_);
  return made;
}

std::unique_ptr<runtime::Equations> SweepCode::equations(std::size_t rows) {
  Form& f = form(rows);
  const kernel::Kernel& kernel = f.formulated.kernel;
  if (rows > 0 && !f.formulated.too_large.empty()) return nullptr;
  return std::make_unique<runtime::Equations>(kernel, f.formulated.layout, code_.source(f.slots, kernel));
}

const runtime::PartialsCode& SweepCode::partials() {
  Form& f = form(0);
  const std::lock_guard lock(mutex_);
  if (partials_) return *partials_;
  partials_ = std::make_unique<runtime::PartialsCode>();
  partials_->partials = formulate::formulate_partials(
      system_, f.formulated.layout,
      options_.contacts_apart ? kernel::PartialsScope::loads : kernel::PartialsScope::rates);
  partials_->at_once = code_.at_once();
  partials_->start = code_.starter(f.slots, partials_->partials.kernel);
  return *partials_;
}

const runtime::JetCode& SweepCode::jets(std::size_t rows, std::uint32_t order, bool all_rows) {
  Form& f = form(rows);
  const std::lock_guard lock(mutex_);
  const auto [at, fresh] = f.jets.try_emplace({order, all_rows});
  runtime::JetCode& out = at->second;
  if (!fresh) return out;
  out = jet_code(f.formulated, order, all_rows, code_.at_once());
  if (out.jet) out.start = code_.starter(f.slots, out.jet->kernel);
  return out;
}

bool SweepCode::has_lanes() { return shape_ && form(0).step.has_value(); }

std::unique_ptr<runtime::Batch> SweepCode::batch(const problem::Problem& info, double calls) {
  Form& f = form(0);
  const kernel::Function& step = f.step->kernel.functions.front();
  std::shared_ptr<const kernel::NativeSlot> slot;
  if (!interpreted_ && (code_.at_once() || calls >= kernel::calls_worth_compiling(kernel::size_of(step), true)))
    slot = code_.slot(f.slots, f.step->kernel, step);
  return std::make_unique<runtime::Batch>(*f.step, info, std::move(slot));
}

std::vector<double> SweepPlan::values(std::uint64_t member) const {
  std::vector<double> out;
  const std::vector<std::uint64_t> at = sweep.indices(member);
  for (std::size_t k = 0; k < at.size(); ++k) out.push_back(sweep.varied[k].value(at[k]));
  return out;
}

std::vector<kernel::StepShape::Extreme> SweepPlan::extremes() const {
  std::vector<kernel::StepShape::Extreme> out;
  const std::uint32_t first = model().first_probe();
  for (const problem::RunValue& v : sweep.run_values)
    if (is_extreme(v)) out.push_back({first + v.probe, v.kind == problem::RunValue::Kind::maximum});
  return out;
}

SweepWorker::SweepWorker(const SweepPlan& plan, sema::Model& model, SweepCode& code, double calls, unsigned jobs)
    : plan_(plan),
      code_(code),
      written_(model),
      params_(written_.parameters({})),
      initial_(model),
      problem_(initial_.at(params_)) {
  if (plan.begins) {
    alone_ = std::make_unique<Simulation::Impl>(*plan.begins, plan.model().simulations[plan.sweep.simulation].name);
    if (!alone_->variant_for(alone_->chosen_block()).ok()) alone_.reset();
  }
  const bool lanes = code_.has_lanes();
  seats_ = std::vector<Seat>(lanes ? runtime::Batch::kLanes : 1);
  for (Seat& seat : seats_) seat.equations[0] = code_.equations(0);
  if (lanes)  // four right-hand sides for each step
    batch_ = code_.batch(plan_.info, calls / (4 * runtime::Batch::kLanes));
  else
    seats_.front().equations[0]->engines().expect_calls(calls / jobs);
}

kernel::EnginesUsed SweepWorker::engines_used() const {
  kernel::EnginesUsed out;
  const auto add = [&out](const kernel::EnginesUsed& used) {
    out.native = out.native || used.native;
    out.interpreter = out.interpreter || used.interpreter;
  };
  if (batch_) add(batch_->engines_used());
  if (batch_ && batch_->steps_alone() == 0) return out;
  for (const Seat& seat : seats_)
    for (const auto& equations : seat.equations)
      if (equations) add(equations->engines().used());
  return out;
}

void SweepWorker::fail(SweepMember& out, Status status, const Diagnostic& why) const {
  out.status = status;
  out.diagnostic = to_info(why, plan_.compilation.sources);
  out.reason = reason_of(*out.diagnostic);
}

// Sets parameters, inputs and initial values of the member, and makes the checks of their values that elaboration
// makes.
bool SweepWorker::take_values(Seat& seat) {
  const sema::Model& model = plan_.model();
  SweepMember& out = seat.out;
  std::vector<std::pair<std::uint32_t, double>> set;
  for (std::size_t k = 0; k < out.varied.size(); ++k)
    if (const sema::Varied& v = plan_.sweep.varied[k]; !v.input && !v.fixed)
      set.emplace_back(plan_.sweep.varied[k].index, out.varied[k]);
  params_ = written_.parameters(set);
  inputs_ = written_.inputs(params_);
  for (std::size_t k = 0; k < out.varied.size(); ++k)
    if (plan_.sweep.varied[k].input) inputs_[plan_.sweep.varied[k].index] = out.varied[k];
  Sink sink;
  sema::check_masses(model, params_, sink);
  if (!sink.has_errors()) sema::check_initial_values(model, params_, sink);
  if (sink.has_errors()) {
    fail(out, Status::model_error, sink.sorted().front());
    return false;
  }
  if (!plan_.settings.assemble)
    if (const std::optional<Diagnostic> apart = drawn_apart(model, params_)) {
      fail(out, Status::inconsistent, *apart);
      return false;
    }
  seat.y = written_.initial(params_, seat.equations[0]->layout().n_y());
  return true;
}

// Chooses the first form whose mass matrix is not singular at the start, as a single run does
// (Simulation::Impl::complete_inertia).
void SweepWorker::choose_form(Seat& seat) {
  constexpr auto kLight = static_cast<std::size_t>(InertiaRows::light);
  for (seat.form = 0;;) {
    if (!seat.equations[seat.form]) seat.equations[seat.form] = code_.equations(seat.form);
    runtime::Equations& e = *seat.equations[seat.form];
    e.forget();
    e.reaction_dependent().set(runtime::reaction_dependent_of(plan_.info.events));
    e.set_params(params_);
    e.set_inputs(inputs_);
    if (const problem::Events& events = plan_.info.events; !events.empty())
      e.discrete_state(events).assign(events.discrete.at_start(params_));
    const kernel::SystemLayout& l = e.layout();
    const bool particles_only = plan_.model().bodies.empty() && l.diagonal_mass() && l.mass.size() == l.n_speeds;
    if (seat.form == kLight || particles_only || !code_.adds_inertia_rows()) return;
    runtime::Assembled s;
    const double t = plan_.settings.begin;
    const bool complete = e.has_inertia(t, seat.y.data(), s);
    const bool light = complete && runtime::has_light_spins(e, plan_.info, t, seat.y.data());
    e.forget();
    const std::optional<InertiaRows> rows = formulate::more_rows(static_cast<InertiaRows>(seat.form), complete, light);
    if (!rows) return;
    const auto next = static_cast<std::size_t>(*rows);
    if (!seat.equations[next]) seat.equations[next] = code_.equations(next);
    if (!seat.equations[next]) return;  // too large with these rows: the run reports the missing inertia
    seat.form = next;
  }
}

// Moves soft initial values onto the constraints, and with `assemble` all others (Simulation::initial). Undefined
// values are left to the run, which finds their cause.
bool SweepWorker::meet_constraints(Seat& seat) {
  if (!has_soft_values(plan_.model()) && !plan_.settings.assemble) return true;
  if (alone_) return begin_as_run(seat);
  runtime::Equations& equations = *seat.equations[seat.form];
  const double t = plan_.settings.begin;
  const bool assemble = plan_.settings.assemble;
  runtime::ConstraintProjector projector(equations, plan_.info);
  problem_.stop = plan_.settings.stop;
  const runtime::AssemblyResult soft = runtime::assemble(equations, plan_.info, problem_, projector, t, seat.y);
  std::optional<Diagnostic> why = soft.diagnostic;
  if (!why || assemble)
    why = runtime::check_initial_state(equations, plan_.info, projector, t, seat.y, assemble, problem_).diagnostic;
  equations.forget();
  if (!why || why->kind == Kind::undefined_value) return true;
  if (problem_.stopped())
    seat.out.status = Status::interrupted;
  else
    fail(seat.out, Status::inconsistent, *why);
  return false;
}

bool SweepWorker::begin_as_run(Seat& seat) {
  Simulation::Impl& run = *alone_;
  run.set_params.clear();
  run.set_inputs.clear();
  for (std::size_t k = 0; k < seat.out.varied.size(); ++k) {
    const sema::Varied& v = plan_.sweep.varied[k];
    if (v.fixed) continue;
    const std::vector<Quantity>& named = run.facts().parameters;  // in another order, if `--vary` has made some of them
    const auto at = std::find_if(named.begin(), named.end(), [&](const Quantity& q) { return q.name == v.name; });
    CHECK(v.input || at != named.end(), "both models have the parameters that are varied");
    if (v.input)
      run.set_inputs.emplace_back(v.index, seat.out.varied[k]);
    else
      run.set_params.emplace_back(static_cast<std::uint32_t>(at - named.begin()), seat.out.varied[k]);
  }
  run.begin_anew();
  run.update_params();
  const InitialState begun = run.initial(plan_.settings.begin, plan_.settings.assemble, plan_.settings.stop);
  if (begun.consistent || begun.diagnostic->kind == "undefined_value") {
    if (begun.consistent) seat.y = begun.state;
    return true;
  }
  seat.out.status = is_set(plan_.settings.stop) ? Status::interrupted : Status::inconsistent;
  if (seat.out.status == Status::interrupted) return false;
  seat.out.diagnostic = begun.diagnostic;
  seat.out.reason = reason_of(*seat.out.diagnostic);
  return false;
}

// Prepares the recording of the member during its run.
void SweepWorker::watch(Seat& seat) {
  runtime::Equations& equations = *seat.equations[seat.form];
  const runtime::CheckPlaces places{plan_.model().first_probe(), plan_.model().first_run_value()};
  seat.gathered =
      std::make_unique<runtime::CheckRun>(plan_.sweep.run_values, std::vector<problem::Check>{}, places, equations);
  seat.recorded.clear();
  seat.row.clear();
  seat.member = {&equations,
                 &seat.y,
                 plan_.settings,
                 [&seat, columns = plan_.sweep.records.empty()](double, std::span<const double> values) {
                   if (columns) seat.row.assign(values.begin(), values.end());
                   return true;
                 },
                 {}};
  seat.member.options.partials = [this]() -> const runtime::PartialsCode& { return code_.partials(); };
  seat.member.options.jets = [this, &seat](std::uint32_t order, bool all_rows) -> const runtime::JetCode& {
    return code_.jets(seat.form, order, all_rows);
  };
  for (std::size_t k = 0; k < plan_.sweep.run_values.size(); ++k)
    if (is_extreme(plan_.sweep.run_values[k])) seat.member.extremes.push_back(seat.gathered->extreme(k));
  if (plan_.sweep.records.empty()) return;
  seat.member.options.watch = [this, first = places.first_probe, &seat, &equations](double t, bool last,
                                                                                    const double* y, double* dy) {
    seat.gathered->row(t, last, y, dy);
    if (!last) return;
    for (const sema::SweepRecord& r : plan_.sweep.records)
      seat.recorded.push_back(equations.output_values()[first + r.probe]);
  };
}

void SweepWorker::finish(Seat& seat, const runtime::RunData& data) {
  SweepMember& out = seat.out;
  if (data.status == runtime::RunStatus::interrupted) {
    out.status = Status::interrupted;
    return;
  }
  if (data.status != runtime::RunStatus::complete)
    return fail(out, data.status == runtime::RunStatus::inconsistent ? Status::inconsistent : Status::stopped,
                data.diagnostic.value());
  out.recorded = std::move(seat.recorded);
  for (std::size_t c : plan_.columns) out.recorded.push_back(seat.row[c]);
  check_records(out);
}

// Reports undefined recorded values as the failure of their member.
void SweepWorker::check_records(SweepMember& out) const {
  for (std::size_t k = 0; k < out.recorded.size() && out.reason.empty(); ++k) {
    if (std::isfinite(out.recorded[k])) continue;
    Diagnostic d;
    d.kind = Kind::record_undefined;
    d.args = {printable(plan_.names[k]), text::number(out.recorded[k])};
    fail(out, Status::complete, d);
  }
}

// Returns false if the member fails before its run.
bool SweepWorker::prepare(Seat& seat, std::uint64_t member) {
  seat.out = {};
  seat.out.number = member + 1;
  seat.out.varied = plan_.values(member);
  if (!take_values(seat)) return false;
  choose_form(seat);
  if (!meet_constraints(seat)) return false;
  watch(seat);
  return true;
}

std::vector<SweepMember> SweepWorker::run(std::uint64_t first, std::uint64_t count) {
  std::vector<Seat*> together;
  for (std::uint64_t k = 0; k < count; ++k) {
    Seat& seat = seats_[k];
    if (!prepare(seat, first + k)) continue;
    runtime::Batch::Member& m = seat.member;
    if (batch_ && seat.form == 0)
      together.push_back(&seat);
    else
      finish(seat, runtime::simulate(*m.equations, plan_.info, m.options, *m.y, m.record));
  }
  if (!together.empty()) {
    std::vector<runtime::Batch::Member> members;
    for (const Seat* seat : together) members.push_back(seat->member);
    const std::vector<runtime::RunData> data = batch_->run(members);
    for (std::size_t k = 0; k < together.size(); ++k) finish(*together[k], data[k]);
  }
  std::vector<SweepMember> out;
  for (std::uint64_t k = 0; k < count; ++k) out.push_back(std::move(seats_[k].out));
  return out;
}

}  // namespace mbc::api
