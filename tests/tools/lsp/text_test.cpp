// SPDX-License-Identifier: Apache-2.0
// Tests places of a text in bytes, in UTF-16 units, and as diagnostics count them.
#include "tools/lsp/text.h"

#include <doctest/doctest.h>

#include <random>

#include "base/source_file.h"
#include "tests/tools/lsp/client.h"

using namespace mbc;

TEST_CASE("a `use` has a line of its own, also behind a text without a line end") {
  const auto with = [](const std::string& text) {
    const lsp::Insertion use = lsp::use_line(lsp::Text(text), "use joints");
    return std::string(text).insert(use.place, use.text);
  };
  CHECK(with("mbd 1") == "mbd 1\nuse joints\n");
  CHECK(with("mbd 1\nuse forces\nlet a = 1\n") == "mbd 1\nuse forces\nuse joints\nlet a = 1\n");
  CHECK(with("let a = 1\n") == "use joints\nlet a = 1\n");
}

TEST_CASE("columns are UTF-16 units") {
  const lsp::Text text("a\nµm = 1 // 𝛺 end\r\nx");
  CHECK(text.line_count() == 3);
  CHECK(text.line(1) == "µm = 1 // 𝛺 end");
  CHECK(text.offset({1, 0}) == 2);
  CHECK(text.offset({1, 1}) == 4);    // µ is two bytes and one unit
  CHECK(text.offset({1, 10}) == 13);  // before Ω
  CHECK(text.offset({1, 11}) == 13);  // This offset is inside of Ω.
  CHECK(text.offset({1, 12}) == 17);
  CHECK(text.offset({1, 99}) == 21);
  CHECK(text.offset({99, 0}) == text.size());
  CHECK(text.point(17).character == 12);
  CHECK(text.point(23).line == 2);
  CHECK(text.point(23).character == 0);
}

TEST_CASE("edits by ranges keep the text, whatever its line ends") {
  std::mt19937 random(7);
  const std::vector<std::string> pieces = {"a", "µ", "𝛺", "\n", "\r\n", "\r", " ", "let x = 1"};
  for (int k = 0; k < 300; ++k) {
    std::string plain;
    lsp::Text text;
    for (int step = 0; step < 12; ++step) {
      std::vector<std::size_t> starts{0};
      for (std::size_t b = 1; b <= plain.size(); ++b)
        if (b == plain.size() || (static_cast<unsigned char>(plain[b]) & 0xC0u) != 0x80u) starts.push_back(b);
      std::size_t begin = starts[random() % starts.size()], end = starts[random() % starts.size()];
      if (begin > end) std::swap(begin, end);
      const std::string by = pieces[random() % pieces.size()];
      plain.replace(begin, end - begin, by);
      text.replace(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), by);
    }
    REQUIRE(text.str() == plain);
    const SourceFile source("x", plain);
    for (std::uint32_t at = 0; at <= text.size(); ++at) {
      const bool inside = at < plain.size() && (static_cast<unsigned char>(plain[at]) & 0xC0u) == 0x80u;
      const bool in_line_end = at > 0 && at < plain.size() && plain[at - 1] == '\r' && plain[at] == '\n';
      if (inside || in_line_end) continue;
      CHECK(text.offset(text.point(at)) == at);
      const Position p = source.position(at);
      CHECK(text.offset_of_place(p.line, p.column) == at);
      CHECK(lsp::to_json(text.point(at)) == test::position(plain, at));
    }
  }
}
