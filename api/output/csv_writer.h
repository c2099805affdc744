// SPDX-License-Identifier: Apache-2.0
// Writes rows of numbers to a CSV file according to RFC 4180: a header row, comma separated, lines end in CR LF, a name
// with a comma, a quote or a line end is quoted and its quotes are doubled. Numbers have the fewest digits that read
// back as the same double; nan, inf and -inf have these spellings.
#pragma once
#include <functional>
#include <span>
#include <string>

#include "api/output/file_sink.h"

namespace mbc::output {

// Interface for recorders: they call header() once, then row() with as many values, then finish(). Each returns false
// on failure, and error() has the reason; after a failure the other calls return false as well.
class RowWriter {
 public:
  RowWriter() = default;
  virtual ~RowWriter() = default;
  RowWriter(const RowWriter&) = delete;
  RowWriter& operator=(const RowWriter&) = delete;

  using NameOf = std::function<std::string(std::size_t column)>;
  [[nodiscard]] virtual bool header(std::size_t columns, const NameOf& name_of) = 0;
  [[nodiscard]] bool header(std::span<const std::string> names) {
    return header(names.size(), [names](std::size_t k) { return names[k]; });
  }
  [[nodiscard]] virtual bool row(double first, std::span<const double> others) = 0;
  [[nodiscard]] bool row(std::span<const double> values) { return row(values.front(), values.subspan(1)); }
  // Writes everything and closes the file.
  [[nodiscard]] virtual bool finish() = 0;
  [[nodiscard]] virtual const std::string& error() const = 0;
};

class CsvWriter final : public RowWriter {
 public:
  // `sink` is open and outlives the writer.
  explicit CsvWriter(FileSink& sink) : sink_(sink) {}

  using RowWriter::header;
  using RowWriter::row;
  [[nodiscard]] bool header(std::size_t columns, const NameOf& name_of) override;
  [[nodiscard]] bool row(double first, std::span<const double> others) override;
  [[nodiscard]] bool finish() override { return sink_.close(); }
  [[nodiscard]] const std::string& error() const override { return sink_.error(); }

 private:
  FileSink& sink_;
  std::string line_;  // buffer for a row; only a part of it is used
};

// Returns a field of RFC 4180, with control characters escaped.
[[nodiscard]] std::string csv_field(const std::string& text);

}  // namespace mbc::output
