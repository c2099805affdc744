// SPDX-License-Identifier: Apache-2.0
// Tests that the word lists in the files for editors contain exactly the words of the compiler.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "mbc/mbc.h"
#include "tests/tools/lsp/client.h"

using namespace mbc;
using nlohmann::json;

namespace {

using Words = std::set<std::string>;

const std::string kEditors = std::string(MBC_SOURCE_DIR) + "/tools/editors";

// Returns the lists under the names that the three files use.
std::vector<std::pair<std::string, Words>> lists() {
  const Vocabulary& v = vocabulary();
  const auto set = [](const std::vector<std::string>& list) { return Words(list.begin(), list.end()); };
  const auto names = [](const auto& list) {
    Words out;
    for (const auto& one : list) out.insert(one.name);
    return out;
  };
  Words statements, settings;
  for (const StatementInfo& s : v.statements)
    if (!set(v.reserved).contains(s.word)) statements.insert(s.word);
  for (const SettingInfo& s : v.settings) settings.insert(s.key);
  return {{"reserved", set(v.reserved)},    {"statement", statements},  {"modifier", set(v.modifiers)},
          {"entry", set(v.entries)},        {"action", set(v.actions)}, {"setting", settings},
          {"function", names(v.functions)}, {"value", names(v.values)}, {"type", set(v.types)}};
}

Words words_in(const std::string& text) {
  Words out;
  static const std::regex word("[A-Za-z_][A-Za-z0-9_]*");
  for (std::sregex_iterator it(text.begin(), text.end(), word), end; it != end; ++it) out.insert(it->str());
  return out;
}

std::string listed(const Words& words) {
  std::string out;
  for (const std::string& w : words) out += w + " ";
  return out;
}

// Returns the words of the longest group `a|b|c` of a pattern.
Words alternatives(const std::string& pattern) {
  static const std::regex group("\\(?(?:\\?:|\\?<words>|%\\()?([a-z_0-9]+(?:\\|[a-z_0-9]+)+)\\)");
  std::string longest;
  for (std::sregex_iterator it(pattern.begin(), pattern.end(), group), end; it != end; ++it)
    if ((*it)[1].length() > static_cast<std::ptrdiff_t>(longest.size())) longest = (*it)[1].str();
  return words_in(longest);
}

}  // namespace

TEST_CASE("the TextMate grammar knows the words of the compiler") {
  const json grammar = json::parse(test::read_text(kEditors + "/vscode/syntaxes/mbd.tmLanguage.json"));
  for (const auto& [name, words] : lists()) {
    const std::string key = name == "reserved" ? name : name == "entry" ? "entries" : name + "s";
    REQUIRE_MESSAGE(grammar["repository"].contains(key), key);
    const Words found = alternatives(grammar["repository"][key]["match"].get<std::string>());
    CHECK_MESSAGE(found == words, key, ": ", listed(found), "is not ", listed(words));
  }
}

TEST_CASE("so does the Vim syntax") {
  const std::string text = test::read_text(kEditors + "/vim/syntax/mbd.vim");
  for (const auto& [name, words] : lists()) {
    const std::string group = "mbd" + std::string(1, static_cast<char>(std::toupper(name[0]))) + name.substr(1);
    Words found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("syntax keyword " + group + " ")) found.merge(words_in(line.substr(15 + group.size())));
      if (line.starts_with("syntax match " + group + " ")) found.merge(alternatives(line));
    }
    CHECK_MESSAGE(found == words, group, ": ", listed(found), "is not ", listed(words));
  }
}

TEST_CASE("so does the Emacs mode") {
  const std::string text = test::read_text(kEditors + "/emacs/mbd-mode.el");
  for (const auto& [name, words] : lists()) {
    const std::size_t begin = text.find("(defconst mbd-" + name + "-words");
    REQUIRE_MESSAGE(begin != std::string::npos, name);
    const std::size_t list = text.find("'(", begin);
    const Words found = words_in(text.substr(list, text.find(')', list) - list));
    CHECK_MESSAGE(found == words, name, ": ", listed(found), "is not ", listed(words));
  }
}

TEST_CASE("the extension names files that are there and commands that the server's lenses name") {
  const json package = json::parse(test::read_text(kEditors + "/vscode/package.json"));
  std::vector<std::string> files{package["main"], package["contributes"]["languages"][0]["configuration"],
                                 package["contributes"]["grammars"][0]["path"],
                                 package["contributes"]["snippets"][0]["path"]};
  for (const std::string& file : files) CHECK_MESSAGE(!test::read_text(kEditors + "/vscode/" + file).empty(), file);
  CHECK(package["version"] == version());
  const std::string script = test::read_text(kEditors + "/vscode/extension.js");
  Words commands;
  for (const json& c : package["contributes"]["commands"]) commands.insert(c["command"].get<std::string>());
  CHECK(commands == Words{"mbc.run", "mbc.view", "mbc.test", "mbc.sweep"});
  for (const std::string& c : commands) CHECK_MESSAGE(script.find("'" + c + "'") != std::string::npos, c);
}

TEST_CASE("the problem matcher reads what mbc check prints") {
  const json package = json::parse(test::read_text(kEditors + "/vscode/package.json"));
  const json pattern = package["contributes"]["problemMatchers"][0]["pattern"];
  const std::regex line(pattern["regexp"].get<std::string>());
  const Model model = Model::from_string("mbd 1\nlet a = b\n", "folder/model.mbd", {.interpret = true, .cache = false});
  const std::string text = model.render_diagnostics();
  std::smatch found;
  const std::string first = text.substr(0, text.find('\n'));
  REQUIRE(std::regex_match(first, found, line));
  CHECK(found[pattern["file"].get<std::size_t>()] == "folder/model.mbd");
  CHECK(found[pattern["line"].get<std::size_t>()] == "2");
  CHECK(found[pattern["column"].get<std::size_t>()] == "9");
  CHECK(found[pattern["severity"].get<std::size_t>()] == "error");
  CHECK(found[pattern["code"].get<std::size_t>()] == "E0201");
}

// Snippets with their first suggestions must be free of syntax errors.
TEST_CASE("snippets are sentences of the language") {
  const json snippets = json::parse(test::read_text(kEditors + "/vscode/snippets/mbd.json"));
  CHECK(snippets.size() >= 10);
  for (const auto& [name, snippet] : snippets.items()) {
    std::string body;
    if (snippet["body"].is_array())
      for (const json& part : snippet["body"]) body += part.get<std::string>() + "\n";
    else
      body = snippet["body"].get<std::string>() + "\n";
    body = std::regex_replace(body, std::regex("\\$\\{\\d+\\|([^,|]*)[^}]*\\}"), "$1");
    body = std::regex_replace(body, std::regex("\\$\\{\\d+:([^}]*)\\}"), "$1");
    body = std::regex_replace(body, std::regex("\\$\\d+"), "");
    const std::string text = body.starts_with("mbd 1") ? body : "mbd 1\n" + body;
    CHECK_MESSAGE(format_text(text, name), name, "\n", text);
    CHECK_MESSAGE(snippet.contains("prefix"), name);
  }
}
