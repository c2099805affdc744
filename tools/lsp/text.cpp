// SPDX-License-Identifier: Apache-2.0
#include "tools/lsp/text.h"

#include <algorithm>
#include <utility>

#include "base/source_file.h"
#include "base/text.h"

namespace mbc::lsp {

namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

// Returns the UTF-16 units of the code point that begins with this byte: code points beyond the first 65536 need two.
std::uint32_t units_of(char first) { return static_cast<unsigned char>(first) >= 0xF0u ? 2 : 1; }

}  // namespace

Text::Text(std::string text) : text_(std::move(text)) { count_lines(); }

void Text::count_lines() {
  lines_.assign(1, 0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    const bool lone_return = text_[i] == '\r' && (i + 1 == text_.size() || text_[i + 1] != '\n');
    if (text_[i] == '\n' || lone_return) lines_.push_back(static_cast<std::uint32_t>(i + 1));
  }
}

std::uint32_t Text::line_begin(std::uint32_t line) const { return line < lines_.size() ? lines_[line] : size(); }

std::string_view Text::line(std::uint32_t number) const {
  if (number >= lines_.size()) return {};
  const std::uint32_t end = number + 1 < lines_.size() ? lines_[number + 1] : size();
  std::string_view view = std::string_view(text_).substr(lines_[number], end - lines_[number]);
  while (!view.empty() && (view.back() == '\n' || view.back() == '\r')) view.remove_suffix(1);
  return view;
}

std::uint32_t Text::line_of(std::uint32_t offset) const {
  const auto after = std::upper_bound(lines_.begin(), lines_.end(), std::min(offset, size()));
  return static_cast<std::uint32_t>(after - lines_.begin() - 1);
}

std::uint32_t Text::offset(Point point) const {
  if (point.line >= lines_.size()) return size();
  const std::string_view line = this->line(point.line);
  std::uint32_t at = 0;
  for (std::uint32_t units = 0; at < line.size();) {
    units += continues(line[at]) ? 0 : units_of(line[at]);
    if (units > point.character) break;
    do ++at;
    while (at < line.size() && continues(line[at]));
  }
  return lines_[point.line] + at;
}

Point Text::point(std::uint32_t offset) const {
  offset = std::min(offset, size());
  const std::uint32_t line = line_of(offset);
  return {line, units(lines_[line], offset)};
}

std::uint32_t Text::units(std::uint32_t begin, std::uint32_t end) const {
  std::uint32_t count = 0;
  for (std::uint32_t k = begin; k < std::min(end, size()); ++k)
    if (!continues(text_[k])) count += units_of(text_[k]);
  return count;
}

std::uint32_t Text::offset_of_place(std::uint32_t line, std::uint32_t column) const {
  if (line == 0) return 0;
  if (line > lines_.size()) return size();
  std::uint32_t at = lines_[line - 1];
  if (line == 1 && text_.starts_with(kByteOrderMark)) at = static_cast<std::uint32_t>(kByteOrderMark.size());
  const auto end = static_cast<std::uint32_t>(lines_[line - 1] + this->line(line - 1).size());
  for (std::uint32_t k = 1; k < column && at < end; ++k) {
    ++at;
    while (at < end && continues(text_[at])) ++at;
  }
  return at;
}

void Text::replace(std::uint32_t begin, std::uint32_t end, std::string_view by) {
  begin = std::min(begin, size());
  end = std::clamp(end, begin, size());
  text_.replace(begin, end - begin, by);
  count_lines();
}

Insertion use_line(const Text& text, const std::string& statement) {
  std::uint32_t line = 0;
  for (std::uint32_t k = 0; k < text.line_count(); ++k) {
    const std::string written = trimmed(text.line(k));
    if (written.starts_with("use ") || (written.starts_with("mbd ") && line == 0)) line = k + 1;
  }
  const std::uint32_t place = text.line_begin(line);
  const bool fresh_line = place == 0 || text.str()[place - 1] == '\n';
  return {place, (fresh_line ? "" : "\n") + statement + "\n"};
}

}  // namespace mbc::lsp
