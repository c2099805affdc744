// SPDX-License-Identifier: Apache-2.0
#include "compiler/parse/check_text.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "base/diagnostics/refusal.h"
#include "base/text.h"

namespace mbc::syntax {
namespace {

std::string hex_byte(char c) {
  char buffer[8];
  std::snprintf(buffer, sizeof buffer, "0x%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
  return buffer;
}

std::size_t skip_blanks(std::string_view s, std::size_t at) {
  while (at < s.size() && std::string_view(" \t\r\n").find(s[at]) != std::string_view::npos) ++at;
  return at;
}

// MBDyn's files open with `begin: data;`, after comments that begin with `#`. Returns the span of these words, or an
// empty one.
Span mbdyn_opening(std::string_view s, std::uint32_t file, std::size_t at) {
  for (at = skip_blanks(s, at); at < s.size() && s[at] == '#'; at = skip_blanks(s, at)) {
    at = std::min(s.find('\n', at), s.size());
  }
  const std::size_t begin = at;
  for (const std::string_view word : {"begin", ":", "data"}) {
    if (!s.substr(at).starts_with(word)) return {};
    at += word.size();
    if (word != "data") at = skip_blanks(s, at);
  }
  return {file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at)};
}

}  // namespace

bool check_text(const SourceSet& sources, std::uint32_t file, Sink& sink) {
  const std::string_view text = sources[file].text();
  if (text.size() > kMaxFileBytes)
    return mbc::refuse(sink, Kind::file_too_large, {file, 0, 0}, std::to_string(kMaxFileBytes))
        .hint("write what repeats as a `for` loop over a `model`");
  const std::size_t start = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  for (std::size_t i = start; i < text.size();) {
    const auto here = static_cast<std::uint32_t>(i);
    if (text[i] == '\0')
      return mbc::refuse(sink, Kind::nul_character, {file, here, here + 1})
          .hint("is this a binary file, or UTF-16 text?");
    const std::size_t length = utf8_length(text, i);
    if (length == 0)
      return mbc::refuse(sink, Kind::broken_utf8, {file, here, here + 1}, hex_byte(text[i]))
          .hint("save the file as UTF-8");
    if (text.substr(i, length) == kByteOrderMark)
      return mbc::refuse(sink, Kind::misplaced_byte_order_mark, {file, here, here + 3})
          .hint("delete it; it is invisible in most editors");
    i += length;
  }
  if (const Span opening = mbdyn_opening(text, file, start); opening.known())
    return mbc::refuse(sink, Kind::mbdyn_file, opening).hint("a model of this language begins with `mbd 1`");
  return true;
}

}  // namespace mbc::syntax
