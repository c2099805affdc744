// SPDX-License-Identifier: Apache-2.0
#include "api/output/preview.h"

#include <sys/ioctl.h>

#include <algorithm>

#include "base/numbers.h"
#include "base/table.h"
#include "base/text.h"

namespace mbc::output {
namespace {

std::vector<std::string> to_cells(std::span<const double> values) {
  std::vector<std::string> cells;
  cells.reserve(values.size());
  for (const double value : values) cells.push_back(text::short_number(value));
  return cells;
}

}  // namespace

bool TerminalPreview::header(std::size_t columns, const NameOf& name_of) {
  names_.clear();
  for (std::size_t k = 0; k < columns; ++k) names_.push_back(name_of(k));
  return sink_.error().empty();
}

// The last rows are kept as numbers and only become text when shown: of a long run nearly all are thrown away.
bool TerminalPreview::row(double first, std::span<const double> others) {
  ++rows_;
  std::vector<double> values;
  if (tail_.size() == kTail) {
    values = std::move(tail_.front());
    tail_.pop_front();
  }
  values.assign(1, first);
  values.insert(values.end(), others.begin(), others.end());
  if (head_.size() < kHead)
    head_.push_back(to_cells(values));
  else
    tail_.push_back(std::move(values));
  return sink_.error().empty();
}

std::size_t TerminalPreview::columns_that_fit() const {
  std::vector<std::size_t> widths;
  for (const std::string& name : names_) widths.push_back(text::display_width(name));
  const auto widen = [&widths](const Cells& cells) {
    for (std::size_t i = 0; i < std::min(widths.size(), cells.size()); ++i)
      widths[i] = std::max(widths[i], text::display_width(cells[i]));
  };
  for (const Cells& cells : head_) widen(cells);
  for (const std::vector<double>& values : tail_) widen(to_cells(values));
  std::size_t used = 0;
  std::size_t count = 0;
  for (const std::size_t width : widths) {
    used += width + (count > 0 ? 2 : 0);
    if (used > width_ && count > 0) break;
    ++count;
  }
  return count;
}

std::string TerminalPreview::text() const {
  const std::size_t shown = columns_that_fit();
  text::Table table("");
  for (std::size_t i = 0; i < shown; ++i) table.column(names_[i], text::Align::right);
  for (const Cells& cells : head_) table.row(cells);
  if (rows_ > kHead + kTail) table.row(Cells(shown, "..."));
  for (const std::vector<double>& values : tail_) table.row(to_cells(values));

  std::string out = table.text() + "(" + counted(rows_, "row");
  const std::size_t hidden = names_.size() - shown;
  out += hidden > 0 ? ", " + counted(hidden, "more column") : ", " + counted(names_.size(), "column");
  return out + "; `-o FILE.csv` writes them all)\n";
}

bool TerminalPreview::finish() {
  const bool written = sink_.append(text());
  return sink_.close() && written;
}

std::size_t terminal_width(int fd, std::size_t otherwise) {
  winsize size{};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : otherwise;
}

}  // namespace mbc::output
