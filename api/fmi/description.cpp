// SPDX-License-Identifier: Apache-2.0
#include "api/fmi/description.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "api/fmi/variables.h"
#include "api/simulation/exchange.h"
#include "base/numbers.h"
#include "compiler/sema/expressions/operators.h"
#include "compiler/sema/expressions/unit_text.h"
#include "mbc_version.h"

namespace mbc::fmi {
namespace {

using Kind = Variable::Kind;

// Returns a text as the value of an attribute. Characters that XML 1.0 does not allow are left out.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\n' || c == '\t')
      out += ' ';
    else if (code >= 0x20)
      out += c;
  }
  return out;
}

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + escaped(value) + "\"";
}
std::string attribute(const char* name, double value) { return attribute(name, text::number(value)); }
std::string attribute(const char* name, std::size_t value) { return attribute(name, std::to_string(value)); }

// Returns the unit of a variable, "" if there is none to name.
std::string unit_of(const Variable& v) { return v.unit == "1" ? "" : v.unit; }

// Returns FMI's <BaseUnit kg="1" m="1" s="-2" factor="1000"/> for "kN"; nothing for units with fractional exponents,
// which FMI cannot express. FMI has `rad` for angles, which mbc does not distinguish from numbers.
std::string base_unit(const std::string& unit) {
  const std::optional<ast::Unit> written = sema::parse_unit(unit, {});
  Sink ignored;
  const auto value = written ? sema::unit_value(*written, ignored) : std::nullopt;
  if (!value) return "";
  static constexpr std::array<const char*, sema::Dimension::base_count> kNames = {"kg", "m",   "s", "A",
                                                                                  "K",  "mol", "cd"};
  std::string out = "<BaseUnit";
  for (std::size_t k = 0; k < kNames.size(); ++k) {
    const int twelfths = value->second.exponent[k];
    if (twelfths % sema::Dimension::kDenominator != 0) return "";
    if (twelfths != 0) out += attribute(kNames[k], std::to_string(twelfths / sema::Dimension::kDenominator));
  }
  if (unit == "rad" || unit == "deg") out += attribute("rad", std::size_t{1});
  if (value->first != 1) out += attribute("factor", value->first);
  return out + "/>";
}

class Description {
 public:
  Description(const Model& model, const DescriptionSettings& settings)
      : model_(model),
        settings_(settings),
        made_(variables_of(model, settings.simulation)),
        variables_(made_.list),
        depends_(api::dependencies(model, settings.simulation)) {}

