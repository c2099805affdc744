// SPDX-License-Identifier: Apache-2.0
// Words of the language for `mbc doc`: how statements and entries are written, what functions and settings are.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace mbc::tools {

struct Construct {
  std::string kind;  // "statement", "modifier", "entry", "action", "function", "value", "setting"
  std::vector<std::string> examples;
  std::string text;  // all that is said of it
};
[[nodiscard]] std::optional<Construct> construct(const std::string& word);
[[nodiscard]] std::vector<std::string> construct_words();

// grammar/MbcParser.g4: above each rule it has lines of examples.
[[nodiscard]] const char* grammar_text();

}  // namespace mbc::tools
