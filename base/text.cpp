// SPDX-License-Identifier: Apache-2.0
// Counts, quotes, escapes, spelling suggestions.
#include "base/text.h"

#include <algorithm>

namespace mbc {

std::string counted(std::uint64_t count, std::string_view noun) {
  constexpr std::string_view body = "body";
  if (noun.ends_with(body)) return counted(count, noun, std::string(noun.substr(0, noun.size() - 1)) + "ies");
  return counted(count, noun, std::string(noun) + "s");
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

std::string counted_or_no(std::uint64_t count, std::string_view noun) {
  return count > 0 ? counted(count, noun) : "no " + std::string(noun) + "s";
}

std::string trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(blanks) - begin + 1));
}

std::string joined(const std::vector<std::string>& list, std::string_view separator) {
  std::string out;
  for (const std::string& one : list) {
    if (&one != list.data()) out += separator;
    out += one;
  }
  return out;
}

namespace {

bool is_continuation(unsigned char c) { return (c & 0xC0u) == 0x80u; }

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t k) { return at + k < text.size() ? static_cast<unsigned char>(text[at + k]) : 0u; };
  const unsigned lead = byte(0);
  if (lead < 0x80u) return 1;
  if (lead < 0xC2u || lead > 0xF4u) return 0;
  const std::size_t length = lead < 0xE0u ? 2 : lead < 0xF0u ? 3 : 4;
  for (std::size_t k = 1; k < length; ++k) {
    if (!is_continuation(static_cast<unsigned char>(byte(k)))) return 0;
  }
  const unsigned second = byte(1);
  if (lead == 0xE0u && second < 0xA0u) return 0;
  if (lead == 0xEDu && second > 0x9Fu) return 0;
  if (lead == 0xF0u && second < 0x90u) return 0;
  if (lead == 0xF4u && second > 0x8Fu) return 0;
  return length;
}

char32_t next_code_point(std::string_view text, std::size_t& at) {
  const std::size_t length = utf8_length(text, at);
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[at + k]); };
  char32_t c = length == 0 ? 0xFFFD : length == 1 ? byte(0) : byte(0) & (0xFFu >> (length + 1));
  for (std::size_t k = 1; k < length; ++k) c = (c << 6) | (byte(k) & 0x3Fu);
  at += std::max<std::size_t>(length, 1);
  return c;
}

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

namespace {

std::string hexadecimal(unsigned value, std::size_t digits) {
  std::string out(digits, '0');
  for (std::size_t k = digits; k-- > 0; value >>= 4) out[k] = "0123456789abcdef"[value & 0xFu];
  return out;
}

}  // namespace

std::string escaped(std::string_view text) {
  const auto plain = [](char c) { return (c >= 0x20 && c < 0x7F) || c == '\n' || c == '\t'; };
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && plain(text[at])) ++at;
    out += text.substr(begin, at - begin);
    if (at == text.size()) break;
    const std::size_t from = at;
    const bool broken = utf8_length(text, at) == 0;
    const char32_t c = next_code_point(text, at);
    if (broken)
      out += "\\x" + hexadecimal(static_cast<unsigned char>(text[from]), 2);
    else if (is_control(c))
      out += "\\u" + hexadecimal(static_cast<unsigned>(c), 4);
    else
      out += text.substr(from, at - from);
  }
  return out;
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    std::string piece(text.substr(begin, at - begin));
    if (c == '\n') {
      piece = "\\n";
    } else if (c == '\t') {
      piece = " ";
    } else if (is_control(c) && c < 0x100) {
      piece = "\\x" + hexadecimal(static_cast<unsigned>(c), 2);
    } else if (c == 0xFFFD || is_control(c)) {
      piece = "\xEF\xBF\xBD";  // not UTF-8, or a control of the writing direction
    }
    if (out.size() + piece.size() > limit) return out + "...";
    out += piece;
  }
  return out;
}

std::string quoted(std::string_view text, std::size_t limit) { return "`" + printable(text, limit) + "`"; }

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Edit distance with swaps of neighbours (optimal string alignment); a change of case costs nothing.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
  const std::size_t allowed = name.size() <= 1 ? 0 : name.size() <= 4 ? 1 : name.size() <= 8 ? 2 : 3;
  std::size_t best = allowed + 1;
  std::string out;
  for (const std::string& c : candidates) {
    const std::size_t gap = c.size() > name.size() ? c.size() - name.size() : name.size() - c.size();
    if (gap > allowed || c == name) continue;
    const std::size_t cost = distance(name, c);
    if (cost < best) {
      best = cost;
      out = c;
    }
  }
  return out;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates, std::string otherwise) {
  const std::string near = nearest(name, candidates);
  return near.empty() ? otherwise : "did you mean `" + near + "`?";
}

}  // namespace mbc
