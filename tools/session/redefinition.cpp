// SPDX-License-Identifier: Apache-2.0
#include "tools/session/redefinition.h"

#include <algorithm>
#include <set>

#include "base/text.h"

namespace mbc::tools {
namespace {

constexpr std::size_t kMostPrescribed = 12;  // named in the text

bool is_within(const TextRange& place, const TextRange& of) {
  return of.file == 0 && place.begin >= of.begin && place.end <= of.end;
}

// Returns whether a symbol is a name of the text itself, not an index or argument inside a statement.
bool stands_alone(const IndexSymbol& s) {
  return s.place.file == 0 && s.owner == kNoSymbol && !s.local && !s.name.empty() && s.kind != SymbolKind::label &&
         s.kind != SymbolKind::argument;
}

std::string first_word(const std::string& text, std::uint32_t place) {
  std::size_t begin = text.rfind('\n', place);
  begin = begin == std::string::npos ? 0 : begin + 1;
  const std::string line = trimmed(text.substr(begin, text.find('\n', begin) - begin));
  return line.substr(0, line.find_first_of(" \t:({"));
}

const std::string* value_in(const NamedValues& list, const std::string& name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.first == name; });
  return found == list.end() ? nullptr : &found->second;
}

// Returns "T = 3.4 [s], was 2.8 [s]"; "" if it has no value or the same.
std::string change_of(const std::string& name, const NamedValues& before, const NamedValues& after) {
  const std::string *was = value_in(before, name), *is = value_in(after, name);
  return was && is && *was != *is ? name + " = " + *is + ", was " + *was : "";
}

}  // namespace

std::vector<std::string> users_of(const SourceIndex& index, const std::string& text,
                                  const std::vector<std::string>& names) {
  std::set<std::uint32_t> reached;
  for (std::uint32_t id = 0; id < index.symbols.size(); ++id)
    if (stands_alone(index.symbols[id]) && std::find(names.begin(), names.end(), index.symbols[id].name) != names.end())
      reached.insert(id);
  std::set<std::pair<std::uint32_t, std::string>> found;  // by place
  for (bool more = true; more;) {
    more = false;
    for (const IndexUse& u : index.uses) {
      if (u.place.file != 0 || u.kind == UseKind::declaration || !reached.contains(u.symbol)) continue;
      bool in_named = false;
      for (std::uint32_t id = 0; id < index.symbols.size(); ++id) {
        const IndexSymbol& s = index.symbols[id];
        if (!stands_alone(s) || !is_within(u.place, s.statement)) continue;
        in_named = true;
        more = reached.insert(id).second || more;
        if (std::find(names.begin(), names.end(), s.name) == names.end()) found.emplace(s.place.begin, s.name);
      }
      if (!in_named) found.emplace(u.place.begin, first_word(text, u.place.begin));
    }
  }
  std::vector<std::string> out;
  for (const auto& [place, name] : found)
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  return out;
}

std::string redefinition_text(const std::vector<Replaced>& replaced, const std::vector<std::string>& users,
                              const NamedValues& before, const NamedValues& after) {
  std::string text;
  for (const Replaced& r : replaced) {
    const std::string change = change_of(r.name, before, after);
    text += "note: " + (change.empty() ? r.name + " was `" + r.before + "`" : change) + "\n";
  }
  std::string changed, others;
  std::size_t shown = 0;
  for (const std::string& name : users) {
    if (++shown > kMostPrescribed) continue;
    const std::string change = change_of(name, before, after);
    if (!change.empty())
      changed += (changed.empty() ? "" : "; ") + change;
    else
      others += (others.empty() ? "" : ", ") + name;
  }
  if (shown > kMostPrescribed)
    others += (others.empty() ? "" : " ") + ("and " + std::to_string(shown - kMostPrescribed) + " more");
  if (users.empty()) return text;
  return text + "followed: " + changed + (changed.empty() || others.empty() ? "" : "; ") + others + "\n";
}

}  // namespace mbc::tools
