// SPDX-License-Identifier: Apache-2.0
// The text of an open document. The protocol counts lines from 0 and UTF-16 units in a line; diagnostics count lines
// and code points from 1; everything else here is in bytes.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mbc::lsp {

struct Point {
  std::uint32_t line = 0, character = 0;
};

class Text {
 public:
  explicit Text(std::string text = "");

  [[nodiscard]] const std::string& str() const { return text_; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(text_.size()); }
  [[nodiscard]] std::uint32_t line_count() const { return static_cast<std::uint32_t>(lines_.size()); }
  // Returns the nearest valid place, never inside a code point.
  [[nodiscard]] std::uint32_t offset(Point point) const;
  [[nodiscard]] Point point(std::uint32_t offset) const;
  // Returns the offset of a place of a diagnostic: lines and code points from 1.
  [[nodiscard]] std::uint32_t offset_of_place(std::uint32_t line, std::uint32_t column) const;
  [[nodiscard]] std::uint32_t line_of(std::uint32_t offset) const;  // from 0
  [[nodiscard]] std::uint32_t line_begin(std::uint32_t line) const;
  [[nodiscard]] std::string_view line(std::uint32_t number) const;  // without its end
  // Returns the number of UTF-16 units of a part of the text.
  [[nodiscard]] std::uint32_t units(std::uint32_t begin, std::uint32_t end) const;
  void replace(std::uint32_t begin, std::uint32_t end, std::string_view by);

 private:
  void count_lines();

  std::string text_;
  std::vector<std::uint32_t> lines_;  // begin of each line
};

// A line to insert, and its place.
struct Insertion {
  std::uint32_t place = 0;
  std::string text;
};
// Returns the insertion of `use joints` after the existing `use` statements, or after `mbd 1`.
[[nodiscard]] Insertion use_line(const Text& text, const std::string& statement);

}  // namespace mbc::lsp
