// SPDX-License-Identifier: Apache-2.0
// A table of results for a terminal. The first and the last few rows are shown, aligned, with as many columns as fit,
// and a hint how to get all of them, because a thousand lines passing by are unreadable.
#pragma once
#include <cstddef>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "api/output/csv_writer.h"

namespace mbc::tools {

class TerminalPreview final : public output::RowWriter {
 public:
  static constexpr std::size_t kHead = 5;  // rows shown from the beginning
  static constexpr std::size_t kTail = 5;  // and from the end

  // `sink` is open and outlives the preview; `width` in characters.
  TerminalPreview(output::FileSink& sink, std::size_t width) : sink_(sink), width_(width) {}

  using output::RowWriter::header;
  using output::RowWriter::row;
  // Sets the columns that are shown before others if not all fit; the first column is always shown.
  void prefer(std::vector<std::size_t> columns) { preferred_ = std::move(columns); }
  [[nodiscard]] bool header(std::size_t columns, const NameOf& name_of) override;
  [[nodiscard]] bool row(double first, std::span<const double> others) override;
  // Prints the table; nothing is printed before.
  [[nodiscard]] bool finish() override;
  [[nodiscard]] const std::string& error() const override { return sink_.error(); }

 private:
  using Cells = std::vector<std::string>;
  [[nodiscard]] std::vector<std::size_t> widths() const;
  // Returns the numbers of the columns that fit, in the order they are shown.
  [[nodiscard]] std::vector<std::size_t> columns_that_fit() const;
  [[nodiscard]] std::string text() const;

  output::FileSink& sink_;
  std::size_t width_;
  Cells names_;
  std::vector<std::size_t> preferred_;
  std::vector<Cells> head_;
  std::deque<std::vector<double>> tail_;
  std::size_t rows_ = 0;
};

// Returns the width of the terminal of `fd`, or `otherwise`.
[[nodiscard]] std::size_t terminal_width(int fd, std::size_t otherwise = 80);

}  // namespace mbc::tools
