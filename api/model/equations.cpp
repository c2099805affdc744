// SPDX-License-Identifier: Apache-2.0
// Equations of a model in the form that a host asks for.
#include "mbc/equations.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "api/model/equation_variant.h"
#include "api/model/family.h"
#include "api/model/guard.h"
#include "base/diagnostics/render.h"
#include "base/numbers.h"
#include "base/text.h"
#include "compiler/equations/model_text.h"
#include "compiler/equations/program.h"
#include "compiler/equations/typeset.h"
#include "compiler/sema/overrides.h"
#include "mbc/simulation.h"

namespace mbc {

namespace {

using Form = EquationsRequest::Form;

Error no_such_name(const api::EquationVariant& variant, const equations::UnknownSelection& unknown,
                   const std::string& where_names_are, bool colour) {
  Sink sink;
  sink.report(Kind::unknown_name, Span{}, unknown.name)
      .hint(did_you_mean(unknown.name, unknown.known, where_names_are));
  Error error{ErrorCode::no_such_name, render_text(sink, variant.sources(), {colour})};
  if (error.message.ends_with('\n')) error.message.pop_back();
  error.diagnostics.push_back(to_info(sink.sorted().front(), variant.sources()));
  return error;
}

// Returns the language of a form that is source code.
std::optional<reading::Language> language_of(Form form) {
  using reading::Language;
  // The entries follow the order of the enumerators.
  static constexpr std::optional<Language> kLanguages[] = {
      {}, {}, {}, {}, Language::c, Language::python, Language::octave, Language::sympy, Language::julia, {}};
  static_assert(std::size(kLanguages) == static_cast<std::size_t>(Form::mbd) + 1);
  return kLanguages[static_cast<std::size_t>(form)];
}

std::string title_of(const api::EquationVariant& variant) {
  const std::string& name = variant.sources()[0].name();
  return printable(name.substr(name.rfind('/') + 1));
}

std::string json_of(const equations::Document& document) {
  nlohmann::ordered_json sections = nlohmann::ordered_json::array();
  for (const equations::PrintedSection& s : equations::printed(document)) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const equations::PrintedEquation& e : s.equations) {
      nlohmann::ordered_json& made = list.emplace_back();
      const std::pair<const char*, const std::string*> members[] = {
          {"label", &e.label}, {"left", &e.left},   {"right", &e.right}, {"total", &e.total},  {"latex", &e.latex},
          {"unit", &e.unit},   {"where", &e.where}, {"for", &e.range},   {"remark", &e.remark}};
      for (const auto& [name, text] : members)
        if (!text->empty()) made[name] = *text;
    }
    sections.push_back({{"key", s.key}, {"title", s.title}, {"equations", list}, {"notes", s.notes}});
  }
  return nlohmann::ordered_json{{"model", document.title}, {"sections", sections}}.dump(2) + "\n";
}

Result<std::string> latex_of(const equations::Document& document, bool fragments) {
  std::string text = equations::as_latex(document, fragments);
  if (const std::string letter = equations::letter_beyond_latex(text); !letter.empty())
    return Error{ErrorCode::invalid_argument,
                 "LaTeX has no `" + letter + "` in its usual fonts: rename it, or take `--markdown` or text"};
  return text;
}

// A text of the model without its line ends.
std::string on_one_line(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::string out;
  for (std::string word; words >> word;) out += (out.empty() ? "" : " ") + word;
  return out;
}

// Says what a name is that is no parameter; "" where it is nothing.
std::string kind_of(const sema::Model& model, const std::string& name) {
  const auto any = [&](const auto& list) {
    return std::any_of(list.begin(), list.end(), [&](const auto& one) { return one.name == name; });
  };
  if (any(model.inputs)) return "an input";
  if (any(model.coordinates)) return "a coordinate";
  if (any(model.speeds)) return "a speed";
  return any(model.states) ? "a state" : "";
}

struct Start {
  std::vector<double> y;  // empty: the initial values as they are written
  std::string about;      // what a reader of the values has to know
};

