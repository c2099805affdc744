// SPDX-License-Identifier: Apache-2.0
// Small text tables for people: columns are aligned with two spaces between them, numbers to the right.
#pragma once
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace mbc::text {

enum class Align : unsigned char { left, right };

class Table {
 public:
  struct Column {
    std::string header;
    Align align = Align::left;
  };

  explicit Table(std::string indent = "  ") : indent_(std::move(indent)) {}
  explicit Table(std::initializer_list<Column> columns) : indent_("  "), columns_(columns) {}

  // Columns are added before rows; a table whose headers are all empty prints no header line.
  void column(std::string header, Align align = Align::left);
  // Missing cells at the end are empty; cells beyond the columns are dropped.
  void row(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  // Returns the table; every line ends in "\n", none in blanks.
  [[nodiscard]] std::string text() const;

 private:
  void append_line(std::string& out, const std::vector<std::string>& cells,
                   const std::vector<std::size_t>& widths) const;

  std::string indent_;
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Returns the number of characters of a UTF-8 text (code points; wide and combining ones count as one).
[[nodiscard]] std::size_t display_width(std::string_view text);

}  // namespace mbc::text