  std::string text() {
    head();
    interface();
    units();
    line(1, "<LogCategories>");
    line(2, "<Category name=\"logStatusError\" description=\"why a call has failed\"/>");
    line(1, "</LogCategories>");
    experiment();
    line(1, "<ModelVariables>");
    for (std::size_t k = 0; k < variables_.size(); ++k) three() ? variable3(k) : variable2(k);
    line(1, "</ModelVariables>");
    structure();
    out_ += "</fmiModelDescription>\n";
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool three() const { return settings_.version == 3; }
  void line(int depth, const std::string& text) { out_ += std::string(2 * depth, ' ') + text + "\n"; }

  void head() {
    out_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription";
    out_ += attribute("fmiVersion", three() ? "3.0" : "2.0") + attribute("modelName", settings_.name);
    out_ += attribute(three() ? "instantiationToken" : "guid", settings_.token);
    const Result<ModelInfo> info = model_.info(false);
    if (info && !info->description.empty()) out_ += attribute("description", info->description);
    out_ += attribute("generationTool", "mbc " MBC_VERSION) + attribute("variableNamingConvention", "flat");
    if (!three()) out_ += attribute("numberOfEventIndicators", made_.indicators.size());
    out_ += ">\n";
  }

  void interface() {
    const std::string state = three() ? "FMUState" : "FMUstate";
    line(1, "<ModelExchange" + attribute("modelIdentifier", settings_.identifier) +
                attribute(("canGetAndSet" + state).c_str(), "true") +
                attribute(("canSerialize" + state).c_str(), "true") + "/>");
    line(1, "<CoSimulation" + attribute("modelIdentifier", settings_.identifier) +
                attribute("canHandleVariableCommunicationStepSize", "true") +
                attribute(("canGetAndSet" + state).c_str(), "true") +
                attribute(("canSerialize" + state).c_str(), "true") + "/>");
  }

  void units() {
    std::map<std::string, std::string> known;
    for (const Variable& v : variables_)
      if (const std::string unit = unit_of(v); !unit.empty()) known.emplace(unit, base_unit(unit));
    if (known.empty()) return;
    line(1, "<UnitDefinitions>");
    for (const auto& [unit, base] : known)
      line(2, "<Unit" + attribute("name", unit) + (base.empty() ? "/>" : ">" + base + "</Unit>"));
    line(1, "</UnitDefinitions>");
  }

  void experiment() {
    if (const std::optional<TimeSpan> span = model_.time_span(settings_.simulation))
      line(1, "<DefaultExperiment" + attribute("startTime", span->begin) + attribute("stopTime", span->end) +
                  attribute("stepSize", span->step) + "/>");
  }

  static std::string causality(const Variable& v) {
    static constexpr std::pair<Kind, const char*> kCausalities[] = {{Kind::time, "independent"},
                                                                    {Kind::parameter, "parameter"},
                                                                    {Kind::calculated, "calculatedParameter"},
                                                                    {Kind::input, "input"},
                                                                    {Kind::output, "output"}};
    for (const auto& [kind, text] : kCausalities)
      if (v.kind == kind) return text;
    return "local";
  }

  [[nodiscard]] std::string common(std::size_t k) const {
    const Variable& v = variables_[k];
    const bool parameter = v.kind == Kind::parameter || v.kind == Kind::calculated;
    return attribute("name", v.name) + attribute("valueReference", k) + attribute("causality", causality(v)) +
           attribute("variability", parameter ? "tunable" : "continuous") +
           (v.description.empty() ? "" : attribute("description", v.description));
  }

  // FMI 3 identifies the state of a derivative by its value reference, FMI 2 by its position, from 1.
  [[nodiscard]] std::string real(const Variable& v) const {
    const std::string unit = unit_of(v);
    std::string out = unit.empty() ? "" : attribute("unit", unit);
    if (v.state && v.nominal != 1) out += attribute("nominal", v.nominal);
    if (v.kind == Kind::derivative) out += attribute("derivative", made_.states[v.index] + (three() ? 0 : 1));
    return out + (is_settable(v) ? attribute("start", v.start) : "");
  }

  void variable2(std::size_t k) {
    line(2, "<ScalarVariable" + common(k) + "><Real" + real(variables_[k]) + "/></ScalarVariable>");
  }
  void variable3(std::size_t k) { line(2, "<Float64" + common(k) + real(variables_[k]) + "/>"); }

  void structure() {
    std::vector<std::size_t> outputs, unknowns;
    for (std::size_t k = 0; k < variables_.size(); ++k) {
      const Variable& v = variables_[k];
      if (v.kind == Kind::output) outputs.push_back(k);
      if (v.kind == Kind::output || v.kind == Kind::calculated || v.state || v.kind == Kind::derivative)
        unknowns.push_back(k);
    }
    line(1, "<ModelStructure>");
    list(three() ? "Output" : "Outputs", outputs, true);
    list(three() ? "ContinuousStateDerivative" : "Derivatives", made_.derivatives, true);
    list(three() ? "InitialUnknown" : "InitialUnknowns", unknowns, false);
    if (three()) list("EventIndicator", made_.indicators, true);
    line(1, "</ModelStructure>");
  }

  // FMI 2 puts a list into an element of its own.
  void list(const std::string& name, const std::vector<std::size_t>& which, bool depends) {
    if (which.empty()) return;
    if (!three()) line(2, "<" + name + ">");
    for (const std::size_t k : which) {
      const std::string on = depends ? dependencies_of(variables_[k]) : "";
      if (three())
        line(2, "<" + name + attribute("valueReference", k) + on + "/>");
      else
        line(3, "<Unknown" + attribute("index", k + 1) + on + "/>");
    }
    if (!three()) line(2, "</" + name + ">");
  }

  // Returns the dependencies; nothing if the variable may depend on everything.
  [[nodiscard]] std::string dependencies_of(const Variable& v) const {
    const api::Knowns* knowns = nullptr;
    if (v.kind == Kind::derivative && depends_.rates[v.index]) knowns = &*depends_.rates[v.index];
    if (v.kind == Kind::indicator && depends_.indicators[v.index]) knowns = &*depends_.indicators[v.index];
    const auto output = depends_.outputs.find(v.name);
    if (v.kind == Kind::output && output != depends_.outputs.end()) knowns = &output->second;
    if (knowns == nullptr) return "";
    const auto in = [](const std::vector<std::size_t>& sorted, std::size_t index) {
      return std::binary_search(sorted.begin(), sorted.end(), index);
    };
    std::string text;
    for (std::size_t k = 0; k < variables_.size(); ++k) {
      const Variable& u = variables_[k];
      const bool known = (u.kind == Kind::time && knowns->time) ||
                         (u.kind == Kind::input && in(knowns->inputs, u.index)) ||
                         (u.state && in(knowns->states, *u.state));
      if (known) text += (text.empty() ? "" : " ") + std::to_string(k + (three() ? 0 : 1));
    }
    return attribute("dependencies", text);
  }

  const Model& model_;
  const DescriptionSettings& settings_;
  const Variables made_;
  const std::vector<Variable>& variables_;
  const api::Dependencies depends_;
  std::string out_;
};

}  // namespace

std::string model_description(const Model& model, const DescriptionSettings& settings) {
  return Description(model, settings).text();
}

}  // namespace mbc::fmi
