// SPDX-License-Identifier: Apache-2.0
#include "api/simulation/simulation_impl.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "api/model/expression.h"
#include "api/model/info.h"
#include "api/model/settings.h"
#include "base/diagnostics/render.h"
#include "runtime/constraints/determined_rows.h"
#include "runtime/contact/joint_rest.h"
#include "runtime/contact/loaded_share.h"
#include "runtime/equations/representation_state.h"
#include "runtime/record/recording.h"

namespace mbc {

Simulation::Impl::Impl(Model of, std::string name) : model(std::move(of)), block(std::move(name)) {
  params = facts().written.parameters({});
  inputs = facts().written.inputs(params);
  begin_anew();
}

std::unique_ptr<Simulation::Impl> Simulation::Impl::copy() const {
  auto made = std::make_unique<Impl>(model, block);
  made->set_params = set_params;
  made->set_inputs = set_inputs;
  made->update_params();
  return made;
}

std::unique_ptr<Simulation::Impl> Simulation::Impl::in_quaternions() const {
  // Bodies that joints carry have no coordinates of their own that a state could be handed over by.
  if (facts().bodies == settings::Representation::tree) return nullptr;
  if (!runtime::bodies_differ_from_quaternions(facts().info)) return nullptr;
  std::shared_ptr<const api::EquationVariant> other = model.state()->family->in_quaternions(variant());
  if (!other->ok() || other->too_large()) return nullptr;
  std::unique_ptr<Impl> made = copy();
  made->adopt(std::move(other));
  made->update_params();
  return made;
}

// ---- moving

Error Simulation::Impl::error_of(const Diagnostic& d) const {
  Error error;
  error.code = ErrorCode::stopped;
  error.message = render_text(d, sources(), {variant().how().colour});
  if (error.message.ends_with('\n')) error.message.pop_back();
  error.diagnostics.push_back(to_info(d, sources()));
  return error;
}

Result<void> Simulation::Impl::check_values() {
  if (values_checked || set_params.empty()) return {};
  if (const std::optional<Diagnostic> refused = facts().host_values.refused(params)) {
    Error error = error_of(*refused);
    error.code = ErrorCode::model_error;
    return error;
  }
  values_checked = true;
  return {};
}

Error Simulation::Impl::error_of(const runtime::RunData& data) const {
  Error error = data.diagnostic ? error_of(*data.diagnostic) : Error{};
  if (!data.diagnostic && data.status == runtime::RunStatus::interrupted) error.message = "the motion was interrupted";
  error.code = data.status == runtime::RunStatus::inconsistent  ? ErrorCode::inconsistent
               : data.status == runtime::RunStatus::interrupted ? ErrorCode::interrupted
                                                                : ErrorCode::stopped;
  return error;
}

// Returns a single row. It uses the equations of the current motion, whose rows are those that it has certified.
Result<std::vector<double>> Simulation::Impl::columns() {
  const std::vector<double> at = state();
  const bool of_motion = motion && (decided || !has_contacts());  // otherwise a value was set since
  Result<runtime::Equations*> here = of_motion ? &motion->equations() : equations_at(time, at);
  if (!here) return here.error();
  runtime::Equations& e = **here;
  runtime::ConstraintProjector projector(e, facts().info);
  runtime::RunData data;
  std::vector<double> values, dy(at.size());
  const runtime::Recorder record = [&](double, std::span<const double> row) {
    values.assign(row.begin(), row.end());
    return true;
  };
  const runtime::SimulateOptions settings = api::settings_of(chosen_block(), {});
  runtime::Recording recording(e, projector, facts().info, settings, record, data);
  if (const std::int32_t failed = e.rhs(time, at.data(), dy.data()); failed > 0)
    return Error{ErrorCode::undefined_value, "the motion has no rate here", {}, static_cast<std::size_t>(failed - 1)};
  if (of_motion && motion->rate() != nullptr) dy = *motion->rate();
  if (!recording.row(time, at, dy, false)) return error_of(data);
  return values;
}

std::unique_ptr<api::Motion> Simulation::Impl::make_motion() {
  const sema::Simulation s = chosen_block();
  runtime::SimulateOptions settings = api::settings_of(s, {});
  // The length is that of a whole run.
  const double length = settings.end ? *settings.end - s.begin : static_cast<double>(settings.steps) * settings.step;
  settings.end.reset();
  settings.begin = time;
  settings.stop = stop_flag;
  return std::make_unique<api::Motion>(variant(), std::move(settings), length, params, inputs, held, y, model_exchange);
}

Result<void> Simulation::Impl::move(const std::function<bool(api::Motion&)>& piece) {
  if (Result<void> free = check_free(); !free) return free;
  if (Result<void> fit = check_fit(chosen_block()); !fit) return fit;
  if (Result<void> fit = check_values(); !fit) return fit;
  const bool anew = !motion;
  const std::vector<double> before = state();
  // A motion that failed is not continued; after an exception the state is that before the call.
  struct Unless {
    std::unique_ptr<api::Motion>& motion;
    std::vector<double>& y;
    const std::vector<double>& before;
    bool good = false, ended = false;
    ~Unless() {
      if (!ended) y = before;
      if (!good) motion.reset();
    }
  } kept{motion, y, before};
  if (anew) {
    take_gains();
    complete_inertia(time, y);
    motion = make_motion();
    if (Result<void> native = check_native(); !native) return native;
  }
  kept.good = (!anew || motion->begin()) && piece(*motion);
  if (Result<void> native = check_native(); !native) {
    kept.good = false;
    return native;
  }
  kept.ended = true;
  if (anew && !kept.good && motion->data().steps == 0) y = before;
  time = motion->time();
  take_discrete_state(motion->equations());
  decided = kept.good;
  if (kept.good) return {};
  if (const auto& ended = motion->data().ended_by)
    return Error{ErrorCode::stopped, "the motion has ended: " + printable(*ended)};
  return error_of(motion->data());
}

// Only equations of a block that selects Baumgarte's terms have them; only those of a block with time steps switch
// contacts off in accelerations.
void Simulation::Impl::take_gains() {
  api::Wanted wanted = variant().wanted();
  const bool baumgarte = chosen_block().stabilise.method == settings::Stabilisation::baumgarte;
  const bool apart = chosen_block().contact.method == settings::Contact::timestep;
  if (wanted.baumgarte == baumgarte && wanted.contacts_apart == apart) return;
  wanted.baumgarte = baumgarte;
  wanted.contacts_apart = apart;
  adopt(model.state()->family->with(variant(), wanted));
}

// ---- queries

namespace {

// RhsFunction::call. It makes equations if there are none, and updates the discrete state that events have set since.
std::int32_t plain_rhs(void* context, double t, const double* y, double* dy) noexcept {
  constexpr std::int32_t kNotNow = -1;
  auto& impl = *static_cast<Simulation::Impl*>(context);
  if (impl.running) return kNotNow;
  try {
    runtime::Equations& e = impl.equations && impl.held.empty() && !impl.certified ? *impl.equations : impl.ready();
    if (impl.plain_size == 0) return kNotNow;
    return e.fast_rhs(t, y, dy) ? 0 : e.rhs(t, y, dy);
  } catch (...) {
    return kNotNow;
  }
}

}  // namespace

// External integrators would move the state through contacts and past changes of friction without a report.
Result<RhsFunction> Simulation::Impl::rhs_function() {
  if (has_contacts())
    return Error{
        ErrorCode::invalid_argument,
        "a right-hand side without checks cannot decide which contacts and frictions act: use step() or run(), "
        "and rhs() for single states"};
  plain_size = ready().layout().n_y();
  return RhsFunction{&plain_rhs, this, plain_size};
}

bool Simulation::Impl::has_contacts() const {
  return !facts().info.events.unilaterals.empty() || !facts().info.events.frictions.empty();
}

runtime::Verdict Simulation::Impl::certify(runtime::Equations& e, double t, std::span<const double> at) {
  runtime::ConstraintProjector projector(e, facts().info);
  projector.measure(t, at.data());
  const runtime::SimulateOptions settings = api::settings_of(chosen_block(), {});
  runtime::Certification certification(e, facts().info, projector, settings.rank_tolerance);
  if (variant().layout().quasi || settings.literal) certification.allow_mode_change = false;
  certified = true;
  certified_at.clear();
  runtime::Verdict verdict = certification.begin(t, at.data());
  if (settings.literal) e.solve_literally(settings.rank_tolerance);
  return verdict;
}

Result<runtime::Equations*> Simulation::Impl::equations_at(double t, std::span<const double> at) {
  if (Result<void> fit = check_values(); !fit) return fit.error();
  if (variant().wanted().contacts_apart || made().beyond_dense()) return &ready();
  const runtime::SimulateOptions settings = api::settings_of(chosen_block(), {});
  const bool decides =
      settings.literal || has_contacts() || facts().info.events.equations_vary() || variant().layout().n_rows > 0;
  if (!decides) return &ready();
  const std::vector<double>* discrete = &held;
  if (has_contacts() && (!decided || t != time || !std::equal(at.begin(), at.end(), y.begin(), y.end()))) {
    discrete = discrete_search.find({variant(), settings, params, inputs, held}, t, at);
    if (!discrete) return error_of(discrete_search.failure());
  }
  std::vector<double> key{t};
  key.insert(key.end(), at.begin(), at.end());
  const std::vector<double>* const lists[] = {&params, &inputs, discrete};
  for (const std::vector<double>* list : lists) key.insert(key.end(), list->begin(), list->end());
  const bool known = certified && certified_at == key;
  runtime::Equations& e = known ? made() : ready();
  runtime::use_shared_multipliers(e, facts().info);
  discrete_state(e).assign(*discrete);
  if (known) return &e;
  certify(e, t, at);
  runtime::hold_determined(e, facts().info, t, at.data());
  certified_at = std::move(key);
  return &e;
}

Result<std::vector<double>> Simulation::Impl::outputs_at(double t, std::span<const double> at) {
  Result<runtime::Equations*> here = equations_at(t, at);
  if (!here) return here.error();
  runtime::Equations& e = **here;
  const std::size_t count = facts().info.outputs.size();
  std::vector<double> dy(at.size());
  if (e.rhs(t, at.data(), dy.data()) != 0) return std::vector<double>(count, std::nan(""));
  if (facts().info.multipliers_recorded) runtime::shared_multipliers(e, facts().info, t, at.data());
  e.outputs(t, at.data(), dy.data());
  return std::vector<double>(e.output_values(), e.output_values() + count);
}

Result<RowSet> Simulation::Impl::rows(double t, std::span<const double> at) {
  Result<runtime::Equations*> here = equations_at(t, at);
  if (!here) return here.error();
  runtime::Equations& e = **here;
  const kernel::SystemLayout& l = e.layout();
  std::vector<double> dy(l.n_y());
  const runtime::Verdict verdict = certify(e, t, at);
  e.rhs(t, at.data(), dy.data());
  runtime::shared_multipliers(e, facts().info, t, at.data());
  RowSet out;
  out.multiplier.assign(e.lambda(), e.lambda() + l.n_rows);
  if (const double* ideal = e.ideal()) out.ideal.assign(ideal, ideal + l.n_rows);
  out.n = l.n_speeds;
  out.m = l.n_rows;
  runtime::Assembled s;  // with the reaction-dependent loads that the evaluation of rates found
  e.assemble(t, at.data(), s, false);
  for (std::size_t i = 0; i < out.n; ++i)
    for (std::size_t j = 0; j < out.n; ++j)
      out.M.push_back(s.M(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)));
  for (std::size_t i = 0; i < out.m; ++i)
    for (std::size_t j = 0; j < out.n; ++j)
      out.A.push_back(s.A(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)));
  out.f.assign(s.f.begin(), s.f.end());
  out.b.assign(s.b.begin(), s.b.end());
  out.acceleration.assign(dy.begin() + l.speeds_at(), dy.begin() + l.states_at());
  out.C.assign(out.n, 0);
  if (e.ideal()) {
    const Eigen::Map<const Eigen::VectorXd> a(out.acceleration.data(), s.f.size()),
        lambda(out.multiplier.data(), s.b.size());
    Eigen::Map<Eigen::VectorXd>(out.C.data(), s.f.size()) = s.M * a - s.f - s.A.transpose() * lambda;
  }
  out.rank = verdict.report.rank;
  for (std::size_t k = 0; k < out.m; ++k) {
    out.row_names.push_back(facts().info.rows[k].name);
    if (k < verdict.report.rows.size() && verdict.report.rows[k].state != runtime::RowState::independent)
      out.dependent_rows.push_back(facts().info.rows[k].name);
    out.levels.push_back(api::level_of(facts().info.rows[k].level));
  }
  e.residuals(t, at.data());
  out.position_residual.assign(e.position_residual(), e.position_residual() + l.n_rows);
  out.velocity_residual.assign(e.velocity_residual(), e.velocity_residual() + l.n_rows);
  return out;
}

