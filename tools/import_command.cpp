// SPDX-License-Identifier: Apache-2.0
// `mbc import`: robot files of other programs as models.
#include <nlohmann/json.hpp>

#include "base/read_file.h"
#include "base/text.h"
#include "mbc/mbc.h"
#include "tools/answer.h"
#include "tools/commands.h"
#include "tools/import_text.h"
#include "tools/places.h"
#include "tools/report.h"
#include "tools/streams.h"

namespace mbc::tools {
namespace {

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
  const std::optional<ImportedModel> made = import_text(options, text, error);
  if (!made) return report.failure("not_imported", error), kModelError;
  if (!options.quiet && !options.print_json) say_remarks(options, made->remarks);
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
