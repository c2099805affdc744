// SPDX-License-Identifier: Apache-2.0
#include "tools/answer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/report/json_parts.h"
#include "base/settings.h"
#include "base/text.h"
#include "tools/exit_codes.h"
#include "tools/report.h"
#include "tools/streams.h"

namespace mbc::tools {

using Json = nlohmann::ordered_json;

int print_json(const Json& answer) { return print_output(api::json_text(answer)); }

Json diagnostics_json(const std::vector<DiagnosticInfo>& list) {
  Json out = Json::array();
  for (const DiagnosticInfo& d : list) out.push_back(Json::parse(to_json(d)));
  return out;
}

Json verdict_json(const Model& model, const std::string& file) {
  Json j{{"file", shown_name(file)}, {"ok", model.ok()}};
  if (model.ok()) {
    j["coordinates"] = model.coordinate_count();
    j["constraint_rows"] = model.constraint_row_count();
  }
  j["diagnostics"] = diagnostics_json(model.diagnostics());
  return j;
}

int print_refusal(const std::string& file, const std::vector<DiagnosticInfo>& why) {
  return print_json({{"file", shown_name(file)}, {"ok", false}, {"diagnostics", diagnostics_json(why)}});
}

bool has_block(const Options& options, const Model& model) {
  if (options.simulation.empty() || model.time_span(options.simulation)) return true;
  RunOptions none;
  none.simulation = options.simulation;
  const RunResult refused = Simulation::create(model).value().run(none);
  Report(options).ran(refused);
  if (options.print_json && refused.diagnostic) print_refusal(options.file, {*refused.diagnostic});
  return false;
}

bool sets_its_block(const Options& options, const Model& model) {
  const std::vector<std::string> blocks = model.simulations(), &keys = settings::keys_to_set();
  const std::string runs = options.simulation.empty() && !blocks.empty() ? blocks.front() : options.simulation;
  for (const std::string& set : options.set)
    for (const std::string& block : blocks) {
      const std::string path = trimmed(set.substr(0, set.find('=')));
      const auto is_path = [&](const std::string& key) { return path == block + "." + key; };
      const bool sets = path.starts_with(block + ".input.") || std::any_of(keys.begin(), keys.end(), is_path);
      if (block.empty() || block == runs || !sets) continue;
      static_cast<void>(Report(options).usage(
          "--set " + printable(path) + ": the block " + quoted(block) + " does not run here, " + quoted(runs) + " does",
          "the name of the block behind the file chooses it: `" + shown_name(options.file) + " " + printable(block) +
              "`"));
      return false;
    }
  return true;
}

int without_answer(const Options& options, const Error& why) {
  const Report report(options);
  if (options.print_json) print_refusal(options.file, why.diagnostics);
  for (const DiagnosticInfo& d : why.diagnostics)
    if (report.json()) print_error(to_json_line(d));
  if (!report.json()) report.rendered((why.diagnostics.empty() ? "error: " : "") + why.message + "\n");
  if (why.code == ErrorCode::inconsistent) return kInconsistent;
  if (why.code == ErrorCode::stopped) return kStopped;
  return kModelError;
}

int without_model(const Options& options, const Model& model) {
  if (options.print_json) static_cast<void>(print_json(verdict_json(model, options.file)));
  return kModelError;
}

}  // namespace mbc::tools
