// SPDX-License-Identifier: Apache-2.0
// Tests every limit at its value and one above it. Long and deep texts of many kinds, complete and truncated, must give
// an answer.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/compiler/parse/parse_support.h"

namespace mbc::test {
namespace {

std::string times(std::size_t n, std::string_view text) {
  std::string out;
  out.reserve(n * text.size());
  for (std::size_t i = 0; i < n; ++i) out += text;
  return out;
}

std::string code(std::string text) { return Parsed(std::move(text)).first_code(); }

TEST_CASE("nesting: 256 passes, 257 does not") {
  const auto brackets = [](std::size_t n) { return "mbd 1\nlet a = " + times(n, "(") + "1" + times(n, ")"); };
  CHECK(code(brackets(256)).empty());
  CHECK(code(brackets(257)) == "E0110");
  const auto prefix = [](std::size_t n, std::string_view op) { return "mbd 1\nlet a = " + times(n, op) + "b"; };
  for (const std::string_view op : {"-", "not ", "2^", "if b then c else "}) {
    CAPTURE(op);
    CHECK(code(prefix(256, op)).empty());
    CHECK(code(prefix(257, op)) == "E0110");
  }
  const auto postfix = [](std::size_t n, std::string_view part) { return "mbd 1\nlet a = b" + times(n, part); };
  CHECK(code(postfix(256, ".x")).empty());
  CHECK(code(postfix(257, ".x")) == "E0110");
  const auto blocks = [](std::size_t n) { return "mbd 1\n" + times(n, "for i in 1..2 {\n") + times(n, "}\n"); };
  CHECK(code(blocks(256)).empty());
  CHECK(code(blocks(257)) == "E0110");
  CHECK(code("mbd 1\nif a { }" + times(254, " else if b { }")).empty());
  CHECK(code("mbd 1\nif a { }" + times(255, " else if b { }")) == "E0110");
}

TEST_CASE("nesting counts what encloses, not what follows") {
  CHECK(code("mbd 1\nlet a = b" + times(2000, " + -b^2*(c).x")).empty());
  CHECK(code("mbd 1\nlet a = not b" + times(2000, " and not b")).empty());
  CHECK(code("mbd 1\nlet a = f(" + times(2000, "if b then c else d, ") + "1)").empty());
  CHECK(code("mbd 1\n" + times(2000, "if a { }\n")).empty());
  CHECK(code("mbd 1\n" + times(2000, "if a { } ")).empty());
  CHECK(code("mbd 1\n" + times(2000, "let a = -b^2 + p[1].x\n")).empty());
  CHECK(code("mbd 1\nlet a = x" + times(5000, "'")).empty());
}

TEST_CASE("mixed nesting adds up") {
  CHECK(code("mbd 1\nlet a = " + times(100, "-(2^(") + "1" + times(100, "))")) == "E0110");
  CHECK(code("mbd 1\nlet a = " + times(100, "not b*(") + "1" + times(100, ")")).empty());
  CHECK(code("mbd 1\nlet a = " + times(129, "not b*(") + "1" + times(129, ")")) == "E0110");
  CHECK(code("mbd 1\nlet a = " + times(100, "if b then c else (") + "1" + times(100, ")")).empty());
  CHECK(code("mbd 1\nlet a = " + times(129, "if b then c else (") + "1" + times(129, ")")) == "E0110");
}

TEST_CASE("a megabyte of one bracket gives one message") {
  for (const char* bracket : {"(", "[", "{", "f(", "p["}) {
    const Parsed p("mbd 1\nlet a = " + times(1'000'000, bracket));
    CHECK(p.sink.error_count() == 1);
    CHECK(p.first_code() == "E0110");
  }
  const Parsed bare(times(1'000'000, "("));
  CHECK(bare.sink.error_count() == 1);
}

TEST_CASE("names have 255 bytes") {
  CHECK(code("mbd 1\nlet " + times(255, "a") + " = 1").empty());
  CHECK(code("mbd 1\nlet " + times(256, "a") + " = 1") == "E0111");
  CHECK(code("mbd 1\nlet " + times(127, "φ") + " = 1").empty());
  CHECK(code("mbd 1\nlet " + times(128, "φ") + " = 1") == "E0111");
}

TEST_CASE("files have 8 MiB") {
  const std::string head = "mbd 1\n//";
  CHECK(code(head + std::string((8u << 20) - head.size(), 'x')).empty());
  CHECK(code(head + std::string((8u << 20) - head.size() + 1, 'x')) == "E0101");
}

TEST_CASE("files have two million tokens") {
  const std::string semicolons(2'000'000 - 3, ';');  // `mbd`, `1` and the end of the text also count.
  CHECK(code("mbd 1" + semicolons).empty());
  CHECK(code("mbd 1;" + semicolons) == "E0109");
}

TEST_CASE("texts that are not text") {
  CHECK(code("") == "E0105");
  CHECK(code("   \n\t\n// only this\n") == "E0105");
  CHECK(code("\xEF\xBB\xBF") == "E0105");
  CHECK(code("\xEF\xBB\xBFmbd 1\nlet a = 1").empty());
  CHECK(code("mbd 1\n\xEF\xBB\xBF") == "E0104");
  for (const char* bytes : {"\xff", "\xc3", "\xc3(", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                            "\xf8", "\xe2\x82", "\x80", "\xf0\x9f\x98"}) {
    CAPTURE(bytes);
    const Parsed p("mbd 1\nlet a = " + std::string(bytes));
    REQUIRE(p.errors().size() == 1);
    CHECK(p.errors()[0].starts_with("2:9 E0102"));
    CHECK(code("mbd 1 // " + std::string(bytes)) == "E0102");
  }
  CHECK(code(std::string("mbd 1\nlet a = 1\0", 16)) == "E0103");
  CHECK(code("begin: data;") == "E0108");
  CHECK(code("# x\n\n  begin :\n data;") == "E0108");
}

TEST_CASE("characters beyond ASCII in names: letters and marks only") {
  CHECK(code("mbd 1\nlet φ = 1, Größe = 2, 质量 = 3, a\u0308 = 4, ħ_2 = 5, 𝑥 = 6").empty());
  CHECK(code("mbd 1\nlet a→b = 1") == "E0113");
  CHECK(code("mbd 1\nlet 😀 = 1") == "E0113");
  CHECK(code("mbd 1\nlet a² = 1") == "E0114");
  CHECK(code("mbd 1\nlet a = b·c") == "E0114");
}

// Each text has 200 KB, complete and without its last third. The parser must return some answer. bench/ measures that
// the time is proportional to the length; it is not asserted.
TEST_CASE("long texts of many shapes come back") {
  constexpr std::size_t kSize = 200'000;
  const std::vector<std::pair<std::string, std::string>> shapes = {
      {"let a = ", "("},
      {"let a = ", "p["},
      {"", "{"},
      {"", "model M() {"},
      {"let a = ", "-"},
      {"let a = ", "not "},
      {"let a = ", "2^"},
      {"let a = ", "b+"},
      {"let a = ", "b*"},
      {"let a = ", "b and "},
      {"let a = ", "b<"},
      {"let a = f(", "1,"},
      {"let a = (", "1,"},
      {"let a = ", "if b then c else "},
      {"let a = ", "if b then "},
      {"if a { }", " else if b { }"},
      {"", "if a { }\n"},
      {"", "if a\n"},
      {"let a = x", "'"},
      {"let a = x", ".x"},
      {"let a = x", "(1)"},
      {"let a = x", "[1]"},
      {"let a = 2 ", "[m]"},
      {"let a = 2 [", "m*"},
      {"let a = 2 [", "("},
      {"param ", "a=1,"},
      {"", "let a = b + c*d\n"},
      {"", "let a = b c\n"},
      {"init {\n", "x = 1\n"},
      {"init {\n", "particle p\n"},
      {"particle p(1)\n", "at x\n"},
      {"", "at 2 {}\n"},
      {"particle p(1) ", "at x "},
      {"output ", "a[1]=b,"},
      {"output a[", "1,"},
      {"", "@"},
      {"", "@ "},
      {"", "\""},
      {"", "'"},
      {"let a = ", "a"},
      {"let a = ", "1"},
      {"", "."},
      {"let a = ", "1."},
      {"", ")"},
      {"", "}"},
      {"", ";"},
      {"", "\n"},
      {"", ":"},
      {"", "a = "},
      {"", "/// x\n"},
      {"", "/*"},
      {"", "at on from rate "},
      {"", "else "},
      {"", "let "},
      {"", "([{"},
      {"", "(]"},
      {"test \"a\" over b {", "check a always at b\n"},
      {"let a = ", "sum(b for i in 1..n) + "},
      {"", "let a = 1\r"},
      {"let a = ", "φ+"},
      {"", "let a = (1;"},
      {"", "let a = (1\n"},
      {"", "constraint a: b == c nonideal {"},
      {"", "a b "},
      {"", "A b(c)\n"},
      {"let a = b", "\n+ c"},
      {"let a = ", "if b then c else\n"},
      {"let a = b", "\n- - - c"},
      {"", "when x rising {"},
      {"", "\xC3\xA4 "},
      {"", "mbd 1\n"},
      {"let a = ", "\"x\""},
      {"for i in ", "1.."},
      {"let a = ", "1e"},
      {"", "simulate {\n"},
  };
  for (const auto& [head, part] : shapes) {
    CAPTURE(part);
    std::string text = "mbd 1\n" + head + times(kSize / part.size(), part);
    const Parsed whole(text + "\n");
    text.resize(text.size() * 2 / 3);
    const Parsed cut(text);
    const bool answered = whole.sink.error_count() <= 20 && cut.sink.error_count() <= 20;
    CHECK(answered);
    CHECK(whole.first_code() != "E0900");
    CHECK(cut.first_code() != "E0900");
  }
}

}  // namespace
}  // namespace mbc::test
