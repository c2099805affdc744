#include "runtime/api/sweep_member.h"

#include <cmath>

#include "compiler/diagnostics/render.h"
#include "compiler/sema/check_values.h"
#include "runtime/api/describe.h"
#include "runtime/initial_state.h"
#include "runtime/output/numbers.h"
#include "runtime/test_run.h"

namespace mbc::api {

using formulate::InertiaRows;

namespace {

// "E0602: these constraints contradict each other: a, b (at t = 0.5)"
std::string reason_of(const DiagnosticInfo& d) {
  std::string out = d.code + ": " + d.message.substr(0, d.message.find('\n'));
  if (d.time) out += " (at t = " + output::short_number(*d.time, 10) + ")";
  return out;
}

}  // namespace

SweepCode::SweepCode(const lower::System& system, formulate::FormulateOptions options, NativeCode* native, bool at_once)
    : system_(system), options_(std::move(options)), native_(native), at_once_(at_once) {}

// One for all workers, whoever asks first.
std::shared_ptr<const runtime::NativeSlot> SweepCode::slot_of(Form& form, const kernel::Function& function) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const runtime::NativeSlot>& slot = form.functions[function.name];
  if (slot) return slot;
  const kernel::Kernel& kernel = form.formulated.kernel;
  if (at_once_)
    slot = std::make_shared<runtime::NativeSlot>(native_->compile_now(kernel, function));
  else
    slot = native_->start(kernel, function);
  return slot;
}

std::unique_ptr<runtime::Equations> SweepCode::equations(std::size_t rows) {
  Form* form = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (!forms_[rows]) {
      formulate::FormulateOptions options = options_;
      options.inertia_rows = static_cast<InertiaRows>(rows);
      forms_[rows] = std::make_unique<Form>();
      forms_[rows]->formulated = formulate::formulate(system_, options);
    }
    form = forms_[rows].get();
  }
  if (rows > 0 && !form->formulated.too_large.empty()) return nullptr;
  runtime::Compiler compiler;
  if (native_ && at_once_)
    compiler = [this, form](const kernel::Function& f) { return slot_of(*form, f)->load(std::memory_order_acquire); };
  auto made = std::make_unique<runtime::Equations>(form->formulated.kernel, form->formulated.layout, compiler);
  if (native_ && !at_once_)
    made->compile_in_background([this, form](const kernel::Function& f) { return slot_of(*form, f); });
  return made;
}

std::vector<double> SweepPlan::values(std::uint64_t member) const {
  std::vector<double> out(sweep.varied.size());
  for (std::size_t k = sweep.varied.size(); k-- > 0;) {
    out[k] = sweep.varied[k].value(member % sweep.varied[k].count);
    member /= sweep.varied[k].count;
  }
  return out;
}

SweepWorker::SweepWorker(const SweepPlan& plan, sema::Model& model, SweepCode& code)
    : plan_(plan), code_(code), params_(sema::parameter_values(model)), problem_(assembly_problem(model, params_)) {
  equations_[0] = code_.equations(0);
}

runtime::EnginesUsed SweepWorker::engines_used() const {
  runtime::EnginesUsed out;
  for (const auto& equations : equations_) {
    if (!equations) continue;
    const runtime::EnginesUsed used = equations->engines_used();
    out.native = out.native || used.native;
    out.interpreter = out.interpreter || used.interpreter;
  }
  return out;
}

void SweepWorker::fail(SweepMember& out, Status status, const Diagnostic& why) const {
  out.status = status;
  out.diagnostic = to_info(why, plan_.compilation.sources);
  out.reason = reason_of(*out.diagnostic);
}

// Parameters, inputs and initial values of the member; what elaboration checks of them.
bool SweepWorker::take_values(SweepMember& out) {
  const sema::Model& model = plan_.model();
  std::vector<std::pair<std::uint32_t, double>> set;
  for (std::size_t k = 0; k < out.varied.size(); ++k)
    if (!plan_.sweep.varied[k].input) set.emplace_back(plan_.sweep.varied[k].index, out.varied[k]);
  params_ = sema::parameter_values(model, set);
  std::vector<graph::NodeId> nodes;
  for (const sema::Input& i : model.inputs) nodes.push_back(i.value);
  inputs_ = sema::constant_values(model, nodes, params_);
  for (std::size_t k = 0; k < out.varied.size(); ++k)
    if (plan_.sweep.varied[k].input) inputs_[plan_.sweep.varied[k].index] = out.varied[k];
  Sink sink;
  sema::check_masses(model, params_, sink);
  if (!sink.has_errors()) sema::check_initial_values(model, params_, sink);
  if (sink.has_errors()) {
    fail(out, Status::model_error, sink.sorted().front());
    return false;
  }
  y_ = initial_values();
  return true;
}

