// SPDX-License-Identifier: Apache-2.0
// mbc::Model, on top of the compiler's pipeline.
#include "mbc/model.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>

#include "api/model/expression.h"
#include "api/model/family.h"
#include "api/model/guard.h"
#include "api/model/info.h"
#include "api/model/settings.h"
#include "base/diagnostics/render.h"
#include "base/loaded_files.h"
#include "base/read_file.h"
#include "compiler/ast/print_ast.h"

namespace mbc {

namespace {

using api::quantities;
using api::quantity;

template <class List>
Result<std::size_t> index_in(const List& list, const std::string& name, const char* what) {
  for (std::size_t k = 0; k < list.size(); ++k)
    if (list[k].name == name) return k;
  return Error{ErrorCode::no_such_name, "there is no " + std::string(what) + " `" + printable(name) + "`"};
}

// Compiles a model; a mistake in mbc becomes an error of the model and no exception.
template <class Make>
Model compiled(Make&& make) {
  const kernel::StrictFloatingPoint strict;
  auto state = std::make_shared<Model::State>();
  try {
    state->family = make();
    state->variant = state->family->first();
  } catch (const InternalError& e) {
    state->internal_error = api::internal(e).message;
  }
  return Model(std::move(state));
}

Model in_variant(const std::shared_ptr<api::Family>& family, std::shared_ptr<const api::EquationVariant> variant) {
  auto state = std::make_shared<Model::State>();
  state->family = family;
  state->variant = std::move(variant);
  return Model(std::move(state));
}

}  // namespace

const api::Facts& Model::State::facts() const {
  static const api::Facts none;
  return variant ? variant->facts() : none;
}

Error model_error(const Model& model) {
  std::string text = model.render_diagnostics();
  if (!text.empty()) text.pop_back();
  return {ErrorCode::model_error, text.empty() ? "there is no model" : text, model.diagnostics()};
}

Model Model::from_file(const std::string& path, const CompileOptions& options) {
  std::string text, error;
  const auto begin = std::chrono::steady_clock::now();
  if (!read_file(path, text, error)) return compiled([&] { return std::make_shared<api::Family>(path, error); });
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  CompileOptions located = options;
  const std::string folder = std::filesystem::path(path).parent_path().string();
  if (located.folder.empty()) located.folder = folder.empty() ? "." : folder;
  Model model = from_string(text, path, located);
  if (model.state_->variant) model.state_->variant->analysis().took({"read", seconds});
  return model;
}

Model Model::from_string(const std::string& text, const std::string& name, const CompileOptions& options) {
  LoadedFiles::Loader loader;
  std::shared_ptr<LoadedFiles> files;
  if (options.loader) {
    files = std::make_shared<LoadedFiles>(options.loader);
    loader = [files](const std::string& file) { return files->text(file); };
  }
  Model model = compiled([&] {
    return std::make_shared<api::Family>(
        api::Source{
            name, options.set, {options.folder, options.stdlib, std::move(loader)}, options.parameters, options.facts},
        text, options);
  });
  if (files) files->close();
  return model;
}

Model::Model() : state_(std::make_shared<const State>()) {}
Model::Model(std::shared_ptr<const State> state) : state_(std::move(state)) {}

bool Model::ok() const { return state_->ok(); }

std::vector<DiagnosticInfo> Model::diagnostics() const {
  std::vector<DiagnosticInfo> out;
  if (!state_->internal_error.empty()) {
    out.emplace_back().kind = "internal_error";
    out.back().message = state_->internal_error;
  }
  if (!state_->variant) return out;
  for (const Diagnostic& d : state_->variant->sink().sorted()) out.push_back(to_info(d, state_->variant->sources()));
  return out;
}

std::string Model::render_diagnostics(bool colour) const {
  if (!state_->internal_error.empty()) return state_->internal_error + "\n";
  return state_->variant ? render_text(state_->variant->sink(), state_->variant->sources(), {colour}) : "";
}

std::string Model::render_diagnostics_json() const {
  std::string out;
  for (const DiagnosticInfo& d : diagnostics()) out += to_json(d) + "\n";
  return out;
}

Result<Model> Model::shaped(const std::string& simulation) const {
  if (!ok()) return model_error(*this);
  return api::guarded([&]() -> Result<Model> {
    if (const sema::Simulation* s = api::block_named(state_->facts().simulations, simulation))
      return in_variant(state_->family, state_->family->for_block(*state_->variant, *s));
    return Error{ErrorCode::no_such_name, "there is no `simulate` block `" + printable(simulation) + "`"};
  });
}

Result<Model> Model::shaped(const ShapeSettings& settings) const {
  if (!ok()) return model_error(*this);
  return api::guarded([&]() -> Result<Model> {
    api::Wanted wanted = state_->variant->wanted();
    if (settings.formulation) wanted.method = formulate::find_formulation(to_text(*settings.formulation));
    if (settings.baumgarte) wanted.baumgarte = *settings.baumgarte;
    if (settings.inertia_rows) wanted.inertia_rows = *settings.inertia_rows;
    if (!wanted.method) return Error{ErrorCode::invalid_argument, "there is no such formulation"};
    const auto bodies = settings.bodies ? *settings.bodies : state_->facts().bodies;
    return in_variant(state_->family,
                      state_->family->with_bodies(*state_->variant, bodies, wanted, state_->facts().signals));
  });
}

ModelShape Model::shape() const {
  ModelShape out;
  out.bodies = state_->facts().bodies;
  out.formulation = Formulation::udwadia_kalaba;
  out.inertia_rows = InertiaRows::structure;
  if (!state_->variant) return out;
  const auto& wanted = state_->variant->wanted();
  out.formulation = api::formulation(*wanted.method);
  out.baumgarte = wanted.baumgarte;
  out.inertia_rows = wanted.inertia_rows;
  return out;
}

std::vector<Quantity> Model::parameters() const { return state_->facts().parameters; }
std::vector<Quantity> Model::coordinates() const { return quantities(state_->facts().info.coordinates); }
std::vector<Quantity> Model::speeds() const { return quantities(state_->facts().info.speeds); }
std::vector<Quantity> Model::states() const { return quantities(state_->facts().info.states); }
std::vector<Quantity> Model::inputs() const { return quantities(state_->facts().info.inputs); }
std::vector<Quantity> Model::outputs() const { return quantities(state_->facts().info.outputs); }

std::vector<Quantity> Model::columns() const {
  const problem::Problem& info = state_->facts().info;
  std::vector<Quantity> out;
  out.reserve(info.columns.size());
  for (std::size_t k = 0; k < info.columns.size(); ++k) out.push_back(quantity(info.column(k)));
  return out;
}

std::string Model::time_unit() const { return state_->facts().info.time_unit; }
std::size_t Model::coordinate_count() const { return state_->facts().info.coordinates.size(); }
std::size_t Model::constraint_row_count() const {
  const auto& rows = state_->facts().info.rows;
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const problem::Row& row) { return !row.of_body; }));
}
std::size_t Model::column_count() const { return state_->facts().info.columns.size(); }
std::size_t Model::state_size() const { return ok() ? state_->variant->layout().n_y() : 0; }

