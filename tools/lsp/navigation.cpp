// SPDX-License-Identifier: Apache-2.0
// Finds declarations and uses of a name; renames it.
#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/read_file.h"
#include "base/text.h"
#include "tools/lsp/features.h"
#include "tools/lsp/scan.h"

namespace mbc::lsp {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNeighbours = 2000;  // files of a folder that are searched before a name is changed

const IndexUse* symbol_at(const Document& d, std::uint32_t offset) {
  const IndexUse* use = d.use_at(offset);
  return use && use->symbol != kNoSymbol && use->kind != UseKind::module ? use : nullptr;
}

Json location(const Openable& at, const TextRange& place) {
  return {{"uri", at.uri}, {"range", range_json(at.text, place.begin, place.end)}};
}

// ---- rename

bool is_name(const std::string& name) {
  const std::vector<Lexeme> parts = scan(name);
  if (parts.size() != 1 || parts[0].what != Lex::word || parts[0].end != name.size()) return false;
  const std::vector<std::string>& reserved = vocabulary().reserved;
  return std::find(reserved.begin(), reserved.end(), name) == reserved.end();
}

bool is_builtin(const std::string& name) {
  const auto has = [&](const std::vector<BuiltinInfo>& list) {
    return std::any_of(list.begin(), list.end(), [&](const BuiltinInfo& b) { return b.name == name; });
  };
  return has(vocabulary().values) || has(vocabulary().functions);
}

// Returns why the name at this place cannot be changed; "" if it can.
std::string why_fixed(const Document& d, const IndexUse* use) {
  if (!use) return "there is no name of the model here";
  if (!d.index.whole) return "the text has mistakes of syntax: some names could not be read";
  const IndexSymbol& s = d.symbol(use->symbol);
  if (s.place.file != 0) return quoted(s.name) + " is declared in " + d.index.files.at(s.place.file).name;
  if (s.kind == SymbolKind::test || s.name.empty()) return "there is no name of the model here";
  for (const IndexUse& u : d.index.uses)
    if (!u.certain && u.place.file == 0 && d.text_of(u.place) == s.name)
      return "line " + std::to_string(d.text.line_of(u.place.begin) + 1) + " has a `." + s.name +
             "` that may be this one: what stands before it is known only where it is used";
  return "";
}

// Returns another model of the folder that uses this file and contains the word; "" if there is none.
std::string user_of(const Document& d, const std::string& name) {
  if (d.path.empty()) return "";
  std::error_code error;
  const std::string own = fs::path(d.path).filename().string();
  std::size_t looked = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(d.path).parent_path(), error)) {
    if (entry.path().extension() != ".mbd" || entry.path().filename() == own || ++looked > kMostNeighbours) continue;
    std::string text, why;
    if (!read_file(entry.path().string(), text, why) || text.find(own + "\"") == std::string::npos) continue;
    for (const Lexeme& l : scan(text))
      if (l.what == Lex::word && std::string_view(text).substr(l.begin, l.end - l.begin) == name)
        return entry.path().filename().string();
  }
  return "";
}

