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
  // The first `hidden` lines are not the user's: they count for nothing in positions.
  SourceFile(std::string name, std::string text, std::uint32_t hidden = 0);
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] Position position(std::uint32_t offset) const;
  // The text of a 1-based line, without its line end.
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
  // "file:line:column", or "" for an unknown span.
  [[nodiscard]] std::string where(Span span) const;

 private:
  std::deque<SourceFile> files_;  // those that are there stay where they are
};

}  // namespace mbc
