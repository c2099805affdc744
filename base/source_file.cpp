// SPDX-License-Identifier: Apache-2.0
// Line table and positions. A line ends at \n, \r\n or a lone \r; a byte order mark at the very start takes no column.
#include "base/source_file.h"

#include <algorithm>
#include <utility>

namespace mbc {
namespace {

bool continues_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

}  // namespace

SourceFile::SourceFile(std::string name, std::string text, std::uint32_t hidden)
    : name_(std::move(name)), text_(std::move(text)), hidden_(hidden) {
  line_starts_.push_back(text_.starts_with(kByteOrderMark) ? static_cast<std::uint32_t>(kByteOrderMark.size()) : 0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    const bool lone_return = text_[i] == '\r' && (i + 1 == text_.size() || text_[i + 1] != '\n');
    if (text_[i] == '\n' || lone_return) line_starts_.push_back(static_cast<std::uint32_t>(i + 1));
  }
}

Position SourceFile::position(std::uint32_t offset) const {
  offset = std::min(offset, static_cast<std::uint32_t>(text_.size()));
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const auto index = after == line_starts_.begin() ? 0 : after - line_starts_.begin() - 1;
  Position p;
  p.line = std::max(static_cast<std::uint32_t>(index) + 1, hidden_ + 1) - hidden_;
  for (std::uint32_t i = line_starts_[static_cast<std::size_t>(index)]; i < offset; ++i) {
    if (i + 1 == offset || !continues_code_point(text_[i + 1])) ++p.column;
  }
  return p;
}

std::string_view SourceFile::line(std::uint32_t number) const {
  if (number == 0 || number > line_count()) return {};
  const std::size_t index = number - 1 + hidden_;
  const std::size_t begin = line_starts_[index];
  const std::size_t end = number < line_count() ? line_starts_[index + 1] : text_.size();
  std::string_view view = std::string_view(text_).substr(begin, end - begin);
  while (!view.empty() && (view.back() == '\n' || view.back() == '\r')) view.remove_suffix(1);
  return view;
}

std::uint32_t SourceSet::add(std::string name, std::string text, std::uint32_t hidden_lines) {
  files_.emplace_back(std::move(name), std::move(text), hidden_lines);
  return size() - 1;
}

std::vector<std::string> SourceSet::names() const {
  std::vector<std::string> out;
  for (const SourceFile& file : files_) out.push_back(file.name());
  return out;
}

std::string_view SourceSet::text(Span span) const {
  if (!span.known() || span.file >= size()) return {};
  const std::string_view all = files_[span.file].text();
  const std::size_t begin = std::min<std::size_t>(span.begin, all.size());
  const std::size_t end = std::clamp<std::size_t>(span.end, begin, all.size());
  return all.substr(begin, end - begin);
}

std::string SourceSet::where(Span span) const {
  if (!span.known() || span.file >= size()) return {};
  const Position p = files_[span.file].position(span.begin);
  return files_[span.file].name() + ":" + std::to_string(p.line) + ":" + std::to_string(p.column);
}

}  // namespace mbc
