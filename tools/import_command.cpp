// SPDX-License-Identifier: Apache-2.0
// `mbc import`: robot files of other programs as models.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/read_file.h"
#include "base/text.h"
#include "mbc/mbc.h"
#include "tools/answer.h"
#include "tools/commands.h"
#include "tools/import/mjcf.h"
#include "tools/import/robot_model.h"
#include "tools/import/sdf.h"
#include "tools/import/urdf.h"
#include "tools/places.h"
#include "tools/report.h"
#include "tools/streams.h"

namespace mbc::tools {
namespace {

// Included files are named as they are there.
std::string place_of(const std::string& file, const FilePlace& place) {
  return (place.file.empty() ? shown_name(file) : printable(place.file)) +
         (place.line > 0 ? ":" + std::to_string(place.line) : "");
}

// The lines of one remark are listed up to this number.
constexpr std::size_t kLinesShown = 8;

// Returns one line for each kind of remark: "robot.urdf:24: not taken over: <mesh> (lines 24, 41)".
std::string remarks_text(const std::string& file, const std::vector<Remark>& remarks) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<FilePlace>> places;
  for (const Remark& r : remarks) {
    const std::string key = r.place.file + "\n" + r.text;
    if (!places.contains(key)) order.push_back(key);
    places[key].push_back(r.place);
  }
  std::string out;
  for (const std::string& key : order) {
    const std::vector<FilePlace>& at = places[key];
    const std::string text = key.substr(key.find('\n') + 1);
    std::string lines;
    for (std::size_t k = 0; k < std::min(at.size(), kLinesShown); ++k)
      lines += (lines.empty() ? "" : ", ") + std::to_string(at[k].line);
    if (at.size() > kLinesShown) lines += " and " + std::to_string(at.size() - kLinesShown) + " more";
    out += "mbc: " + place_of(file, at[0]) +
           (text.starts_with("repaired") || text.starts_with("assumed") ? ": " : ": not taken over: ") + text +
           (at.size() > 1 ? " (lines " + lines + ")" : "") + "\n";
  }
  return out;
}

nlohmann::ordered_json json_of(const Options& options, const ImportedModel& made) {
  nlohmann::ordered_json names = nlohmann::ordered_json::array(), remarks = nlohmann::ordered_json::array();
  for (const auto& [original, name] : made.names) names.push_back({{"file", original}, {"model", name}});
  for (const Remark& r : made.remarks) {
    remarks.push_back({{"line", r.place.line}, {"text", r.text}});
    if (!r.place.file.empty()) remarks.back()["file"] = r.place.file;
  }
  nlohmann::ordered_json out{{"file", options.file}, {"names", names}, {"not_taken_over", remarks}};
  if (options.output.empty())
    out["text"] = made.text;
  else
    out["model"] = options.output;
  return out;
}

enum class Format : std::uint8_t { urdf, mjcf, sdf };

// A file is told by its top element.
Format format_of(const std::string& text) {
  const std::size_t mjcf = text.find("<mujoco"), sdf = text.find("<sdf"), urdf = text.find("<robot");
  if (mjcf < std::min(sdf, urdf)) return Format::mjcf;
  return sdf < urdf ? Format::sdf : Format::urdf;
}

std::optional<Robot> read_robot(const Options& options, const std::string& text, Remark& problem) {
  const Format format = format_of(text);
  const auto refuse = [&](const std::string& why) {
    problem = {{}, why};
    return std::optional<Robot>();
  };
  if (!options.keyframe.empty() && format != Format::mjcf) return refuse("`--keyframe` is for MJCF, and this is none");
  if (!options.models.empty() && format != Format::sdf) return refuse("`--models` is for SDF, and this is none");
  if (options.free_base && format == Format::mjcf)
    return refuse("`--base free` is for URDF: in MJCF a body moves freely by its <freejoint>");
  if (options.free_base && format == Format::sdf)
    return refuse("`--base free` is for URDF: in SDF a model moves freely unless a joint holds it to the world");
  if (format == Format::urdf) return read_urdf(text, problem);
  const std::size_t end = options.file.rfind('/');
  const std::string folder = options.file == "-"        ? ""
                             : end == std::string::npos ? "."
                                                        : options.file.substr(0, end + 1);
  if (format == Format::sdf) return read_sdf(text, {folder, options.models}, problem);
  return read_mjcf(text, {folder, options.keyframe}, problem);
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
  const std::optional<Robot> robot = read_robot(options, text, problem);
  const std::string file = shown_name(options.file), short_name = file.substr(file.rfind('/') + 1);
  const ImportOptions wanted{options.free_base, options.repair};
  const std::optional<ImportedModel> made = robot ? write_model(*robot, short_name, wanted, problem) : std::nullopt;
  if (!made)
    return report.failure("not_imported", place_of(options.file, problem.place) + ": " + problem.text), kModelError;
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
