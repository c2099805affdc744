// SPDX-License-Identifier: Apache-2.0
#include "tools/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "api/report/json_parts.h"
#include "base/table.h"
#include "tools/stopwatch.h"
#include "tools/streams.h"

namespace mbc::tools {
namespace {

using Json = nlohmann::ordered_json;

// Returns an error outside of a model as a line of JSON.
std::string problem_line(const std::string& kind, const std::string& message, const std::string& help = "") {
  DiagnosticInfo problem;
  problem.severity = Severity::error;
  problem.kind = kind;
  problem.message = message;
  problem.help = help;
  return to_json_line(problem);
}

std::string milliseconds(double seconds) { return fmt::format("{:.3f}", seconds * 1e3); }

}  // namespace

std::string to_json_line(const DiagnosticInfo& diagnostic) { return to_json(diagnostic) + "\n"; }

std::string usage_text(const std::string& message, const std::string& hint, bool json) {
  if (!json) return message + "\nhint: " + hint + "\n";
  return problem_line("usage", message, hint);
}

int Report::usage(const std::string& message, const std::string& hint) const {
  print_error(usage_text("mbc: " + message, hint, json_));
  return kUsage;
}

void Report::compiled(const Model& model) const {
  if (json_) return print_error(model.render_diagnostics_json());
  rendered(model.render_diagnostics(colour_));
}

void Report::rendered(const std::string& text) const { print_error(text, colour_ ? Shows::colours : Shows::text); }

void Report::ran(const RunResult& result) const {
  if (!json_) return rendered(result.rendered);
  std::string lines;
  for (const DiagnosticInfo& warning : result.warnings) lines += to_json_line(warning);
  if (result.diagnostic) lines += to_json_line(*result.diagnostic);
  print_error(lines);
  if (!result.diagnostic && (result.status == Status::no_native_code || result.status == Status::internal_error))
    failure(result.status == Status::no_native_code ? "no_native_code" : "internal",
            result.rendered.substr(0, result.rendered.find_last_not_of('\n') + 1));
}

int Report::failure(const std::string& kind, const std::string& message) const {
  print_error(json_ ? problem_line(kind, message) : "mbc: " + message + "\n");
  return kind == "usage" ? kUsage : kOutputFailed;
}

void Report::times(const std::vector<StageTime>& stages) const {
  const double total = seconds_since(kProgramBegan);
  double known = 0;
  for (const StageTime& stage : stages) known += stage.background ? 0 : stage.seconds;
  if (json_) {
    Json list = Json::array();
    for (const StageTime& stage : stages)
      list.push_back(Json{{"name", stage.name}, {"seconds", stage.seconds}, {"background", stage.background}});
    return print_error(
        api::json_line({{"stages", std::move(list)}, {"other_seconds", total - known}, {"total_seconds", total}}));
  }
  text::Table table({{"stage"}, {"ms", text::Align::right}, {"share", text::Align::right}});
  const auto add = [&](const std::string& name, double seconds) {
    table.row({name, milliseconds(seconds), fmt::format("{:.1f} %", total > 0 ? 100 * seconds / total : 0)});
  };
  for (const StageTime& stage : stages)
    if (!stage.background) add(stage.name, stage.seconds);
  add("other", total - known);
  add("total", total);
  for (const StageTime& stage : stages)
    if (stage.background) table.row({"beside: " + stage.name, milliseconds(stage.seconds), ""});
  print_error(table.text());
}

}  // namespace mbc::tools
