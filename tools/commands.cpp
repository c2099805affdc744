// SPDX-License-Identifier: Apache-2.0
// The commands that run nothing: check, explain; and the function of each command.
#include "tools/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/table.h"
#include "base/text.h"
#include "tools/answer.h"
#include "tools/report.h"
#include "tools/streams.h"

namespace mbc::tools {
namespace {

// Returns "pendulum.mbd: ok (3 coordinates, 1 constraint row)".
std::string verdict(const Model& model, const std::string& file) {
  return fmt::format("{}: ok ({}, {})\n", shown_name(file), counted(model.coordinate_count(), "coordinate"),
                     counted(model.constraint_row_count(), "constraint row"));
}

// Returns whether `wanted` is a code or its name: `E0302`, `e0302` or `dimension_mismatch`.
bool is_code(const CodeInfo& info, const std::string& wanted) {
  const auto same = [](char a, char b) { return a == std::toupper(static_cast<unsigned char>(b)); };
  return wanted == info.name || std::equal(info.code.begin(), info.code.end(), wanted.begin(), wanted.end(), same);
}

std::string wrapped(const std::string& text) {
  constexpr std::size_t kWidth = 100;
  std::istringstream words(text);
  std::string out;
  std::size_t column = 0;
  for (std::string word; words >> word;) {
    const bool fits = column > 0 && column + 1 + text::display_width(word) <= kWidth;
    if (column > 0) out += fits ? ' ' : '\n';
    column = (fits ? column + 1 : 0) + text::display_width(word);
    out += word;
  }
  return out + "\n";
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

int explain_code(const Options& options) {
  const Report report(options);
  std::string text;
  std::vector<std::string> names;
  nlohmann::ordered_json found = nlohmann::ordered_json::array();
  for (const CodeInfo& info : all_codes()) {
    names.push_back(info.name);
    if (!options.list && !is_code(info, options.code)) continue;
    found.push_back({{"code", info.code}, {"name", info.name}, {"severity", std::string(to_text(info.severity))}});
    if (options.list) {
      text += info.code + " " + info.name + "\n";
    } else {
      found.back()["text"] = explain(info.code);
      text =
          std::string(to_text(info.severity)) + "[" + info.code + "] " + info.name + "\n" + wrapped(explain(info.code));
    }
  }
  if (!text.empty() && options.print_json) return print_json(options.list ? found : found.front());
  if (!text.empty()) return print_output(text);
  return report.usage("explain: there is no diagnostic `" + options.code + "`",
                      did_you_mean(options.code, names, "`mbc explain --list` shows all of them"));
}

int execute(const Options& options) {
  static constexpr int (*kFunctions[])(const Options&) = {
#define MBC_VERB(command, word, function, ...) function,
#include "tools/verbs.def"
  };
  return kFunctions[static_cast<std::size_t>(options.command)](options);
}

}  // namespace mbc::tools
