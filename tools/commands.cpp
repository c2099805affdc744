// SPDX-License-Identifier: Apache-2.0
// `mbc check`, which runs nothing, and the function of each command.
#include "tools/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/table.h"
#include "base/text.h"
#include "tools/answer.h"
#include "tools/import_text.h"
#include "tools/report.h"
#include "tools/streams.h"

namespace mbc::tools {
namespace {

// Returns "pendulum.mbd: ok (3 coordinates, 1 constraint row)".
std::string verdict(const Model& model, const std::string& file) {
  return fmt::format("{}: ok ({}, {})\n", shown_name(file), counted(model.coordinate_count(), "coordinate"),
                     counted(model.constraint_row_count(), "constraint row"));
}

}  // namespace

int check_model(const Options& options) {
  const Model model = load_model(options, true);
  const Report report(options);
  if (!options.print_json) report.compiled(model);
  if (options.time_passes) report.times(model.stage_times());
  if (options.print_json) {
    const int written = print_json(verdict_json(model, options.file));
    return written == kOk && !model.ok() ? int{kModelError} : written;
  }
  return model.ok() ? print_output(verdict(model, options.file)) : int{kModelError};
}

int execute(const Options& options) {
  static constexpr int (*kFunctions[])(const Options&) = {
#define MBC_VERB(command, word, function, ...) function,
#include "tools/verbs.def"
  };
  const auto function = kFunctions[static_cast<std::size_t>(options.command)];
  if (options.command == Command::import_file || !is_robot_file(options.file)) return function(options);
  Options imported = options;
  const int problem = import_first(imported);
  return problem == kOk ? function(imported) : problem;
}

}  // namespace mbc::tools
