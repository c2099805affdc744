// SPDX-License-Identifier: Apache-2.0
// Patterns for names: `*` stands for any number of letters, `?` for one. Brackets are ordinary letters, since names
// contain them.
#pragma once
#include <cstddef>
#include <string_view>

namespace mbc::text {

[[nodiscard]] inline bool matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = std::string_view::npos, mark = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {  // the last star takes one letter more
      p = star + 1;
      n = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace mbc::text
