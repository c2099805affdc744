// SPDX-License-Identifier: Apache-2.0
// The text of one source and its line table. Offsets are bytes; columns count Unicode code points from 1.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/span.h"

namespace mbc {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // UTF-8, at the head of a text

struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

class SourceFile {
 public:
  // The first `hidden` lines do not belong to the user's text: positions do not count them.
  SourceFile(std::string name, std::string text, std::uint32_t hidden = 0);
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] Position position(std::uint32_t offset) const;
  // Returns the text of a line, counted from 1, without its line end.
  [[nodiscard]] std::string_view line(std::uint32_t number) const;
  [[nodiscard]] std::uint32_t line_count() const { return static_cast<std::uint32_t>(line_starts_.size()) - hidden_; }

 private:
  std::string name_;
  std::string text_;
  std::uint32_t hidden_;
  std::vector<std::uint32_t> line_starts_;
};

// All sources of one compilation; the index is Span::file.
class SourceSet {
 public:
  std::uint32_t add(std::string name, std::string text, std::uint32_t hidden_lines = 0);
  [[nodiscard]] const SourceFile& operator[](std::uint32_t file) const { return files_.at(file); }
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(files_.size()); }
  [[nodiscard]] std::string_view text(Span span) const;
  // Returns "file:line:column", or "" for an unknown span.
  [[nodiscard]] std::string where(Span span) const;

 private:
  std::deque<SourceFile> files_;  // a deque, since elements must not move
};

}  // namespace mbc