Result<Quantity> Model::column(std::size_t index) const {
  if (index >= column_count())
    return Error{ErrorCode::out_of_range,
                 "there is no column " + std::to_string(index) + ": there are " + std::to_string(column_count())};
  return quantity(state_->facts().info.column(index));
}

Result<std::size_t> Model::parameter_index(const std::string& name) const {
  Result<std::size_t> found = index_in(state_->facts().parameters, name, "parameter");
  if (found || !ok()) return found;
  if (name.find('.') == std::string::npos) return found;  // not an argument of an instance: no need for the model
  const std::string help = api::help_for_parameter(*state_->variant, name);
  return Error{ErrorCode::no_such_name, found.error().message + (help.empty() ? "" : ": " + help)};
}
Result<std::size_t> Model::input_index(const std::string& name) const {
  return index_in(state_->facts().info.inputs, name, "input");
}
Result<std::size_t> Model::output_index(const std::string& name) const {
  return index_in(state_->facts().info.outputs, name, "output");
}

std::vector<std::string> Model::simulations() const {
  std::vector<std::string> out;
  for (const sema::Simulation& s : state_->facts().simulations) out.push_back(s.name);
  return out;
}

std::optional<TimeSpan> Model::time_span(const std::string& simulation) const {
  const sema::Simulation* s = api::block_named(state_->facts().simulations, simulation);
  if (!s) return {};
  return TimeSpan{s->begin, s->end, s->step};
}

