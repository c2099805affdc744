// SPDX-License-Identifier: Apache-2.0
#include "tools/terminal/preview.h"

#include <sys/ioctl.h>

#include <algorithm>
#include <numeric>

#include "base/numbers.h"
#include "base/table.h"
#include "base/text.h"

namespace mbc::tools {
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

// The last rows are kept as numbers and become text only when shown, because nearly all rows of a long run are dropped.
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

std::vector<std::size_t> TerminalPreview::widths() const {
  std::vector<std::size_t> widths;
  for (const std::string& name : names_) widths.push_back(text::display_width(name));
  const auto widen = [&widths](const Cells& cells) {
    for (std::size_t i = 0; i < std::min(widths.size(), cells.size()); ++i)
      widths[i] = std::max(widths[i], text::display_width(cells[i]));
  };
  for (const Cells& cells : head_) widen(cells);
  for (const std::vector<double>& values : tail_) widen(to_cells(values));
  return widths;
}

std::vector<std::size_t> TerminalPreview::columns_that_fit() const {
  const std::vector<std::size_t> widths = this->widths();
  std::vector<std::size_t> order(names_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::size_t all = 0;
  for (const std::size_t width : widths) all += width + 2;
  if (all <= width_ + 2) return order;
  const auto wanted = [this](std::size_t k) {
    return k == 0 || std::find(preferred_.begin(), preferred_.end(), k) != preferred_.end();
  };
  std::stable_partition(order.begin(), order.end(), wanted);
  std::size_t used = 0, count = 0;
  for (const std::size_t k : order) {
    used += widths[k] + (count > 0 ? 2 : 0);
    if (used > width_ && count > 0) break;
    ++count;
  }
  order.resize(count);
  return order;
}

std::string TerminalPreview::text() const {
  const std::vector<std::size_t> shown = columns_that_fit();
  text::Table table("");
  for (const std::size_t k : shown) table.column(names_[k], text::Align::right);
  const auto add = [&](const Cells& cells) {
    Cells row;
    for (const std::size_t k : shown) row.push_back(k < cells.size() ? cells[k] : "");
    table.row(row);
  };
  for (const Cells& cells : head_) add(cells);
  if (rows_ > kHead + kTail) table.row(Cells(shown.size(), "..."));
  for (const std::vector<double>& values : tail_) add(to_cells(values));

  std::string out = table.text() + "(" + counted(rows_, "row");
  const std::size_t hidden = names_.size() - shown.size();
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

}  // namespace mbc::tools
