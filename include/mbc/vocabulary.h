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
  std::vector<std::string> arguments;  // of a function, as they are shown: "x", "a", "..."
  std::string meaning;
};

struct SettingInfo {
  struct Choice {
    std::string name;
    std::vector<std::string> arguments;
  };
  std::string key;
  std::vector<Choice> choices;  // empty for those that choose no method
};

struct StatementInfo {
  std::string word;
  std::vector<std::string> modifiers;  // that such a statement takes
};

struct MemberInfo {
  std::string name, meaning;
};

struct Vocabulary {
  std::vector<std::string> reserved;       // never name anything
  std::vector<StatementInfo> statements;   // words that begin one, reserved ones among them
  std::vector<std::string> modifiers;      // words that stand inside one
  std::vector<std::string> entries;        // words that begin an entry of a block: `check`, `record`
  std::vector<std::string> actions;        // words that begin an action of an event
  std::vector<BuiltinInfo> values;         // `t`, `pi`, `ground`, ...
  std::vector<BuiltinInfo> functions;      // `sin`, ...
  std::vector<std::string> types;          // of parameters of components
  std::vector<SettingInfo> settings;       // of `simulate`
  std::vector<std::string> units;          // without prefixes
  std::vector<std::string> modules;        // of the standard library
  std::vector<MemberInfo> body_arguments;  // of a body
};
[[nodiscard]] const Vocabulary& vocabulary();

// Members that are built in: of "particle", "body", "point", "frame", "ground", "constraint", "inequality" (a
// constraint that only pushes), "event", "vector", "energy", "momentum"; nothing for other words.
[[nodiscard]] std::vector<MemberInfo> members_of(const std::string& what, unsigned space);

}  // namespace mbc
