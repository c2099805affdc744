// SPDX-License-Identifier: Apache-2.0
#include "tools/import_text.h"

#include <algorithm>
#include <map>

#include "base/read_file.h"
#include "base/text.h"
#include "tools/answer.h"
#include "tools/import/mjcf.h"
#include "tools/import/sdf.h"
#include "tools/import/urdf.h"
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

// Returns whether a remark is of something that is not in the model.
bool is_left_out(const std::string& text) { return !text.starts_with("repaired") && !text.starts_with("assumed"); }

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
    out += "mbc: " + place_of(file, at[0]) + (is_left_out(text) ? ": not taken over: " : ": ") + text +
           (at.size() > 1 ? " (lines " + lines + ")" : "") + "\n";
  }
  return out;
}

std::string remarks_json(const std::string& file, const std::vector<Remark>& remarks) {
  std::string out;
  for (const Remark& r : remarks) {
    DiagnosticInfo d;
    d.severity = Severity::warning;
    d.kind = is_left_out(r.text) ? "not_taken_over" : "imported";
    d.message = r.text;
    d.place.file = r.place.file.empty() ? shown_name(file) : r.place.file;
    d.place.line = d.place.end_line = static_cast<std::uint32_t>(r.place.line);
    out += to_json_line(d);
  }
  return out;
}

}  // namespace

void say_remarks(const Options& options, const std::vector<Remark>& remarks) {
  print_error(options.json ? remarks_json(options.file, remarks) : remarks_text(options.file, remarks));
}

std::optional<ImportedModel> import_text(const Options& options, const std::string& text, std::string& error) {
  Remark problem;
  const std::optional<Robot> robot = read_robot(options, text, problem);
  const std::string file = shown_name(options.file), short_name = file.substr(file.rfind('/') + 1);
  std::optional<ImportedModel> made;
  if (robot) made = write_model(*robot, short_name, {options.free_base, options.repair}, problem);
  if (!made) error = place_of(options.file, problem.place) + ": " + problem.text;
  return made;
}

int import_first(Options& options) {
  const Report report(options);
  std::string text, error;
  if (!read_file(options.file, text, error))
    return report.failure("unreadable", "cannot read `" + options.file + "`: " + error), kModelError;
  std::optional<ImportedModel> made = import_text(options, text, error);
  if (!made) return report.failure("not_imported", error), kModelError;
  say_remarks(options, made->remarks);
  options.imported = std::move(made->text);
  return kOk;
}

}  // namespace mbc::tools
