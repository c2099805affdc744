// SPDX-License-Identifier: Apache-2.0
// `mbc import`: robot files of other programs as models.
#include <map>
#include <nlohmann/json.hpp>

#include "base/read_file.h"
#include "base/text.h"
#include "mbc/mbc.h"
#include "tools/answer.h"
#include "tools/commands.h"
#include "tools/import/robot_model.h"
#include "tools/import/urdf.h"
#include "tools/places.h"
#include "tools/report.h"
#include "tools/streams.h"

namespace mbc::tools {
namespace {

std::string place_of(const std::string& file, std::uint32_t line) {
  return shown_name(file) + (line > 0 ? ":" + std::to_string(line) : "");
}

// Returns one line for each kind of remark: "robot.urdf:24: not taken over: <mesh> (lines 24, 41)".
std::string remarks_text(const std::string& file, const std::vector<Remark>& remarks) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::uint32_t>> lines;
  for (const Remark& r : remarks) {
    if (!lines.contains(r.text)) order.push_back(r.text);
    lines[r.text].push_back(r.line);
  }
  std::string out;
  for (const std::string& text : order) {
    const std::vector<std::uint32_t>& at = lines[text];
    std::string places;
    for (const std::uint32_t line : at) places += (places.empty() ? "" : ", ") + std::to_string(line);
    out += "mbc: " + shown_name(file) + ":" + std::to_string(at[0]) +
           (text.starts_with("repaired") ? ": " : ": not taken over: ") + text +
           (at.size() > 1 ? " (lines " + places + ")" : "") + "\n";
  }
  return out;
}

nlohmann::ordered_json json_of(const Options& options, const ImportedModel& made) {
  nlohmann::ordered_json names = nlohmann::ordered_json::array(), remarks = nlohmann::ordered_json::array();
  for (const auto& [original, name] : made.names) names.push_back({{"file", original}, {"model", name}});
  for (const Remark& r : made.remarks) remarks.push_back({{"line", r.line}, {"text", r.text}});
  nlohmann::ordered_json out{{"file", options.file}, {"names", names}, {"not_taken_over", remarks}};
  if (options.output.empty())
    out["text"] = made.text;
  else
    out["model"] = options.output;
  return out;
}

}  // namespace

int import_robot(const Options& options) {
  const Report report(options);
  if (const int problem = check_place(options, options.output, {"a model", {"mbd"}}); problem != kOk) return problem;
  if (const int problem = check_not_read(options, {options.file}, {options.output}); problem != kOk) return problem;
  std::string text, error;
  if (options.file == "-") {
    const std::optional<std::string> piped = read_standard_input(error);
    if (piped) text = *piped;
  } else if (!read_file(options.file, text, error)) {
    error = "cannot read `" + options.file + "`: " + error;
  }
  if (!error.empty()) return report.failure("unreadable", error), kModelError;
  Remark problem;
  const std::optional<Robot> robot = read_urdf(text, problem);
  const std::string file = shown_name(options.file), short_name = file.substr(file.rfind('/') + 1);
  const ImportOptions wanted{options.free_base, options.repair};
  const std::optional<ImportedModel> made = robot ? write_model(*robot, short_name, wanted, problem) : std::nullopt;
  if (!made)
    return report.failure("not_imported", place_of(options.file, problem.line) + ": " + problem.text), kModelError;
  if (!options.quiet && !options.print_json) print_error(remarks_text(options.file, made->remarks));
  if (!options.output.empty() && options.output != "-" && !write_text(options.output, made->text, error))
    return report.failure("output_failed", error);
  if (options.print_json) return print_json(json_of(options, *made));
  if (options.names) {
    std::string table;
    for (const auto& [original, name] : made->names) table += printable(original) + "  " + name + "\n";
    return print_output(table);
  }
  return options.output.empty() || options.output == "-" ? print_data(made->text) : int{kOk};
}

}  // namespace mbc::tools
