// SPDX-License-Identifier: Apache-2.0
#include "tests/house/cpp_enums.h"

#include <cstddef>

#include "tests/house/cpp_tokens.h"

namespace mbc::house {

namespace {

using Tokens = std::vector<Token>;

std::string_view text_at(const Tokens& tokens, std::size_t at) { return at < tokens.size() ? tokens[at].text : ""; }

std::vector<std::string> enumerators(const Tokens& tokens, std::size_t begin, std::size_t end) {
  std::vector<std::string> found;
  bool fresh = true;
  for (std::size_t k = begin; k < end; ++k) {
    const std::string_view t = tokens[k].text;
    if (fresh && is_word(t)) {
      found.emplace_back(t);
      fresh = false;
    }
    if (t == ",") fresh = true;
    if (t == "(" || t == "{" || t == "[") k = behind_group(tokens, k) - 1;
  }
  return found;
}

// Returns the label after a `case`, up to its colon.
std::string label(const Tokens& tokens, std::size_t at) {
  std::string all;
  for (; at < tokens.size() && tokens[at].text != ":"; ++at) all += tokens[at].text;
  return all;
}

}  // namespace

std::vector<EnumFound> enums_of(std::string_view text) {
  const Tokens tokens = tokens_of(text);
  std::vector<EnumFound> all;
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    if (tokens[k].text != "enum") continue;
    EnumFound found;
    found.line = tokens[k].line;
    std::size_t at = k + 1;
    found.scoped = text_at(tokens, at) == "class" || text_at(tokens, at) == "struct";
    if (found.scoped) ++at;
    for (; at < tokens.size() && is_word(tokens[at].text); ++at) found.name = tokens[at].text;
    while (at < tokens.size() && tokens[at].text != "{" && tokens[at].text != ";") ++at;
    if (text_at(tokens, at) != "{") continue;
    found.enumerators = enumerators(tokens, at + 1, behind_group(tokens, at) - 1);
    all.push_back(std::move(found));
  }
  return all;
}

std::vector<SwitchFound> switches_of(std::string_view text) {
  const Tokens tokens = tokens_of(text);
  std::vector<SwitchFound> all;
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    if (tokens[k].text != "switch") continue;
    SwitchFound found;
    found.line = tokens[k].line;
    const std::size_t open = behind_group(tokens, k + 1);
    if (text_at(tokens, open) != "{") continue;
    const std::size_t end = behind_group(tokens, open) - 1;
    for (std::size_t at = open + 1; at < end; ++at) {
      const std::string_view t = tokens[at].text;
      if (t == "switch") at = behind_group(tokens, behind_group(tokens, at + 1)) - 1;
      if (t == "case") found.labels.push_back(label(tokens, at + 1));
      if (t == "default" && text_at(tokens, at + 1) == ":") found.has_default = true;
    }
    all.push_back(std::move(found));
  }
  return all;
}

}  // namespace mbc::house