std::string Model::save_path(const std::string& simulation) const {
  const sema::Simulation* s = api::block_named(state_->facts().simulations, simulation);
  return s ? s->save : "";
}

std::vector<TestInfo> Model::tests() const { return state_->facts().tests; }

std::string Model::source_text() const { return state_->variant ? state_->variant->analysis().text() : ""; }

Result<ModelInfo> Model::info(bool momenta) const {
  if (!ok()) return model_error(*this);
  return api::guarded([&]() -> Result<ModelInfo> { return api::model_info(*this, *state_->variant, momenta); });
}

std::vector<PlotInfo> model_plots(const Model& model, const std::string& simulation) {
  const sema::Simulation* s = api::block_named(model.state()->facts().simulations, simulation);
  std::vector<PlotInfo> out;
  const auto column = [](const sema::PlottedColumn& c) { return PlottedColumn{c.name, c.unit}; };
  for (std::size_t k = 0; s && k < s->plots.size(); ++k) {
    PlotInfo made;
    for (const sema::PlottedColumn& c : s->plots[k].curves) made.curves.push_back(column(c));
    if (s->plots[k].over) made.over = column(*s->plots[k].over);
    out.push_back(std::move(made));
  }
  return out;
}

Result<Evaluated> evaluate(const Model& model, const std::string& expression) {
  const std::shared_ptr<const api::EquationVariant>& variant = model.state()->variant;
  if (!variant) return model_error(model);
  for (const Diagnostic& d : variant->sink().sorted())
    if (mbc::info(d.kind).severity == Severity::error && d.kind != Kind::nothing_moves && d.kind != Kind::empty_file)
      return model_error(model);
  return api::guarded([&] { return api::value_of_constants(*variant, expression); });
}

Result<std::vector<double>> Model::value(const std::string& expression) const {
  Result<Evaluated> found = evaluate(*this, expression);
  if (!found) return found.error();
  return std::move(found->values);
}

Result<std::string> Model::emit(Stage stage, const std::string& prefix, const std::string& processor) const {
  if (!ok()) return model_error(*this);
  return api::guarded([&] { return api::emit(*state_->variant, stage, prefix, processor); });
}

bool Model::knows_processor(const std::string& processor) const {
  std::string error;
  const jit::Engine* engine = state_->family ? state_->family->native()->engine(error) : nullptr;
  return !engine || engine->knows_processor(processor);
}

Result<void> Model::check_native() const {
  if (!state_->family || state_->family->how().interpret || !state_->family->how().native_at_once) return {};
  std::string error;
  if (state_->family->native()->available(error)) return {};
  return Error{ErrorCode::no_native_code, "there is no native code: " + error};
}

std::vector<StageTime> Model::stage_times() const {
  std::vector<StageTime> out;
  if (!state_->variant) return out;
  for (const PassTime& t : state_->variant->analysis().times()) out.push_back({t.name, t.seconds, t.background});
  for (const PassTime& t : state_->family->native()->times()) out.push_back({t.name, t.seconds, t.background});
  return out;
}

bool Model::compiling() const { return state_->family && state_->family->native()->busy(); }

std::vector<ModelText> model_texts(const Model& model) {
  const Model::State& state = *model.state();
  if (!state.variant) return {};
  const api::Facts& facts = state.facts();
  std::vector<ModelText> texts = facts.texts;
  for (std::size_t k = 0; k < texts.size(); ++k) texts[k].text = state.variant->sources()[facts.sources[k]].text();
  return texts;
}

std::vector<std::string> model_files(const Model& model) {
  const Model::State& state = *model.state();
  return state.variant ? state.variant->sources().names() : std::vector<std::string>();
}

}  // namespace mbc