// The state where the first block begins, with soft values moved onto the constraints.
Result<std::vector<double>> assembled(const Model& model) {
  const auto assembles = [](const sema::Model& m) { return !m.simulations.empty() && m.simulations.front().assemble; };
  const bool assemble = assembles(model.state()->variant->analysis().tree().model());
  Result<Simulation> simulation = Simulation::create(model);
  if (!simulation) return simulation.error();
  Result<InitialState> start = simulation->initial(simulation->time(), assemble);
  if (!start) return start.error();
  if (!start->consistent) return Error{ErrorCode::model_error, start->diagnostic ? start->diagnostic->message : ""};
  return std::move(start->state);
}

Start start_of(const Model& model) {
  Start out;
  if (Result<std::vector<double>> y = assembled(model))
    out.y = *std::move(y);
  else
    out.about = "The initial values are those that are written: " + on_one_line(y.error().message) + ". ";
  if (const std::optional<TimeSpan> span = model.time_span(""); span && span->begin != 0)
    out.about += "It begins at t = " + text::number(span->begin) + ".";
  return out;
}

// Momenta of a large model take longer than they are worth here.
constexpr std::size_t kMostForMomenta = 60;

Result<std::string> made(const Model& model, const EquationsRequest& request) {
  const api::EquationVariant& variant = *model.state()->variant;
  equations::Request wanted{request.of, {}, request.derivation, request.form != Form::mbd};
  std::string about_start;
  if (request.form == Form::mbd) {  // before the tree is taken, which a simulation asks for
    Start start = start_of(model);
    wanted.start = std::move(start.y);
    about_start = std::move(start.about);
  }
  const api::AnalysedText::Tree tree = variant.analysis().tree();
  const sema::Model& known = tree.model();
  const std::vector<double> values = sema::parameter_values(known);
  for (const std::string& name : request.numbers) {
    const auto found =
        std::find_if(known.params.begin(), known.params.end(), [&](const sema::Param& p) { return p.name == name; });
    if (found == known.params.end()) {
      if (const std::string what = kind_of(known, name); !what.empty())
        return Error{ErrorCode::invalid_argument,
                     "`" + name + "` is " + what + ", which changes: only parameters are written as numbers"};
      std::vector<std::string> names;
      for (const sema::Param& p : known.params) names.push_back(p.name);
      return no_such_name(variant, {name, names}, "`mbc info FILE` lists the parameters", request.colour);
    }
    const auto index = static_cast<std::size_t>(found - known.params.begin());
    wanted.numbers[static_cast<std::uint32_t>(index)] = values[index];
  }
  if (const std::optional<reading::Language> language = language_of(request.form)) {
    equations::Program program =
        equations::program_of({known, tree.compilation.system, wanted.numbers, title_of(variant)}, *language);
    if (!program.refusal.empty()) return Error{ErrorCode::invalid_argument, program.refusal};
    return std::move(program.text);
  }
  const bool small = known.speeds.size() <= kMostForMomenta;
  const SourceSet& sources = variant.sources();
  const auto text = [&](Span span) {
    return on_one_line(sources.text(span)) + (request.places ? ", at " + sources.where(span) : "");
  };
  std::optional<equations::UnknownSelection> unknown;
  equations::Document document = equations::document_of(
      {known, tree.compilation.system, *variant.wanted().method, small ? &momenta_of(tree.compilation) : nullptr, text},
      wanted, unknown);
  if (unknown) return no_such_name(variant, *unknown, "`mbc equations FILE` shows all of them", request.colour);
  document.title = title_of(variant);
  document.about_start = std::move(about_start);
  switch (request.form) {
    case Form::text:
      return equations::as_text(document, request.ascii);
    case Form::latex:
      return latex_of(document, request.fragments);
    case Form::markdown:
      return equations::as_markdown(document);
    case Form::json:
      return json_of(document);
    case Form::mbd:
      return equations::as_model_text(document);
    case Form::c:
    case Form::python:
    case Form::octave:
    case Form::sympy:
    case Form::julia:
      break;
  }
  return Error{ErrorCode::internal, "no such form"};
}

}  // namespace

Result<std::string> model_equations(const Model& model, const EquationsRequest& request) {
  if (!model.ok()) return Error{ErrorCode::model_error, model.render_diagnostics()};
  return api::guarded([&] { return made(model, request); });
}

}  // namespace mbc
