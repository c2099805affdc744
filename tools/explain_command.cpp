// SPDX-License-Identifier: Apache-2.0
// `mbc explain`: what a diagnostic means; how a constraint row of a model comes about.
#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/wrapped.h"
#include "tools/answer.h"
#include "tools/commands.h"
#include "tools/constructs.h"
#include "tools/report.h"
#include "tools/row_text.h"
#include "tools/streams.h"

namespace mbc::tools {
namespace {

constexpr std::size_t kWidth = 100;  // columns

// Returns whether `wanted` is a code or its name: `E0302`, `e0302` or `dimension_mismatch`.
bool is_code(const CodeInfo& info, const std::string& wanted) {
  const auto same = [](char a, char b) { return a == std::toupper(static_cast<unsigned char>(b)); };
  return wanted == info.name || std::equal(info.code.begin(), info.code.end(), wanted.begin(), wanted.end(), same);
}

// Explains a row at the state where the first `simulate` block begins.
int explain_row(const Options& options) {
  const Model model = load_model(options, true);
  const Report report(options);
  report.compiled(model);
  if (!model.ok()) return without_model(options, model);
  if (!sets_its_block(options, model)) return kUsage;
  Simulation simulation = Simulation::create(model).value();
  const Result<RowSet> rows = simulation.rows(simulation.time(), simulation.state());
  if (!rows) return report.failure("no_rows", rows.error().message), kModelError;
  const std::vector<std::string>& names = rows->row_names;
  if (std::find(names.begin(), names.end(), options.row) == names.end())
    return report.usage("explain: " + shown_name(options.file) + " has no row `" + options.row + "`",
                        did_you_mean(options.row, names, "`mbc doctor` lists them"));
  const Result<SourceIndex> index = source_index(model);
  const std::string text = row_text(simulation, *rows, options.row, index ? &*index : nullptr, true);
  return options.print_json ? print_json({{"row", options.row}, {"text", text}}) : print_output(text);
}

}  // namespace

int explain_code(const Options& options) {
  if (!options.row.empty()) return explain_row(options);
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
      text = std::string(to_text(info.severity)) + "[" + info.code + "] " + info.name + "\n" +
             text::wrapped(explain(info.code), kWidth);
    }
  }
  if (!text.empty() && options.print_json) return print_json(options.list ? found : found.front());
  if (!text.empty()) return print_output(text);
  return report.usage("explain: there is no diagnostic `" + options.code + "`",
                      construct(options.code)
                          ? "it is a word of the language: `mbc doc " + options.code + "`"
                          : did_you_mean(options.code, names, "`mbc explain --list` shows all of them"));
}

}  // namespace mbc::tools
