// SPDX-License-Identifier: Apache-2.0
#include "api/model/analysed_text.h"

#include <algorithm>
#include <filesystem>

#include "base/diagnostics/render.h"
#include "base/stopwatch.h"
#include "compiler/formulate/partials.h"
#include "compiler/formulate/steps/step.h"
#include "compiler/lower/describe.h"
#include "compiler/lower/failed_item.h"
#include "compiler/lower/item_name.h"

namespace mbc::api {

namespace {

std::vector<std::string> works_of(const Compilation& c) {
  std::vector<std::string> works;
  for (const std::uint32_t of : c.system.works)
    works.push_back(of == lower::System::kPrescribed ? "prescribed forces" : c.model.constraints[of].name.text());
  return works;
}

TestInfo test_info(const Compilation& compilation, const sema::Test& test) {
  Diagnostic place;  // only used to convert the span to lines and columns
  place.kind = Kind::check_failed;
  place.span = test.span;
  place.args = {""};
  TestInfo out;
  out.title = test.title;
  out.simulation = compilation.model.simulations[test.simulation].name;
  out.place = to_info(place, compilation.sources).place;
  out.checks = test.checks.size();
  return out;
}

}  // namespace

AnalysedText::AnalysedText(std::shared_ptr<const Source> source, std::string text,
                           std::optional<settings::Representation> bodies, std::optional<sema::InputSignals> signals,
                           bool alike)
    : source_(std::move(source)), bodies_(bodies), alike_(alike), signals_(std::move(signals)) {
  c_ = mbc::analyse(source_->name, std::move(text), pipeline_options());
  sink_ = c_.sink;
  if (ok()) gather();
}

AnalysedText::AnalysedText(const std::string& path, const std::string& error) {
  sink_.report(Kind::cannot_read, Span{}, printable(path), error);
}

PipelineOptions AnalysedText::pipeline_options() {
  PipelineOptions options;
  options.set = source_->set;
  options.library = source_->library;
  options.structure.bodies = bodies_;
  options.structure.bodies_alike = alike_;
  options.structure.data = source_->parameters;
  if (signals_) {
    options.structure.simulation = signals_->block;
    options.structure.inputs = signals_->inputs;
  }
  if (source_->facts) options.observed = &observed_;
  return options;
}

void AnalysedText::gather() {
  const sema::Model& m = c_.model;
  facts_.info = lower::describe(m);
  if (!c_.modules.all().empty() || lower::written_many_times(m))
    facts_.info.failed_item = [this](const problem::FailedOperation& f) -> std::optional<problem::ItemPlace> {
      const Tree now = tree();
      return lower::failed_item(now.compilation.system, now.compilation.model, f);
    };
  for (const sema::Param& p : m.params)
    facts_.parameters.push_back({p.name, m.has_units ? sema::to_text(p.dimension) : "", p.doc});
  facts_.works = works_of(c_);
  for (const sema::QuasiVelocity& y : m.quasi_velocities) facts_.quasi_velocities.push_back(y.name);
  facts_.simulations = m.simulations;
  for (const sema::Test& t : m.tests) facts_.tests.push_back(test_info(c_, t));
  facts_.written = WrittenValues(m);
  facts_.host_values = HostValues(m);
  facts_.description = c_.file.description;
  gather_texts();
  facts_.bodies = m.bodies_default;
  const sema::Simulation* block = shaping_block(m.simulations, signals_ ? signals_->block : "");
  facts_.asked_bodies = bodies_ ? *bodies_ : block ? block->bodies.method : settings::usual_representation();
  facts_.bodies_alike = m.bodies_alike;
  facts_.signals = m.signals;
  facts_.has_bodies = !m.bodies.empty();
  facts_.soft_values = has_soft_values(m);
  facts_.large = c_.large;
  too_many_at_ = c_.too_many_at;
  n_rows_ = c_.system.n_rows;
  // Files that the text uses may have changed when it is compiled again.
  may_drop_ = c_.large && c_.modules.all().empty() && !m.reads_files;
}

void AnalysedText::gather_texts() {
  const auto command_line = [](const std::string& name) {
    return name.starts_with(sema::kSetSource) || name.starts_with(sema::kInputSource);
  };
  for (std::uint32_t k = 0; k < sources().size(); ++k) {
    const std::string& name = sources()[k].name();
    if (k > 0 && command_line(name)) continue;
    const auto& modules = c_.modules.all();
    const auto of = std::find_if(modules.begin(), modules.end(), [&](const auto& m) { return m->source == k; });
    ModelText text{k == 0 ? ModelText::Kind::model : ModelText::Kind::file, name, ""};
    if (of != modules.end() && (*of)->standard)
      text = {ModelText::Kind::library, (*of)->name, ""};
    else if (k > 0)
      text.name = loader_name(name, "");
    bool told = false;
    for (const auto& [source, by_command_line] : c_.model.asked_files) {
      if (source != k || of != modules.end()) continue;
      text.name = loader_name(name, by_command_line);
      facts_.texts.push_back(text);
      facts_.sources.push_back(k);
      told = true;
    }
    if (told) continue;
    facts_.texts.push_back(std::move(text));
    facts_.sources.push_back(k);
  }
}

// Returns the name of a file as a loader gets it.
std::string AnalysedText::loader_name(const std::string& path, const std::string& by_command_line) const {
  if (source_->library.loader) return path;
  if (!by_command_line.empty()) return by_command_line;
  return std::filesystem::path(path).lexically_relative(source_->library.root).string();
}

void AnalysedText::drop_model() {
  c_.file = {};
  c_.model = {};
  model_dropped_ = true;
}

void AnalysedText::drop_system() {
  c_.system = {};
  system_dropped_ = true;
}

void AnalysedText::restore() {
  if (!model_dropped_) return;
  const auto begin = Clock::now();
  Compilation again = mbc::analyse(source_->name, text(), pipeline_options());
  c_.file = std::move(again.file);
  c_.modules = std::move(again.modules);
  c_.override_files = std::move(again.override_files);
  c_.overrides = std::move(again.overrides);
  c_.model = std::move(again.model);
  c_.system = std::move(again.system);
  model_dropped_ = system_dropped_ = false;
  c_.times.push_back({"analyse again", seconds_since(begin)});
}

AnalysedText::Tree AnalysedText::tree() {
  std::unique_lock lock(mutex_);
  if (source_) restore();
  return {std::move(lock), c_};
}

Equations AnalysedText::formulate(const Wanted& wanted) {
  const std::lock_guard lock(mutex_);
  const bool again = system_dropped_;
  if (again || (wanted.method->momenta != formulate::Momenta::none && !c_.momenta)) restore();
  Equations out;
  out.options.formulation = wanted.method;
  out.options.baumgarte = wanted.baumgarte;
  out.options.inertia_rows = wanted.inertia_rows;
  out.options.contacts_apart = wanted.contacts_apart;
  for (const lower::MomentumDirection& d : mbc::momenta_for(c_, *wanted.method)) {
    out.options.momenta.push_back(d.speeds);
    out.momenta.push_back(d.name);
  }
  const bool drop = may_drop_ && (again || !formulated_);
  if (drop) {
    drop_model();
    trim(c_);
  }
  const auto begin = Clock::now();
  out.formulated = formulate::formulate(c_.system, out.options);
  out.formulated.kernel.name = source_->name;
  if (!formulated_) c_.times.push_back({"formulate", seconds_since(begin)});
  formulated_ = true;
  if (drop) drop_system();
  trim(c_);
  return out;
}

formulate::Formulated AnalysedText::formulate_checks(const formulate::FormulateOptions& options) {
  const Tree tree = this->tree();
  return formulate::formulate(lower::lower(tree.model(), true), options);
}

kernel::Partials AnalysedText::partials(const kernel::SystemLayout& layout, kernel::PartialsScope scope) {
  const std::lock_guard lock(mutex_);
  if (system_dropped_) restore();
  kernel::Partials made = formulate::formulate_partials(c_.system, layout, scope);
  made.kernel.name = source_->name;
  for (kernel::PartialsLayout::Load& load : made.layout.loads)
    if (!model_dropped_) load.name = lower::item_name(c_.system.parts[load.part], load.item, c_.model);
  return made;
}

std::optional<kernel::StepFunction> AnalysedText::step(const kernel::StepShape& shape,
                                                       formulate::FormulateOptions options) {
  const std::lock_guard lock(mutex_);
  if (system_dropped_) return {};
  options.step_parts = true;
  const formulate::Formulated parts = formulate::formulate(c_.system, options);
  return formulate::rk4_after_rates(parts.kernel, parts.layout, shape);
}

std::vector<PassTime> AnalysedText::times() const {
  const std::lock_guard lock(mutex_);
  return c_.times;
}

void AnalysedText::took(const PassTime& pass) {
  const std::lock_guard lock(mutex_);
  c_.times.insert(c_.times.begin(), pass);
}

Questions* AnalysedText::questions(const Tree& tree, bool colour) {
  if (may_drop_ || !source_) return nullptr;
  if (!questions_ || questions_->tired())
    questions_ = std::make_unique<Questions>(tree.compilation, source_->parameters, colour);
  return questions_->open() ? questions_.get() : nullptr;
}

const InitialProblem& AnalysedText::initial_problem() {
  const Tree tree = this->tree();
  if (!initial_problem_) initial_problem_.emplace(tree.model());
  return *initial_problem_;
}

}  // namespace mbc::api
