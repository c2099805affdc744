// SPDX-License-Identifier: Apache-2.0
// Lists as text.
#pragma once
#include <string>
#include <vector>

#include "base/text.h"

namespace mbc {

// Returns "a, b, c"; `text_of` returns the text of an entry.
template <class List, class TextOf>
[[nodiscard]] std::string joined_by(const List& list, const TextOf& text_of) {
  std::vector<std::string> texts;
  for (const auto& one : list) texts.emplace_back(text_of(one));
  return joined(texts);
}

// Returns "sin(x)", or the name alone if there are no arguments.
[[nodiscard]] inline std::string call_text(const std::string& name, const std::vector<std::string>& arguments) {
  return arguments.empty() ? name : name + "(" + joined(arguments) + ")";
}

}  // namespace mbc
