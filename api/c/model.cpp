// SPDX-License-Identifier: Apache-2.0
// Models of mbc_c.h.
#include "api/c/objects.h"
#include "mbc/equations.h"

using namespace mbc;

namespace {

std::vector<Quantity> entries_of(const Model& model, mbc_list list) {
  // The entries are those of MBC_PARAMETERS to MBC_COLUMNS.
  static constexpr std::vector<Quantity> (Model::*kLists[])()
      const = {&Model::parameters, &Model::inputs,  &Model::coordinates, &Model::speeds,
               &Model::states,     &Model::outputs, &Model::columns};
  if (list <= MBC_COLUMNS) return (model.*kLists[list])();
  std::vector<Quantity> out;
  if (list == MBC_SIMULATIONS || list == MBC_DISCRETE) {
    const std::vector<std::string> names =
        list == MBC_DISCRETE ? Simulation::create(model).value().discrete_names() : model.simulations();
    for (const std::string& name : names) out.push_back({name, "", ""});
    return out;
  }
  const ModelInfo info = model.info(false).value();
  if (list == MBC_CONSTRAINTS)
    for (const ConstraintInfo& c : info.constraints) out.push_back({c.name, "", c.description});
  if (list == MBC_EVENTS)
    for (const EntityInfo& e : info.events)
      if (!e.name.empty()) out.push_back({e.name, "", e.description});
  return out;
}

// Returns null if there is no such list, or no memory for it.
const std::vector<Quantity>* list_of(mbc_model* model, mbc_list list) noexcept {
  if (model == nullptr) return c::no_object("the model"), nullptr;
  const std::vector<Quantity>* found = nullptr;
  c::enter(model->failure, [&]() -> Result<void> {
    if (list < MBC_PARAMETERS || list > MBC_DISCRETE) return c::wrong("there is no list " + std::to_string(list));
    auto& made = model->lists[static_cast<std::size_t>(list)];
    if (!made) made = c::NamedList{entries_of(model->model, list)};
    found = &made->entries;
    return {};
  });
  return found;
}

const char* text_of(mbc_model* model, mbc_list list, std::size_t index, std::string Quantity::*which) noexcept {
  const std::vector<Quantity>* entries = list_of(model, list);
  if (entries == nullptr) return nullptr;
  if (index < entries->size()) return ((*entries)[index].*which).c_str();
  c::fail(model->failure, MBC_OUT_OF_RANGE, "the list has no such entry");
  return nullptr;
}

// Returns a text that is made on first use; "" for NULL.
template <class Make>
const char* text_of(mbc_model* model, std::optional<std::string> mbc_model::*which, Make&& make) noexcept {
  if (model == nullptr) return c::no_object("the model"), "";
  const mbc_code code = c::enter(model->failure, [&]() -> Result<void> {
    if (!(model->*which)) model->*which = make(model->model);
    return {};
  });
  return code == MBC_OK ? (*(model->*which)).c_str() : "";
}

Result<EquationsRequest> request_of(const std::string& form) {
  using Form = EquationsRequest::Form;
  struct NamedForm {
    const char* name;
    Form form;
    bool ascii, fragments;
  };
  static constexpr NamedForm kForms[] = {{"text", Form::text, false, false},
                                         {"ascii", Form::text, true, false},
                                         {"latex", Form::latex, false, false},
                                         {"fragments", Form::latex, false, true},
                                         {"markdown", Form::markdown, false, false},
                                         {"json", Form::json, false, false},
                                         {"c", Form::c, false, false},
                                         {"python", Form::python, false, false},
                                         {"octave", Form::octave, false, false},
                                         {"sympy", Form::sympy, false, false},
                                         {"julia", Form::julia, false, false},
                                         {"mbd", Form::mbd, false, false}};
  std::string names;
  for (const NamedForm& known : kForms) {
    names += (names.empty() ? "" : ", ") + std::string(known.name);
    if (known.name != form) continue;
    EquationsRequest request;
    request.form = known.form;
    request.ascii = known.ascii;
    request.fragments = known.fragments;
    return request;
  }
  return c::wrong("equations have no form `" + form + "`: it is one of " + names);
}

Result<mbc_model*> checked(const Model& model) {
  if (model.ok()) return new mbc_model(model);
  return Error{ErrorCode::model_error, c::message_of(model.render_diagnostics()), model.diagnostics()};
}

}  // namespace

