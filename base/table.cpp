// SPDX-License-Identifier: Apache-2.0
#include "base/table.h"

#include <algorithm>

namespace mbc::text {

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

void Table::column(std::string header, Align align) { columns_.push_back({std::move(header), align}); }

void Table::row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

void Table::append_line(std::string& out, const std::vector<std::string>& cells,
                        const std::vector<std::size_t>& widths) const {
  out += indent_;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string blanks(widths[i] - display_width(cells[i]), ' ');
    if (i > 0) out += "  ";
    out += columns_[i].align == Align::left ? cells[i] + blanks : blanks + cells[i];
  }
  out.erase(out.find_last_not_of(' ') + 1);
  out += '\n';
}

std::string Table::text() const {
  std::vector<std::string> headers;
  for (const Column& c : columns_) headers.push_back(c.header);
  std::vector<std::size_t> widths(columns_.size(), 0);
  const auto widen = [&widths](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], display_width(cells[i]));
  };
  widen(headers);
  for (const std::vector<std::string>& cells : rows_) widen(cells);

  std::string out;
  const bool has_header = std::any_of(headers.begin(), headers.end(), [](const std::string& h) { return !h.empty(); });
  if (has_header) append_line(out, headers, widths);
  for (const std::vector<std::string>& cells : rows_) append_line(out, cells, widths);
  return out;
}

}  // namespace mbc::text