std::vector<double> SweepWorker::initial_values() const {
  const sema::Model& model = plan_.model();
  std::vector<graph::NodeId> nodes;
  for (const sema::Coordinate& c : model.coordinates) nodes.push_back(c.initial);
  for (const sema::Speed& s : model.speeds) nodes.push_back(s.initial);
  for (const sema::State& s : model.states) nodes.push_back(s.initial);
  std::vector<double> y = sema::constant_values(model, nodes, params_);
  y.resize(equations_[0]->layout().n_y(), 0.0);
  return y;
}

// The first form whose mass matrix is not singular at the start, as a run by itself finds it (Build::complete_inertia).
runtime::Equations& SweepWorker::choose_form() {
  for (std::size_t rows = 0;; ++rows) {
    if (!equations_[rows]) equations_[rows] = code_.equations(rows);
    runtime::Equations& e = *equations_[rows];
    e.forget();
    e.set_params(params_);
    e.set_inputs(inputs_);
    const formulate::SystemLayout& l = e.layout();
    const bool particles_only = plan_.model().bodies.empty() && l.diagonal_mass() && l.mass.size() == l.n_speeds;
    if (rows == 2 || particles_only || !code_.adds_inertia_rows()) return e;
    runtime::Assembled s;
    const bool complete = e.has_inertia(plan_.settings.begin, y_.data(), s);
    e.forget();
    if (complete) return e;
    if (!equations_[rows + 1]) equations_[rows + 1] = code_.equations(rows + 1);
    if (!equations_[rows + 1]) return e;  // too large with them: the run says that there is no inertia
  }
}

// Moves soft initial values onto the constraints (Program::initial). What is undefined is left to the run, which
// looks for its cause.
bool SweepWorker::meet_constraints(runtime::Equations& equations, SweepMember& out) {
  if (!has_soft_values(plan_.model())) return true;
  const double t = plan_.settings.begin;
  const bool assemble = plan_.settings.assemble;
  runtime::Projector projector(equations, plan_.info);
  const runtime::AssemblyResult soft = runtime::assemble(equations, plan_.info, problem_, projector, t, y_);
  std::optional<Diagnostic> why = soft.diagnostic;
  if (!why || assemble)
    why = runtime::check_initial_state(equations, plan_.info, projector, t, y_, assemble).diagnostic;
  equations.forget();
  if (!why || why->kind == Kind::undefined_value) return true;
  fail(out, Status::inconsistent, *why);
  return false;
}

void SweepWorker::integrate(runtime::Equations& equations, SweepMember& out) {
  const sema::Model& model = plan_.model();
  const auto first = static_cast<std::uint32_t>(model.outputs.size());  // the recorded values stand behind them
  std::vector<runtime::RunValuePlan> run_values;
  for (std::uint32_t k = 0; k < plan_.sweep.run_values.size(); ++k)
    run_values.push_back({static_cast<runtime::RunValuePlan::Kind>(plan_.sweep.run_values[k].kind),
                          first + plan_.sweep.run_values[k].watched, model.first_run_value() + k});
  runtime::TestRun gathered(std::move(run_values), {}, equations);
  runtime::SimulateOptions settings = plan_.settings;
  std::vector<double> recorded, row;
  if (!plan_.sweep.records.empty())
    settings.watch = [&](double t, bool last, const double* y, double* dy) {
      gathered.row(t, last, y, dy);
      if (!last) return;
      for (const sema::SweepRecord& r : plan_.sweep.records)
        recorded.push_back(equations.output_values()[first + r.watched]);
    };
  const bool columns = plan_.sweep.records.empty();
  const runtime::RunData data =
      runtime::simulate(equations, plan_.info, settings, y_, [&](double, std::span<const double> values) {
        if (columns) row.assign(values.begin(), values.end());
        return true;
      });
  if (data.status == runtime::RunStatus::interrupted) {
    out.status = Status::interrupted;
    return;
  }
  if (data.status != runtime::RunStatus::complete)
    return fail(out, data.status == runtime::RunStatus::inconsistent ? Status::inconsistent : Status::stopped,
                data.diagnostic.value());
  out.recorded = std::move(recorded);
  for (std::size_t c : plan_.columns) out.recorded.push_back(row[c]);
}

// What is undefined stays in its member, and is said there.
void SweepWorker::check_records(SweepMember& out) const {
  for (std::size_t k = 0; k < out.recorded.size() && out.reason.empty(); ++k) {
    if (std::isfinite(out.recorded[k])) continue;
    Diagnostic d;
    d.kind = Kind::record_undefined;
    d.args = {printable(plan_.names[k]), output::number(out.recorded[k])};
    fail(out, Status::complete, d);
  }
}

SweepMember SweepWorker::run(std::uint64_t member) {
  SweepMember out;
  out.number = member + 1;
  out.varied = plan_.values(member);
  if (!take_values(out)) return out;
  runtime::Equations& equations = choose_form();
  if (!meet_constraints(equations, out)) return out;
  integrate(equations, out);
  if (out.status == Status::complete) check_records(out);
  return out;
}

}  // namespace mbc::api
