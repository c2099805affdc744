// SPDX-License-Identifier: Apache-2.0
// A half-open byte range of one source file. Every AST, model and graph node carries one, so that any later stage,
// the running simulation included, can point at the user's text.
#pragma once
#include <cstdint>

namespace mbc {

inline constexpr std::uint32_t kNoFile = 0xffffffffu;

struct Span {
  std::uint32_t file = kNoFile;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  [[nodiscard]] bool known() const { return file != kNoFile; }
  friend bool operator==(const Span&, const Span&) = default;
};

// Returns the smallest span that contains both; for spans of different files, the first.
inline Span join(Span a, Span b) {
  if (!a.known()) return b;
  if (!b.known() || a.file != b.file) return a;
  return {a.file, a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
}

}  // namespace mbc
