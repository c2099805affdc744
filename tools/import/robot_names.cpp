// SPDX-License-Identifier: Apache-2.0
#include "tools/import/robot_names.h"

#include "mbc/mbc.h"

namespace mbc::tools {

RobotNames::RobotNames() {
  const Vocabulary& words = vocabulary();
  taken_.insert(words.reserved.begin(), words.reserved.end());
  for (const auto* list : {&words.values, &words.functions})
    for (const BuiltinInfo& b : *list) taken_.insert(b.name);
  for (const StatementInfo& s : words.statements) taken_.insert(s.word);
  for (const LibraryPart& part : library_parts()) taken_.insert(part.symbol.name);
}

std::string RobotNames::take(const std::string& wanted, const std::string& suffix) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  std::string name;
  for (const char c : wanted) name += is_letter(c) || is_digit(c) ? c : '_';
  const std::string stem = suffix.empty() ? "_" : suffix;
  if (name.find_first_not_of('_') == std::string::npos) name = stem.substr(1);
  if (is_digit(name[0])) name.insert(0, stem.substr(1) + "_");
  if (taken_.insert(name).second) return name;
  name += suffix;
  for (int k = 2; !taken_.insert(name).second; ++k) {
    while (is_digit(name.back())) name.pop_back();
    name += std::to_string(k);
  }
  return name;
}

}  // namespace mbc::tools
