// SPDX-License-Identifier: Apache-2.0
#include "api/output/csv_writer.h"

#include <algorithm>

#include "base/numbers.h"
#include "base/text.h"

namespace mbc::output {

std::string csv_field(const std::string& given) {
  const std::string text = escaped(given);
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
  constexpr std::size_t kField = text::kNumberSize + 1, kLineEnd = 2;
  line_.resize(std::max(line_.size(), (others.size() + 1) * kField + kLineEnd));
  char* to = text::write_number(line_.data(), first);
  for (const double value : others) {
    *to++ = ',';
    to = text::write_number(to, value);
  }
  *to++ = '\r';
  *to++ = '\n';
  return sink_.append({line_.data(), to});
}

}  // namespace mbc::output