Result<const api::KeptRows*> Simulation::Impl::rows_kept(double t, std::span<const double> at) {
  std::vector<double> key{t};
  key.insert(key.end(), at.begin(), at.end());
  for (const auto* list : {&params, &inputs, &held}) key.insert(key.end(), list->begin(), list->end());
  if (kept_rows.at == key) return &kept_rows;
  Result<RowSet> made = rows(t, at);
  if (!made) return made.error();
  const std::span<const double> seen = equations->inputs();
  kept_rows = {std::move(key), *std::move(made), {seen.begin(), seen.end()}};
  return &kept_rows;
}

// Columns of bodies that follow from others (`b.omegax` where the speeds are others) have names that are no
// expressions. Errors of an expression (invalid_argument is that of no expression) are not replaced by a value.
Result<Evaluated> Simulation::Impl::value(const std::string& expression, double t, std::span<const double> at) {
  Result<Evaluated> found = value_of(expression, t, at);
  if (found || found.error().code != ErrorCode::invalid_argument) return found;
  const Result<std::size_t> output = model.output_index(expression);
  if (!output) return found;
  const Result<std::vector<double>> outputs = outputs_at(t, at);
  if (!outputs) return outputs.error();
  if (!std::isfinite((*outputs)[*output])) return found;
  Evaluated named;
  named.values = {(*outputs)[*output]};
  named.unit = facts().info.outputs[*output].unit;
  return named;
}