std::vector<TextRange> places_of(const Document& d, std::uint32_t symbol) {
  std::vector<TextRange> out;
  for (const IndexUse& u : d.index.uses)
    if (u.symbol == symbol && u.kind != UseKind::module && u.place.file == 0) out.push_back(u.place);
  std::sort(out.begin(), out.end(), [](const TextRange& a, const TextRange& b) { return a.begin < b.begin; });
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::string renamed(const Document& d, const std::vector<TextRange>& places, const std::string& name) {
  std::string out;
  std::uint32_t from = 0;
  for (const TextRange& p : places) {
    out.append(d.text.str(), from, p.begin - from);
    out += name;
    from = p.end;
  }
  return out + d.text.str().substr(from);
}

// Returns the meaning of each name of the text: the index, in the order of names, of its first declaration.
std::vector<std::uint64_t> meanings(const SourceIndex& index) {
  std::map<std::uint32_t, std::uint64_t> first;
  std::vector<std::uint64_t> out;
  for (const IndexUse& u : index.uses) {
    if (u.place.file != 0) continue;
    std::uint64_t meaning = 0;
    if (u.symbol != kNoSymbol && u.kind != UseKind::module)
      meaning = 1 + first.try_emplace(u.symbol, out.size()).first->second;
    out.push_back(2 * meaning + (u.kind == UseKind::declaration ? 1 : 0));
  }
  return out;
}

// Checks that with the new name all other names keep their meaning, and that the model has no new errors.
void check_meaning(const Document& d, const std::string& text, const std::string& name, const Setup& setup) {
  Document after;
  after.path = d.path;
  after.text = Text(text);
  after.analyse(setup);
  if (after.indexed && after.index.whole && meanings(after.index) == meanings(d.index) &&
      after.model.ok() == d.model.ok() && after.model.diagnostics().size() == d.model.diagnostics().size())
    return;
  std::string why = quoted(name) + " is the name of something else here, or would be taken for it";
  if (after.model.diagnostics().size() > d.model.diagnostics().size())
    for (const DiagnosticInfo& info : after.model.diagnostics())
      if (info.severity == Severity::error) {
        why += ": " + info.message;
        break;
      }
  throw Refused(Refusal::failed, why);
}

}  // namespace

Json definition(const Document& document, std::uint32_t offset, const Setup& setup) {
  const IndexUse* use = document.use_at(offset);
  if (!use || use->symbol == kNoSymbol) return nullptr;
  const bool module = use->kind == UseKind::module;
  const TextRange place = module ? TextRange{use->symbol, 0, 0} : document.symbol(use->symbol).place;
  const std::optional<Openable> at = openable(document, place.file, setup);
  return at ? location(*at, place) : Json(nullptr);
}

Json references(const Document& document, std::uint32_t offset, bool declaration, const Setup& setup) {
  const IndexUse* use = symbol_at(document, offset);
  Json out = Json::array();
  if (!use) return out;
  for (const IndexUse& u : document.index.uses) {
    if (u.symbol != use->symbol || u.kind == UseKind::module || (u.kind == UseKind::declaration && !declaration))
      continue;
    if (const std::optional<Openable> at = openable(document, u.place.file, setup))
      out.push_back(location(*at, u.place));
  }
  return out;
}

Json highlights(const Document& document, std::uint32_t offset) {
  const IndexUse* use = symbol_at(document, offset);
  Json out = Json::array();
  if (!use) return out;
  for (const TextRange& p : places_of(document, use->symbol))
    out.push_back({{"range", range_json(document.text, p.begin, p.end)}});
  return out;
}

Json prepare_rename(const Document& document, std::uint32_t offset) {
  const IndexUse* use = symbol_at(document, offset);
  if (const std::string why = why_fixed(document, use); !why.empty()) throw Refused(Refusal::failed, why);
  return {{"range", range_json(document.text, use->place.begin, use->place.end)},
          {"placeholder", std::string(document.text_of(use->place))}};
}

Json rename(const Document& document, std::uint32_t offset, const std::string& name, const Setup& setup) {
  const IndexUse* use = symbol_at(document, offset);
  if (const std::string why = why_fixed(document, use); !why.empty()) throw Refused(Refusal::failed, why);
  if (!is_name(name))
    throw Refused(Refusal::failed, quoted(name) + " is no name: letters, digits and _, no reserved word");
  if (is_builtin(name)) throw Refused(Refusal::failed, quoted(name) + " is built in");
  const std::string before = document.symbol(use->symbol).name;
  if (const std::string other = user_of(document, before); !other.empty())
    throw Refused(Refusal::failed, other + " uses this file, and has the word " + quoted(before));
  const std::vector<TextRange> places = places_of(document, use->symbol);
  check_meaning(document, renamed(document, places, name), name, setup);
  Json edits = Json::array();
  for (const TextRange& p : places) edits.push_back(edit_json(document.text, p.begin, p.end, name));
  return {{"changes", {{document.uri, edits}}}};
}

}  // namespace mbc::lsp
