// SPDX-License-Identifier: Apache-2.0
#include "api/output/csv_writer.h"

#include "base/numbers.h"

namespace mbc::output {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

bool CsvWriter::header(std::size_t columns, const NameOf& name_of) {
  line_.clear();
  for (std::size_t k = 0; k < columns; ++k) {
    if (!line_.empty()) line_ += ',';
    line_ += csv_field(name_of(k));
  }
  line_ += "\r\n";
  return sink_.append(line_);
}

bool CsvWriter::row(double first, std::span<const double> others) {
  line_.clear();
  text::append_number(line_, first);
  for (const double value : others) {
    line_ += ',';
    text::append_number(line_, value);
  }
  line_ += "\r\n";
  return sink_.append(line_);
}

}  // namespace mbc::output
