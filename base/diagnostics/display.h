// SPDX-License-Identifier: Apache-2.0
// One line of source as a terminal shows it: tabs are expanded, control characters are visible, wide and combining
// characters have their width, and very long lines are cut to a window.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mbc {

// Returns the columns that a code point takes on a terminal: 0, 1 or 2.
unsigned display_width(char32_t c);

class DisplayLine {
 public:
  // The window contains the byte `focus` of the line, and the rest as far as it fits.
  DisplayLine(std::string_view line, std::size_t focus);
  [[nodiscard]] const std::string& text() const { return text_; }
  // Returns the display column, from 0, of a byte of the line; bytes outside the window give its nearest edge.
  [[nodiscard]] std::size_t column(std::size_t byte) const;

 private:
  std::string text_;
  std::size_t begin_ = 0;             // first byte of a very long line that is examined
  std::vector<std::size_t> columns_;  // of each byte from there, and of the end
};

}  // namespace mbc
