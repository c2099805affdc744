// SPDX-License-Identifier: Apache-2.0
#include "api/model/equation_variant.h"

#include <algorithm>

#include "compiler/formulate/jets/jet.h"
#include "runtime/record/series_order.h"

namespace mbc::api {

namespace {

// Compiling a step takes milliseconds for the smallest systems, and its time grows faster than the length of the step.
// The time that it saves in every step does not grow faster than that length.
constexpr std::uint64_t kFewestSteps = 20'000, kStepsAnInstruction = 200;

}  // namespace

runtime::JetCode jet_code(const formulate::Formulated& formulated, std::uint32_t order, bool all_rows, bool at_once) {
  runtime::JetCode out;
  const char* name = all_rows && formulated.kernel.function("fast_rhs") ? "fast_rhs" : "rhs";
  formulate::MadeJet made = formulate::jet_of(formulated.kernel, formulated.layout.n_y(), name, order);
  out.jet = std::move(made.jet);
  out.refused = std::move(made.refused);
  out.at = made.at;
  out.at_once = at_once;
  return out;
}

EquationVariant::EquationVariant(std::shared_ptr<AnalysedText> analysis, const Wanted& wanted, const CodeOptions& how,
                                 std::shared_ptr<NativeCode> native)
    : analysis_(std::move(analysis)),
      wanted_(wanted),
      how_(how),
      native_(std::move(native)),
      sink_(analysis_->sink()),
      code_(how.interpret ? nullptr : native_.get(), how.native_at_once) {
  if (!ok()) return;
  equations_ = analysis_->formulate(wanted);
  if (too_large())
    sink_.report(Kind::too_many_rows, analysis_->too_many_at(), std::to_string(analysis_->n_rows()),
                 equations_.formulated.too_large);
  if (ok() && info().rows.size() > kernel::kMaxDenseRows && facts().soft_values)
    sink_.report(Kind::too_many_rows, info().rows.back().span, std::to_string(info().rows.size()),
                 "soft initial values are assembled with a full matrix, of at most " +
                     std::to_string(kernel::kMaxDenseRows) + " rows");
}

std::unique_ptr<runtime::Equations> EquationVariant::equations(const std::vector<double>& params) const {
  return equations_of(equations_.formulated, slots_, params);
}

std::unique_ptr<runtime::Equations> EquationVariant::check_equations(const std::vector<double>& params) const {
  {
    const std::lock_guard lock(mutex_);
    if (!checks_) checks_ = std::make_unique<formulate::Formulated>(analysis_->formulate_checks(equations_.options));
  }
  return equations_of(*checks_, check_slots_, params);
}

std::unique_ptr<runtime::Equations> EquationVariant::equations_of(const formulate::Formulated& formulated,
                                                                  FunctionCode::Slots& slots,
                                                                  const std::vector<double>& params) const {
  const kernel::Kernel& kernel = formulated.kernel;
  auto made = std::make_unique<runtime::Equations>(kernel, formulated.layout, code_.source(slots, kernel), params);
  made->reaction_dependent().set(runtime::reaction_dependent_of(info().events));
  return made;
}

// Derivatives for questions are interpreted: a question evaluates them a few times.
const runtime::PartialsCode& EquationVariant::partials(kernel::PartialsScope scope) const {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<runtime::PartialsCode>& made = partials_[static_cast<std::size_t>(scope)];
  if (made) return *made;
  made = std::make_unique<runtime::PartialsCode>();
  made->partials = analysis_->partials(layout(), scope);
  if (scope == kernel::PartialsScope::manifold) return *made;
  made->at_once = how_.native_at_once;
  made->start = code_.starter(slots_, made->partials.kernel);
  return *made;
}

const runtime::JetCode& EquationVariant::jets(std::uint32_t order, bool all_rows) const {
  const std::lock_guard lock(mutex_);
  const auto [at, fresh] = jets_.try_emplace({order, all_rows});
  runtime::JetCode& out = at->second;
  if (!fresh) return out;
  out = jet_code(equations_.formulated, order, all_rows, how_.native_at_once);
  if (out.jet) out.start = code_.starter(slots_, out.jet->kernel);
  return out;
}

bool EquationVariant::can_fuse(const runtime::SimulateOptions& run) const {
  return equations_.formulated.unrolled && !facts().large && runtime::steps_can_be_fused(run, info());
}

std::vector<kernel::Kernel> EquationVariant::parts(const runtime::SimulateOptions& run) const {
  std::vector<kernel::Kernel> parts;
  const auto add = [&parts](const kernel::Kernel& kernel) {
    for (const kernel::Function& f : kernel.functions) parts.push_back(NativeCode::part_of(kernel, f));
  };
  add(kernel());
  if ((run.chooses_steps() || run.time_stepping) && !facts().large) add(partials(run.partials_scope()).partials.kernel);
  if (run.integrator == Integrator::taylor)
    for (const bool all_rows : {true, false})
      if (const auto& jet = jets(runtime::series_order(run), all_rows).jet) add(jet->kernel);
  if (!can_fuse(run)) return parts;
  if (const auto step = analysis_->step(runtime::step_shape(run, info()), equations_.options)) add(step->kernel);
  return parts;
}

// All simulations share one object, which lives as long as the variant, like their native code.
runtime::FusedCode* EquationVariant::fused_code(const runtime::SimulateOptions& run) const {
  if (how_.interpret || !can_fuse(run)) return nullptr;
  const std::lock_guard lock(mutex_);
  std::unique_ptr<runtime::FusedCode>& code = steps_[run.stabilisation == Stabilisation::project ? 1 : 0];
  if (code) return code.get();
  const std::uint64_t length = kernel::size_of(*kernel().function("rhs")).code;
  code = std::make_unique<runtime::FusedCode>(
      [this, shape = runtime::step_shape(run, info())] {
        runtime::FusedCode::Made made;
        made.step = analysis_->step(shape, equations_.options);
        if (made.step) made.slot = code_.start(made.step->kernel, made.step->kernel.functions.front());
        return made;
      },
      std::max(kFewestSteps, kStepsAnInstruction * length));
  return code.get();
}

}  // namespace mbc::api
