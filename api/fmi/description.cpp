// SPDX-License-Identifier: Apache-2.0
#include "api/fmi/description.h"

#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "api/fmi/variables.h"
#include "base/numbers.h"
#include "compiler/sema/expressions/operators.h"
#include "compiler/sema/expressions/unit_text.h"
#include "mbc_version.h"

namespace mbc::fmi {
namespace {

using Kind = Variable::Kind;

// As the value of an attribute. What XML 1.0 has no place for is left out.
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

// A unit of a variable, "" where there is none to be named.
std::string unit_of(const Variable& v) { return v.unit == "1" ? "" : v.unit; }

// FMI's <BaseUnit kg="1" m="1" s="-2" factor="1000"/> of "kN"; nothing for units with broken exponents, which it cannot
// say. Angles are its `rad`, which mbc does not tell from numbers.
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
      : model_(model), settings_(settings), variables_(variables_of(model)) {}

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
    if (!three()) out_ += attribute("numberOfEventIndicators", std::size_t{0});
    out_ += ">\n";
  }

  void interface() {
    const std::string state = three() ? "FMUState" : "FMUstate";
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
    switch (v.kind) {
      case Kind::time:
        return "independent";
      case Kind::parameter:
        return "parameter";
      case Kind::calculated:
        return "calculatedParameter";
      case Kind::input:
        return "input";
      case Kind::output:
        return "output";
      case Kind::local:
        break;
    }
    return "local";
  }

  [[nodiscard]] std::string common(std::size_t k) const {
    const Variable& v = variables_[k];
    const bool parameter = v.kind == Kind::parameter || v.kind == Kind::calculated;
    return attribute("name", v.name) + attribute("valueReference", k) + attribute("causality", causality(v)) +
           attribute("variability", parameter ? "tunable" : "continuous") +
           (v.description.empty() ? "" : attribute("description", v.description));
  }

  [[nodiscard]] static std::string real(const Variable& v) {
    const std::string unit = unit_of(v);
    return (unit.empty() ? "" : attribute("unit", unit)) + (is_settable(v) ? attribute("start", v.start) : "");
  }

  void variable2(std::size_t k) {
    line(2, "<ScalarVariable" + common(k) + "><Real" + real(variables_[k]) + "/></ScalarVariable>");
  }
  void variable3(std::size_t k) { line(2, "<Float64" + common(k) + real(variables_[k]) + "/>"); }

  // What depends on what is not said: everything may depend on everything.
  void structure() {
    std::vector<std::size_t> outputs, unknowns;
    for (std::size_t k = 0; k < variables_.size(); ++k) {
      if (variables_[k].kind == Kind::output) outputs.push_back(k);
      if (variables_[k].kind == Kind::output || variables_[k].kind == Kind::calculated) unknowns.push_back(k);
    }
    if (!three()) return structure2(outputs, unknowns);
    line(1, unknowns.empty() ? "<ModelStructure/>" : "<ModelStructure>");
    for (const std::size_t k : outputs) line(2, "<Output" + attribute("valueReference", k) + "/>");
    for (const std::size_t k : unknowns) line(2, "<InitialUnknown" + attribute("valueReference", k) + "/>");
    if (!unknowns.empty()) line(1, "</ModelStructure>");
  }

  void structure2(const std::vector<std::size_t>& outputs, const std::vector<std::size_t>& unknowns) {
    const auto list = [&](const char* name, const std::vector<std::size_t>& which) {
      if (which.empty()) return;
      line(2, "<" + std::string(name) + ">");
      for (const std::size_t k : which) line(3, "<Unknown" + attribute("index", k + 1) + "/>");
      line(2, "</" + std::string(name) + ">");
    };
    line(1, unknowns.empty() ? "<ModelStructure/>" : "<ModelStructure>");
    list("Outputs", outputs);
    list("InitialUnknowns", unknowns);
    if (!unknowns.empty()) line(1, "</ModelStructure>");
  }

  const Model& model_;
  const DescriptionSettings& settings_;
  const std::vector<Variable> variables_;
  std::string out_;
};

}  // namespace

std::string model_description(const Model& model, const DescriptionSettings& settings) {
  return Description(model, settings).text();
}

}  // namespace mbc::fmi
