// SPDX-License-Identifier: Apache-2.0
// One line of source as it is shown on a terminal: tabs expanded, control characters made visible, the width of wide
// and combining characters known, very long lines cut to a window. For the renderer.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mbc {

// Columns a code point takes on a terminal: 0, 1 or 2.
unsigned display_width(char32_t c);

class DisplayLine {
 public:
  // Shows what stands at the byte `focus` of the line for certain; the rest as far as it fits.
  DisplayLine(std::string_view line, std::size_t focus);
  [[nodiscard]] const std::string& text() const { return text_; }
  // Display column, from 0, of a byte of the line; bytes outside the window give its nearest edge.
  [[nodiscard]] std::size_t column(std::size_t byte) const;

 private:
  std::string text_;
  std::size_t begin_ = 0;             // of a very long line the first byte that is looked at
  std::vector<std::size_t> columns_;  // of each byte from there, and of the end
};

}  // namespace mbc
