// SPDX-License-Identifier: Apache-2.0
// The words of the language, as lists: for editors, and for tests that compare documents and highlighting with the
// compiler.
#pragma once
#include <string>
#include <vector>

#include "mbc/export.h"

namespace MBC_API mbc {

struct BuiltinInfo {
  std::string name;
  std::vector<std::string> arguments;  // arguments of a function, as they are shown: "x", "a", "..."
  std::string meaning;
};

struct SettingInfo {
  struct Choice {
    std::string name;
    std::vector<std::string> arguments;
  };
  std::string key;
  std::vector<Choice> choices;  // empty for settings that choose no method
};

struct StatementInfo {
  std::string word;
  std::vector<std::string> modifiers;  // modifiers that the statement takes
};

struct MemberInfo {
  std::string name, meaning;
};

struct Vocabulary {
  std::vector<std::string> reserved;       // words that cannot be names
  std::vector<StatementInfo> statements;   // words that begin a statement, reserved ones among them
  std::vector<std::string> modifiers;      // words that occur inside a statement
  std::vector<std::string> entries;        // words that begin an entry of a block: `check`, `record`
  std::vector<std::string> actions;        // words that begin an action of an event
  std::vector<BuiltinInfo> values;         // `t`, `pi`, `ground`, ...
  std::vector<BuiltinInfo> functions;      // `sin`, ...
  std::vector<std::string> types;          // types of parameters of components
  std::vector<SettingInfo> settings;       // settings of `simulate`
  std::vector<std::string> units;          // units without prefixes
  std::vector<std::string> modules;        // modules of the standard library
  std::vector<MemberInfo> body_arguments;  // arguments of a body
};
[[nodiscard]] const Vocabulary& vocabulary();

// Returns the built-in members of "particle", "body", "point", "frame", "ground", "constraint", "inequality" (a
// unilateral constraint), "event", "vector", "energy", "momentum"; nothing for other words.
[[nodiscard]] std::vector<MemberInfo> members_of(const std::string& what, unsigned space);

}  // namespace mbc