extern "C" {

mbc_model* mbc_model_from_file(const char* path, const mbc_compile_options* options) {
  return c::make<mbc_model>({{path, "the path"}}, [&]() -> Result<mbc_model*> {
    const Result<CompileOptions> how = c::compile_options(options);
    return how ? checked(Model::from_file(path, *how)) : how.error();
  });
}

mbc_model* mbc_model_from_text(const char* text, const char* name, const mbc_compile_options* options) {
  return c::make<mbc_model>({{text, "the text"}}, [&]() -> Result<mbc_model*> {
    const Result<CompileOptions> how = c::compile_options(options);
    return how ? checked(Model::from_string(text, c::text_or(name, "model"), *how)) : how.error();
  });
}

mbc_model* mbc_model_copy(const mbc_model* model) {
  return c::make<mbc_model>({{model, "the model"}},
                            [&]() -> Result<mbc_model*> { return new mbc_model(model->model); });
}

mbc_model* mbc_model_from_simulation(const mbc_simulation* simulation) {
  return c::make<mbc_model>({{simulation, "the simulation"}},
                            [&]() -> Result<mbc_model*> { return new mbc_model(simulation->simulation.model()); });
}

void mbc_model_free(mbc_model* model) { delete model; }

const char* mbc_model_message(const mbc_model* model) { return model != nullptr ? model->failure.message.c_str() : ""; }

const char* mbc_model_warnings(mbc_model* model) {
  return text_of(model, &mbc_model::warnings, [](const Model& m) { return m.render_diagnostics_json(); });
}

size_t mbc_model_count(mbc_model* model, mbc_list list) {
  const std::vector<Quantity>* entries = list_of(model, list);
  return entries != nullptr ? entries->size() : 0;
}

const char* mbc_model_name(mbc_model* model, mbc_list list, size_t index) {
  return text_of(model, list, index, &Quantity::name);
}
const char* mbc_model_unit(mbc_model* model, mbc_list list, size_t index) {
  return text_of(model, list, index, &Quantity::unit);
}
const char* mbc_model_description(mbc_model* model, mbc_list list, size_t index) {
  return text_of(model, list, index, &Quantity::description);
}

mbc_code mbc_model_index(mbc_model* model, mbc_list list, const char* name, size_t* index) {
  if (model == nullptr) return c::no_object("the model");
  const std::vector<Quantity>* entries = list_of(model, list);
  if (entries == nullptr) return model->failure.code;
  return c::enter(model->failure, {{name, "the name"}, {index, "the place for the index"}}, [&]() -> Result<void> {
    const std::string wanted = name;
    // Its error has advice for unknown names.
    if (list == MBC_PARAMETERS) return c::put(model->model.parameter_index(wanted), index);
    const auto found =
        std::find_if(entries->begin(), entries->end(), [&](const Quantity& q) { return q.name == wanted; });
    if (found == entries->end()) return Error{ErrorCode::no_such_name, "there is no `" + wanted + "` in the list"};
    *index = static_cast<std::size_t>(found - entries->begin());
    return {};
  });
}

size_t mbc_model_state_size(const mbc_model* model) { return model != nullptr ? model->model.state_size() : 0; }

const char* mbc_model_time_unit(mbc_model* model) {
  return text_of(model, &mbc_model::time_unit, [](const Model& m) { return m.time_unit(); });
}
const char* mbc_model_about(mbc_model* model) {
  return text_of(model, &mbc_model::about, [](const Model& m) { return m.info(false).value().description; });
}
const char* mbc_model_text(mbc_model* model) {
  return text_of(model, &mbc_model::text, [](const Model& m) { return m.source_text(); });
}

mbc_code mbc_model_equations(mbc_model* model, const char* form, const char* const* of, size_t of_count,
                             const char* const* numbers, size_t numbers_count, int32_t derivation, const char** text) {
  if (model == nullptr) return c::no_object("the model");
  return c::enter(model->failure, {{form, "the form"}, {text, "the place for the text"}}, [&]() -> Result<void> {
    Result<EquationsRequest> request = request_of(form);
    if (!request) return request.error();
    Result<std::vector<std::string>> selected = c::texts(of, of_count, "the selection");
    if (!selected) return selected.error();
    Result<std::vector<std::string>> written = c::texts(numbers, numbers_count, "the list of numbers");
    if (!written) return written.error();
    request->of = *std::move(selected);
    request->numbers = *std::move(written);
    request->derivation = request->places = derivation != 0;
    Result<std::string> made = model_equations(model->model, *request);
    if (!made) return made.error();
    model->equations = *std::move(made);
    *text = model->equations.c_str();
    return {};
  });
}

mbc_code mbc_model_time_span(mbc_model* model, const char* simulation, double* begin, double* end, double* step) {
  if (model == nullptr) return c::no_object("the model");
  return c::enter(model->failure, [&]() -> Result<void> {
    const std::optional<TimeSpan> span = model->model.time_span(c::text_or(simulation));
    if (!span) return Error{ErrorCode::no_such_name, "there is no such `simulate` block, or not only one"};
    if (begin != nullptr) *begin = span->begin;
    if (end != nullptr) *end = span->end;
    if (step != nullptr) *step = span->step;
    return {};
  });
}
}
