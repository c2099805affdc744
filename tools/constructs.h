// SPDX-License-Identifier: Apache-2.0
// Words of the language for `mbc doc`: the form of statements and entries, the meaning of functions and settings.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace mbc::tools {

struct Construct {
  std::string kind;  // "statement", "modifier", "entry", "action", "function", "value", "setting"
  std::vector<std::string> examples;
  std::string text;  // the whole description
};
[[nodiscard]] std::optional<Construct> construct(const std::string& word);
[[nodiscard]] std::vector<std::string> construct_words();

// Returns grammar/MbcParser.g4, which has lines of examples above each rule.
[[nodiscard]] const char* grammar_text();

}  // namespace mbc::tools
