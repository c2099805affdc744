// SPDX-License-Identifier: Apache-2.0
#include "tools/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/table.h"
#include "tools/stopwatch.h"
#include "tools/streams.h"

namespace mbc::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string dump_line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json place_to_json(const Place& place) {
  Json out = Json::object();
  if (place.line == 0) return out;
  out["file"] = place.file;
  out["line"] = place.line;
  out["column"] = place.column;
  out["end_line"] = place.end_line;
  out["end_column"] = place.end_column;
  return out;
}

std::string milliseconds(double seconds) { return fmt::format("{:.3f}", seconds * 1e3); }

}  // namespace

std::string to_json_line(const DiagnosticInfo& diagnostic) {
  Json out = place_to_json(diagnostic.place);
  out["severity"] = diagnostic.severity;
  out["code"] = diagnostic.code;
  out["kind"] = diagnostic.kind;
  out["message"] = diagnostic.message;
  out["labels"] = Json::array();
  for (const auto& [place, text] : diagnostic.labels) {
    Json label = place_to_json(place);
    label["text"] = text;
    out["labels"].push_back(std::move(label));
  }
  out["notes"] = diagnostic.notes;
  if (!diagnostic.help.empty()) out["help"] = diagnostic.help;
  if (diagnostic.time) out["time"] = *diagnostic.time;
  return dump_line(out);
}

std::string with_colour(const std::string& rendered) {
  static constexpr std::pair<const char*, const char*> kColours[] = {
      {"error[", "\x1b[1;31m"}, {"warning[", "\x1b[1;33m"}, {"note[", "\x1b[1;36m"}};
  std::string out;
  for (std::size_t at = 0; at < rendered.size();) {
    const std::size_t end = std::min(rendered.find('\n', at), rendered.size() - 1) + 1;
    std::string line = rendered.substr(at, end - at);
    at = end;
    for (const auto& [word, colour] : kColours) {
      const std::size_t begin = line.find(word);
      const std::size_t close = line.find("]: ", begin == std::string::npos ? line.size() : begin);
      // Headings alone begin in the first column; quoted source and notes are indented.
      if (line.front() == ' ' || close == std::string::npos || (begin > 0 && line[begin - 1] != ' ')) continue;
      line.insert(close + 2, "\x1b[0m");
      line.insert(begin, colour);
      break;
    }
    out += line;
  }
  return out;
}

void Report::compiled(const Program& program) const {
  print_error(json_ ? program.render_diagnostics_json() : program.render_diagnostics(colour_));
}

void Report::ran(const RunResult& result) const {
  if (!json_) return print_error(colour_ ? with_colour(result.rendered) : result.rendered);
  std::string lines;
  for (const DiagnosticInfo& warning : result.warnings) lines += to_json_line(warning);
  if (result.diagnostic) lines += to_json_line(*result.diagnostic);
  print_error(lines);
}

void Report::failure(const std::string& kind, const std::string& message) const {
  if (!json_) return print_error("mbc: " + message + "\n");
  DiagnosticInfo diagnostic;
  diagnostic.severity = "error";
  diagnostic.kind = kind;
  diagnostic.message = message;
  print_error(to_json_line(diagnostic));
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
        dump_line(Json{{"stages", std::move(list)}, {"other_seconds", total - known}, {"total_seconds", total}}));
  }
  text::Table table;
  table.column("stage");
  table.column("ms", text::Align::right);
  table.column("share", text::Align::right);
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
