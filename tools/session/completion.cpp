// SPDX-License-Identifier: Apache-2.0
#include "tools/session/completion.h"

#include <filesystem>
#include <set>
#include <system_error>

#include "base/text.h"
#include "tools/words.h"

namespace mbc::tools {
namespace {

using Words = std::set<std::string>;

void add_quantities(const std::vector<Quantity>& list, Words& out) {
  for (const Quantity& q : list) out.insert(q.name);
}

// Adds all names that a statement can use, with their members: those that a joint or model declares, and the built-in
// ones of particles and similar kinds.
void add_members(const SourceIndex& index, Words& out) {
  for (const std::uint32_t id : index.visible) {
    const IndexSymbol& s = index.symbols.at(id);
    if (s.name.empty()) continue;
    out.insert(s.name);
    const bool typed = s.kind == SymbolKind::constraint && !s.type.empty();
    for (const MemberInfo& m : members_of(typed ? s.type : to_text(s.kind), index.space))
      out.insert(s.name + "." + m.name);
    if (s.component == kNoSymbol) continue;
    for (const std::uint32_t member : index.symbols.at(s.component).members)
      out.insert(s.name + "." + index.symbols.at(member).name);
  }
  for (const char* what : {"energy", "momentum", "ground"})
    for (const MemberInfo& m : members_of(what, index.space)) out.insert(std::string(what) + "." + m.name);
}

void add_names(Session& session, Words& out) {
  const Model& model = session.model();
  if (model.ok()) {
    for (const auto& list : {model.parameters(), model.inputs(), model.coordinates(), model.outputs()})
      add_quantities(list, out);
    if (model.column_count() < 5000) add_quantities(model.columns(), out);
  }
  if (const SourceIndex* index = session.index()) add_members(*index, out);
}

void add_language(Words& out) {
  for (const BuiltinInfo& f : vocabulary().functions) out.insert(f.name + "(");
  for (const BuiltinInfo& v : vocabulary().values) out.insert(v.name);
  out.insert({"ans", "val("});
}

void add_library(bool components, Words& out) {
  for (const LibraryPart& part : library_parts()) {
    const bool is = part.symbol.kind == SymbolKind::joint || part.symbol.kind == SymbolKind::model;
    if (is == components) out.insert(part.symbol.name);
  }
}

void add_choices(const std::string& key, Words& out) {
  for (const SettingInfo& s : vocabulary().settings)
    if (s.key == key)
      for (const SettingInfo::Choice& c : s.choices) out.insert(c.name);
}

void add_keys(const std::string& end, Words& out) {
  for (const SettingInfo& s : vocabulary().settings) out.insert(s.key + end);
}

// Adds files and folders that begin with the typed text; folders end in a slash.
void add_files(const std::string& typed, Words& out) {
  const std::size_t stroke = typed.rfind('/');
  const std::string folder = stroke == std::string::npos ? "" : typed.substr(0, stroke + 1);
  std::error_code none;
  for (std::filesystem::directory_iterator it(folder.empty() ? "." : folder, none), end; !none && it != end;
       it.increment(none)) {
    const std::string name = it->path().filename().string();
    const bool is_folder = it->is_directory(none);
    if (name.starts_with('.') || (!is_folder && !name.ends_with(".mbd") && !name.ends_with(".csv"))) continue;
    out.insert(folder + name + (is_folder ? "/" : ""));
  }
}

// Chooses the completions; members of words that are not complete yet come later.
Completion chosen(const Words& words, const std::string& line, std::size_t begin) {
  const std::string typed = line.substr(begin);
  const auto is_member = [&](const std::string& word) {
    const std::size_t dot = word.find('.', typed.size());
    return dot != std::string::npos && dot > typed.size() && words.count(word.substr(0, dot)) > 0;
  };
  Completion out{begin, {}};
  for (const std::string& word : words)
    if (word.starts_with(typed) && !is_member(word)) out.words.push_back(word);
  return out;
}

// Returns the index after the last blank.
std::size_t last_argument(const std::string& line) {
  const std::size_t blank = line.rfind(' ');
  return blank == std::string::npos ? 0 : blank + 1;
}

// Completes `:set k=3`, `:set integrator=rk4`.
Completion of_set(Session& session, const std::string& line) {
  Words words;
  const std::size_t equals = line.find('=');
  if (equals == std::string::npos) {
    const Model& model = session.model();
    if (model.ok())
      for (const auto& list : {model.parameters(), model.inputs()})
        for (const Quantity& q : list) words.insert(q.name + "=");
    add_keys("=", words);
    words.insert({"time.begin=", "time.end=", "time.step="});
    return chosen(words, line, last_argument(line));
  }
  std::string key = trimmed(line.substr(0, equals));
  key = key.substr(key.find_last_of(" .") + 1);
  add_choices(key, words);
  std::size_t begin = equals + 1;
  while (begin < line.size() && line[begin] == ' ') ++begin;
  return chosen(words, line, begin);
}

Completion of_command(Session& session, const std::string& line) {
  Words words;
  const std::size_t blank = line.find(' ');
  const std::string word = line.substr(0, blank);
  if (blank == std::string::npos) {
    words.insert(command_words().begin(), command_words().end());
    return chosen(words, line, 0);
  }
  if (word == ":set") return of_set(session, line);
  const std::size_t begin = last_argument(line);
  if (word == ":load" || word == ":save" || word == ":save!") add_files(line.substr(begin), words);
  if (word == ":explain" && session.moves())
    for (const std::string& row : session.rows().row_names) words.insert(row);
  if (word == ":help") {
    add_names(session, words);
    add_library(true, words);
    add_library(false, words);
    for (const auto* list : {&vocabulary().functions, &vocabulary().values})
      for (const BuiltinInfo& b : *list) words.insert(b.name);
    for (const StatementInfo& s : vocabulary().statements) words.insert(s.word);
    words.insert(vocabulary().modules.begin(), vocabulary().modules.end());
    add_keys("", words);
  }
  return chosen(words, line, begin);
}

// Completes in the braces of `simulate`: keys, and the choices after an equals sign.
bool in_simulate(const std::string& before, Words& out) {
  const std::size_t open = before.rfind('{');
  if (open == std::string::npos || before.find('}', open) != std::string::npos) return false;
  std::size_t head = before.rfind('\n', open);
  head = head == std::string::npos ? 0 : head + 1;
  if (!trimmed(before.substr(head, open - head)).starts_with("simulate")) return false;
  const std::size_t entry = before.find_last_of("{;\n") + 1;
  const std::size_t equals = before.find('=', entry);
  if (equals == std::string::npos) {
    add_keys(" = ", out);
    out.insert("plot ");
  } else {
    add_choices(trimmed(before.substr(entry, equals - entry)), out);
  }
  return !out.empty();
}

}  // namespace

const std::vector<std::string>& command_words() {
  static const std::vector<std::string> kWords = {
      ":A",    ":C",         ":M",      ":a",       ":b",      ":clear", ":compare",  ":doctor",
      ":dof",  ":equations", ":events", ":explain", ":f",      ":help",  ":lambda",   ":list",
      ":load", ":q",         ":quit",   ":rank",    ":reload", ":reset", ":residual", ":rows",
      ":save", ":save!",     ":set",    ":state",   ":t",      ":u",     ":undo"};
  return kWords;
}

Completion complete(Session& session, const std::string& before) {
  const std::string line = before.substr(before.rfind('\n') + 1);
  if (line.starts_with(':')) return of_command(session, line);
  std::size_t begin = line.size();
  while (begin > 0 && (is_word_character(line[begin - 1]) || line[begin - 1] == '.')) --begin;
  Words words;
  if (in_simulate(before, words)) return chosen(words, line, begin);
  if (trimmed(line).starts_with("use ") || line == "use ") {
    for (const std::string& module : vocabulary().modules) words.insert(module);
    return chosen(words, line, begin);
  }
  if (before.find_first_not_of(" \t") >= begin) {  // the first word
    for (const StatementInfo& s : vocabulary().statements) words.insert(s.word + " ");
    words.insert({"run ", "plot ", "step", "view"});
    add_library(true, words);
  }
  add_names(session, words);
  add_language(words);
  add_library(false, words);
  return chosen(words, line, begin);
}

}  // namespace mbc::tools
