// SPDX-License-Identifier: Apache-2.0
#include "tools/session/values.h"

#include <algorithm>

#include "base/numbers.h"

namespace mbc::tools {
namespace {

// Adding 0 turns -0 into 0.
std::string number(double x) { return text::number(x + 0.0); }

std::string matrix_text(const Evaluated& m) {
  std::vector<std::string> cells;
  std::vector<std::size_t> width(m.columns, 0);
  for (std::size_t k = 0; k < m.values.size(); ++k) {
    cells.push_back(number(m.values[k]));
    width[k % m.columns] = std::max(width[k % m.columns], cells.back().size());
  }
  std::string out;
  for (std::size_t i = 0; i < m.rows; ++i) {
    out += i == 0 ? "((" : " (";
    for (std::size_t j = 0; j < m.columns; ++j) {
      const std::string& cell = cells[i * m.columns + j];
      out += (j > 0 ? ", " : "") + std::string(width[j] - cell.size(), ' ') + cell;
    }
    out += i + 1 < m.rows ? "),\n" : "))";
  }
  return out;
}

}  // namespace

std::string value_text(const std::vector<double>& value) {
  if (value.size() == 1) return number(value.front());
  std::string text = "(";
  for (const double x : value) text += (text.size() > 1 ? ", " : "") + number(x);
  return text + ")";
}

std::string unit_text(const std::string& unit) { return unit.empty() || unit == "1" ? "" : " [" + unit + "]"; }

std::string shown(const Evaluated& value) {
  if (value.condition) return value.values.at(0) != 0 ? "true" : "false";
  return (value.columns > 1 ? matrix_text(value) : value_text(value.values)) + unit_text(value.unit);
}

std::string literal(const Evaluated& value) {
  if (value.condition) return value.values.at(0) != 0 ? "(1 > 0)" : "(1 < 0)";
  if (value.columns == 1) return "(" + value_text(value.values) + unit_text(value.unit) + ")";
  std::string rows;
  for (std::size_t i = 0; i < value.rows; ++i) {
    const auto begin = value.values.begin() + static_cast<std::ptrdiff_t>(i * value.columns);
    rows += (i > 0 ? ", " : "") + value_text({begin, begin + static_cast<std::ptrdiff_t>(value.columns)});
  }
  return "((" + rows + ")" + unit_text(value.unit) + ")";
}

}  // namespace mbc::tools
