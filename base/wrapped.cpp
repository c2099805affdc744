// SPDX-License-Identifier: Apache-2.0
#include "base/wrapped.h"

#include <sstream>

#include "base/table.h"

namespace mbc::text {

std::string wrapped(const std::string& sentence, std::size_t width, const std::string& first, const std::string& next) {
  std::istringstream words(sentence);
  std::string out, line = first;
  bool empty = true;
  for (std::string word; words >> word; empty = false) {
    if (!empty && display_width(line) + 1 + display_width(word) > width) {
      out += line + "\n";
      line = next;
      empty = true;
    }
    line += (empty ? "" : " ") + word;
  }
  return out + line + "\n";
}

}  // namespace mbc::text
