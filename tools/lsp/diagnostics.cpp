// SPDX-License-Identifier: Apache-2.0
// Diagnostics for the editor, and corrections from their help.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "tools/lsp/features.h"

namespace mbc::lsp {

namespace {

constexpr std::size_t kLongestCorrected = std::size_t{256} << 10u;  // bytes of a text that corrections are tried for
constexpr std::size_t kMostCorrections = 8;                         // tried for one request

struct Bytes {
  std::uint32_t begin = 0, end = 0;
};

Bytes bytes_of(const Document& d, const Place& place) {
  if (place.line == 0) return {};
  const std::uint32_t begin = d.text.offset_of_place(place.line, place.column);
  return {begin, std::max(begin, d.text.offset_of_place(place.end_line, place.end_column))};
}

bool is_own(const Document& d, const Place& place) {
  return place.line == 0 || d.index.files.empty() || place.file == d.index.files[0].name;
}

// Returns the place where a used file is named, for an error in that file.
Bytes place_of_use(const Document& d, const Place& place) {
  for (const IndexUse& u : d.index.uses)
    if (u.kind == UseKind::module && u.place.file == 0 && u.symbol < d.index.files.size() &&
        d.index.files[u.symbol].name == place.file)
      return {u.place.begin, u.place.end};
  return {};
}

std::string message_of(const Document& d, const DiagnosticInfo& info) {
  std::string text = info.message;
  if (!is_own(d, info.place))
    text += "\nin " + info.place.file + ":" + std::to_string(info.place.line) + ":" + std::to_string(info.place.column);
  for (const auto& [place, what] : info.labels) {
    text += "\n" + (is_own(d, place) ? "line " : place.file + ":") + std::to_string(place.line) + ": " + what;
  }
  for (const std::string& note : info.notes) text += "\nnote: " + note;
  if (!info.help.empty()) text += "\nhelp: " + info.help;
  return text;
}

Json related(const Document& d, const DiagnosticInfo& info) {
  Json out = Json::array();
  for (const auto& [place, what] : info.labels) {
    if (place.line == 0 || !is_own(d, place)) continue;
    const Bytes at = bytes_of(d, place);
    out.push_back({{"location", {{"uri", d.uri}, {"range", range_json(d.text, at.begin, at.end)}}}, {"message", what}});
  }
  return out;
}

Json diagnostic_json(const Document& d, const DiagnosticInfo& info) {
  const Bytes at = is_own(d, info.place) ? bytes_of(d, info.place) : place_of_use(d, info.place);
  Json made = {{"range", range_json(d.text, at.begin, at.end)},
               {"severity", static_cast<int>(info.severity) + 1},
               {"code", info.code},
               {"source", "mbc"},
               {"message", message_of(d, info)}};
  if (Json others = related(d, info); !others.empty()) made["relatedInformation"] = std::move(others);
  return made;
}

// ---- corrections

struct Correction {
  std::string title;
  std::uint32_t begin = 0, end = 0;
  std::string by;
};

std::vector<std::string> quoted_in(const std::string& help) {
  std::vector<std::string> out;
  for (std::size_t begin = help.find('`'); begin != std::string::npos; begin = help.find('`', begin + 1)) {
    const std::size_t end = help.find('`', begin + 1);
    if (end == std::string::npos) break;
    out.push_back(help.substr(begin + 1, end - begin - 1));
    begin = end;
  }
  return out;
}

std::vector<Correction> corrections(const Document& d, const DiagnosticInfo& info) {
  std::vector<Correction> out;
  const Bytes at = bytes_of(d, info.place);
  for (const std::string& text : quoted_in(info.help)) {
    if (text.starts_with("use ") && text.find('"') == std::string::npos) {
      const Insertion use = use_line(d.text, text);
      out.push_back({"Add `" + text + "`", use.place, use.place, use.text});
    }
    if (at.end > at.begin && text.find("...") == std::string::npos)
      out.push_back({"Replace by `" + text + "`", at.begin, at.end, text});
  }
  return out;
}

std::multiset<std::string> codes_of(const Model& model) {
  std::multiset<std::string> out;
  for (const DiagnosticInfo& info : model.diagnostics()) out.insert(info.code);
  return out;
}

// Returns whether the corrected text lacks the error and has no new one.
bool corrects(const Document& d, const DiagnosticInfo& info, const Correction& c, const Setup& setup) {
  std::string text = d.text.str();
  text.replace(c.begin, c.end - c.begin, c.by);
  const Model made = Model::from_string(text, d.path.empty() ? "<unnamed>" : d.path, compile_options(d.path, setup));
  std::multiset<std::string> before = codes_of(d.model);
  before.erase(before.find(info.code));
  const std::multiset<std::string> after = codes_of(made);
  return made.ok() || std::includes(before.begin(), before.end(), after.begin(), after.end());
}

}  // namespace

Json diagnostics(const Document& document) {
  Json out = Json::array();
  for (const DiagnosticInfo& info : document.model.diagnostics()) out.push_back(diagnostic_json(document, info));
  return out;
}

Json code_actions(const Document& document, std::uint32_t begin, std::uint32_t end, const Setup& setup) {
  Json out = Json::array();
  if (document.text.size() > kLongestCorrected) return out;
  std::size_t tried = 0;
  for (const DiagnosticInfo& info : document.model.diagnostics()) {
    const Bytes at = bytes_of(document, info.place);
    if (!is_own(document, info.place) || info.place.line == 0 || at.end < begin || at.begin > end) continue;
    for (const Correction& c : corrections(document, info)) {
      if (tried++ == kMostCorrections) return out;
      if (!corrects(document, info, c, setup)) continue;
      const Json edits = Json::array({edit_json(document.text, c.begin, c.end, c.by)});
      out.push_back({{"title", c.title},
                     {"kind", "quickfix"},
                     {"isPreferred", true},
                     {"diagnostics", Json::array({diagnostic_json(document, info)})},
                     {"edit", {{"changes", {{document.uri, edits}}}}}});
    }
  }
  return out;
}

}  // namespace mbc::lsp
