// SPDX-License-Identifier: Apache-2.0
#include "tests/filetest/values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

namespace filetest {
namespace {

std::vector<std::string> csv_fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quoted && line[i] == '"' && line.substr(i + 1, 1) == "\"") {
      fields.back() += line[++i];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  return fields;
}

bool close_enough(const ExpectedValue& want, double got) {
  if (std::isnan(want.value)) return std::isnan(got);
  return want.value == got || std::abs(want.value - got) <= want.tolerance;
}

}  // namespace

Csv read_csv(const std::string& text) {
  Csv csv;
  for (const std::string& line : split_lines(text)) {
    const std::vector<std::string> fields = csv_fields(trimmed(line));
    if (csv.names.empty()) {
      csv.names = fields;
      continue;
    }
    std::vector<double>& row = csv.rows.emplace_back();
    for (const std::string& field : fields) {
      double value = std::nan("");
      std::from_chars(field.data(), field.data() + field.size(), value);
      row.push_back(value);
    }
  }
  return csv;
}

std::string check_value(const ExpectedValue& want, const Csv& csv) {
  const auto name = std::find(csv.names.begin(), csv.names.end(), want.name);
  if (name == csv.names.end()) return "line " + std::to_string(want.line) + ": there is no column `" + want.name + "`";
  const auto column = static_cast<std::size_t>(name - csv.names.begin());
  const std::vector<double>* row = csv.rows.empty() ? nullptr : &csv.rows.back();
  if (!want.at_end) {
    const auto found = std::find_if(csv.rows.begin(), csv.rows.end(),
                                    [&](const std::vector<double>& r) { return std::abs(r[0] - want.time) < 1e-9; });
    row = found == csv.rows.end() ? nullptr : &*found;
  }
  if (row == nullptr || column >= row->size()) return "line " + std::to_string(want.line) + ": there is no such row";
  if (close_enough(want, (*row)[column])) return "";
  std::ostringstream text;
  text.precision(17);
  text << "line " << want.line << ": " << want.name << " is " << (*row)[column] << ", expected " << want.value
       << " within " << want.tolerance;
  return text.str();
}

}  // namespace filetest