// The discrete state is that of the equations, where sliding frictions have a direction.
Result<Evaluated> Simulation::Impl::value_of(const std::string& expression, double t, std::span<const double> at) {
  return api::value_of(variant(), expression, [&](const api::Needs& needs) -> Result<api::LeafValues> {
    api::LeafValues out;
    out.time = t;
    out.y = at;
    out.params = params;
    out.inputs = inputs;
    out.inputs.insert(out.inputs.end(), held.begin(), held.end());
    const bool decides = has_contacts() && needs.inputs > inputs.size();
    if (!needs.rows && !needs.rates && !decides) return out;
    Result<runtime::Equations*> here = equations_at(t, at);
    if (!here) return here.error();
    runtime::Equations& e = **here;
    if (needs.rates) {
      out.rates.resize(at.size());
      const bool fast = !certified && e.fast_rhs(t, at.data(), out.rates.data());
      if (!fast) e.rhs(t, at.data(), out.rates.data());
    }
    out.inputs.assign(e.inputs().begin(), e.inputs().end());
    if (!needs.rows || e.beyond_dense()) return out;
    const Result<const api::KeptRows*> kept = rows_kept(t, at);
    if (!kept) return kept.error();
    out.accelerations = (*kept)->rows.acceleration;
    out.multipliers = (*kept)->rows.multiplier;
    out.ideal = (*kept)->rows.ideal;
    out.inputs = (*kept)->inputs;
    return out;
  });
}

}  // namespace mbc
