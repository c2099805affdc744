// SPDX-License-Identifier: Apache-2.0
#include "base/diagnostics/display.h"

#include <algorithm>

#include "base/text.h"

namespace mbc {
namespace {

constexpr std::size_t kMaxColumns = 160;
constexpr std::size_t kContext = 60;  // columns kept before the focus when a line is cut
constexpr std::size_t kTab = 4;
constexpr std::size_t kLongest = 1 << 16;  // bytes of a line that are examined
constexpr std::string_view kCut = "...";
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Range {
  char32_t first, last;
};
// Combining marks and invisible characters, and the wide ranges of East Asian scripts and emoji (Unicode 15,
// condensed).
constexpr Range kZeroWidth[] = {{0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},   {0x610, 0x61A},
                                {0x64B, 0x65F},   {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F},
                                {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};
constexpr Range kWide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x33FF},  {0x3400, 0x4DBF},
                           {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xAC00, 0xD7A3},  {0xF900, 0xFAFF},
                           {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},  {0x1F300, 0x1F64F},
                           {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

template <std::size_t N>
bool contains(const Range (&ranges)[N], char32_t c) {
  return std::any_of(std::begin(ranges), std::end(ranges), [c](Range r) { return c >= r.first && c <= r.last; });
}

}  // namespace

unsigned display_width(char32_t c) {
  if (contains(kZeroWidth, c)) return 0;
  return contains(kWide, c) ? 2 : 1;
}

DisplayLine::DisplayLine(std::string_view line, std::size_t focus_byte) {
  if (line.size() > kLongest) {
    begin_ = focus_byte > kLongest / 2 ? std::min(focus_byte, line.size()) - kLongest / 2 : 0;
    line = line.substr(begin_, kLongest);
    focus_byte -= begin_;
  }
  struct Piece {
    std::size_t begin, end, column, width;
    char32_t c;
  };
  std::vector<Piece> pieces;
  std::size_t width = 0;
  std::size_t focus = 0;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = at;
    if (begin <= focus_byte) focus = width;
    const char32_t c = next_code_point(line, at);
    const std::size_t w = c == '\t' ? kTab - width % kTab : is_control(c) ? 1 : display_width(c);
    pieces.push_back({begin, at, width, w, c});
    width += w;
  }
  if (focus_byte >= line.size()) focus = width;
  const bool cut = width > kMaxColumns;
  const std::size_t from = cut && focus > kContext ? focus - kContext : 0;
  const std::size_t to = cut ? from + kMaxColumns : width;
  if (from > 0) text_ += kCut;
  const std::size_t shift = text_.size();
  columns_.assign(line.size() + 1, shift);
  std::size_t shown = shift;
  for (const Piece& p : pieces) {
    const bool inside = p.column >= from && p.column + p.width <= to;
    for (std::size_t k = p.begin; k < p.end; ++k) columns_[k] = shown;
    if (!inside) continue;
    if (p.c == '\t') {
      text_.append(p.width, ' ');
    } else if (is_control(p.c) || p.c == 0xFFFD) {
      text_ += kReplacement;
    } else {
      text_ += line.substr(p.begin, p.end - p.begin);
    }
    shown += p.width;
  }
  columns_[line.size()] = shown;
  if (to < width) text_ += kCut;
}

std::size_t DisplayLine::column(std::size_t byte) const {
  return columns_[std::min(std::max(byte, begin_) - begin_, columns_.size() - 1)];
}

}  // namespace mbc
