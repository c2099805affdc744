// SPDX-License-Identifier: Apache-2.0
#include "tools/answer.h"

#include <nlohmann/json.hpp>

#include "tools/exit_codes.h"
#include "tools/streams.h"

namespace mbc::tools {

using Json = nlohmann::ordered_json;

int print_json(const Json& answer) {
  return print_output(answer.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

Json verdict_json(const Model& model, const std::string& file) {
  Json j;
  j["file"] = file == "-" ? "<stdin>" : file;
  j["ok"] = model.ok();
  if (model.ok()) {
    j["coordinates"] = model.coordinate_count();
    j["constraint_rows"] = model.constraint_row_count();
  }
  j["diagnostics"] = Json::array();
  for (const DiagnosticInfo& d : model.diagnostics()) j["diagnostics"].push_back(Json::parse(to_json(d)));
  return j;
}

Json refusal_json(const std::string& file, const std::vector<DiagnosticInfo>& why) {
  Json j{{"file", file == "-" ? "<stdin>" : file}, {"ok", false}, {"diagnostics", Json::array()}};
  for (const DiagnosticInfo& d : why) j["diagnostics"].push_back(Json::parse(to_json(d)));
  return j;
}

int without_model(const Options& options, const Model& model) {
  if (options.print_json) static_cast<void>(print_json(verdict_json(model, options.file)));
  return kModelError;
}

}  // namespace mbc::tools
