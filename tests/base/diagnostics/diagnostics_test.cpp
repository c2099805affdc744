// SPDX-License-Identifier: Apache-2.0
// Tests source positions, the sink, and both renderers.
#include <doctest/doctest.h>

#include <cctype>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "base/diagnostics/diagnostic.h"
#include "base/diagnostics/render.h"
#include "base/source_file.h"

namespace mbc {
namespace {

Span at(const SourceSet& sources, std::string_view what, std::uint32_t file = 0) {
  const std::size_t begin = sources[file].text().find(what);
  REQUIRE(begin != std::string_view::npos);
  return {file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + what.size())};
}

SourceSet one(std::string text) {
  SourceSet s;
  s.add("arm.mbd", std::move(text));
  return s;
}

TEST_CASE("positions count code points, over every kind of line end") {
  const SourceSet s = one("a\r\nbφc\rlast\n");
  const SourceFile& f = s[0];
  CHECK(f.line_count() == 4);
  CHECK(f.line(1) == "a");
  CHECK(f.line(2) == "bφc");
  CHECK(f.line(3) == "last");
  CHECK(f.line(4).empty());
  CHECK(f.line(5).empty());
  CHECK(s.where(at(s, "c")) == "arm.mbd:2:3");
  CHECK(s.where(at(s, "φ")) == "arm.mbd:2:2");
  CHECK(s.where(at(s, "st")) == "arm.mbd:3:3");
  CHECK(s.where({0, 1000, 1001}) == "arm.mbd:4:1");
  CHECK(s.where({}).empty());
  CHECK(s.text({0, 3, 1000}) == "bφc\rlast\n");
}

TEST_CASE("a byte order mark takes no column") {
  const SourceSet s = one("\xEF\xBB\xBFmbd 1");
  CHECK(s.where(at(s, "mbd")) == "arm.mbd:1:1");
  CHECK(s[0].line(1) == "mbd 1");
}

TEST_CASE("messages are filled once: braces in an argument are no slots") {
  const Diagnostic d{Kind::expected_token, {}, {"{1}", "x", "{0}"}, {}, {}, {}, {}};
  CHECK(d.message() == "expected {1} x, found {0}");
  CHECK(Diagnostic{Kind::expected_token, {}, {"a"}, {}, {}, {}, {}}.message() == "expected a , found ");
}

TEST_CASE("the sink keeps so many errors, counts the rest, drops follow-ons") {
  Sink sink(3);
  sink.report(Kind::unclosed_string, {0, 4, 5});
  sink.report(Kind::empty_file, {0, 4, 5});  // A second error at the same place counts as a consequence of the first.
  CHECK(sink.error_count() == 1);
  sink.report(Kind::unclosed_string, {0, 2, 3});
  CHECK_FALSE(sink.full());
  sink.report(Kind::unclosed_string, {0, 0, 1});
  CHECK(sink.full());
  sink.report(Kind::unclosed_string, {0, 8, 9}).label({0, 1, 2}, "lost").note("lost").hint("lost");
  CHECK(sink.error_count() == 3);
  CHECK(sink.suppressed() == 1);
  const std::vector<Diagnostic> sorted = sink.sorted();
  REQUIRE(sorted.size() == 3);
  CHECK(sorted[0].span.begin == 0);
  CHECK(sorted[2].span.begin == 4);
  CHECK(info(sorted[2].kind).name == "unclosed_string");
  sink.clear();
  CHECK_FALSE(sink.has_errors());
  CHECK(sink.sorted().empty());
}

TEST_CASE("errors without a place are all kept; run-time ones come last") {
  Sink sink;
  sink.report(Kind::internal_error, {}, "one").time = 2.0;
  sink.report(Kind::internal_error, {}, "two");
  sink.report(Kind::internal_error, {0, 0, 1}, "three");
  const auto sorted = sink.sorted();
  REQUIRE(sorted.size() == 3);
  CHECK(sorted[0].args[0] == "three");
  CHECK(sorted[2].args[0] == "one");
}

TEST_CASE("the form of a diagnostic: both sides labelled") {
  const SourceSet s = one("mbd 1\n\nlet F = weight + moment\n");
  Diagnostic d{Kind::chained_comparison, at(s, "+"), {}, {}, {}, {}, {}};
  d.label(at(s, "weight"), "force [N]").label(at(s, "moment"), "torque [N*m], declared at line 9");
  d.hint("divide by a length, for example `moment / L`").note("a note");
  CHECK(render_text(d, s) ==
        "arm.mbd:3:16: error[E0137]: comparisons cannot be chained\n"
        "   3 | let F = weight + moment\n"
        "     |         ------ ^ ------ torque [N*m], declared at line 9\n"
        "     |         force [N]\n"
        "     = note: a note\n"
        "     = help: divide by a length, for example `moment / L`\n");
}

TEST_CASE("three labels on a line and one on another line") {
  const SourceSet s = one("let a = 1\nlet b = x + y + z\n");
  Diagnostic d{Kind::chained_comparison, at(s, "let b"), {}, {}, {}, {}, {}};
  d.label(at(s, "x"), "first").label(at(s, "y"), "second").label(at(s, "z"), "third").label(at(s, "a"), "there");
  CHECK(render_text(d, s) ==
        "arm.mbd:2:1: error[E0137]: comparisons cannot be chained\n"
        "   1 | let a = 1\n"
        "     |     - there\n"
        "   2 | let b = x + y + z\n"
        "     | ^^^^^   -   -   - third\n"
        "     |         |   second\n"
        "     |         first\n");
}

TEST_CASE("a label in another file, a run-time failure, no place at all") {
  SourceSet s = one("let a = 1\n");
  s.add("parts.mbd", "x\nlet b = 2\n");
  Diagnostic d{Kind::chained_comparison, at(s, "a"), {}, {}, {}, {}, 0.1};
  d.label(at(s, "b", 1), "declared here");
  CHECK(render_text(d, s) ==
        "arm.mbd:1:5: error[E0137]: comparisons cannot be chained\n"
        "   1 | let a = 1\n"
        "     |     ^\n"
        "    --> parts.mbd\n"
        "   2 | let b = 2\n"
        "     |     - declared here\n"
        "     = at t = 0.1\n");
  CHECK(render_text(Diagnostic{Kind::chained_comparison, {}, {}, {}, {}, {}, {}}, s) ==
        "error[E0137]: comparisons cannot be chained\n");
}

TEST_CASE("underlines stand below what they mean: tabs, wide and combining characters, control characters") {
  const auto drawn = [](std::string text, std::string_view what) {
    const SourceSet s = one(std::move(text));
    const std::string out = render_text(Diagnostic{Kind::chained_comparison, at(s, what), {}, {}, {}, {}, {}}, s);
    return out.substr(out.find('\n') + 1);
  };
  CHECK(drawn("\tlet\tx", "x") == "   1 |     let x\n     |         ^\n");
  CHECK(drawn("质量 = x", "x") == "   1 | 质量 = x\n     |        ^\n");
  CHECK(drawn("a\u0308 = x", "x") == "   1 | a\u0308 = x\n     |     ^\n");
  CHECK(drawn("\x1b[31m x", "x") == "   1 | \uFFFD[31m x\n     |       ^\n");
  CHECK(drawn("\xff x", "x") == "   1 | \uFFFD x\n     |   ^\n");
  CHECK(drawn("two\nlines", "two\nlines") == "   1 | two\n     | ^^^\n");
}

TEST_CASE("very long lines are cut round the place") {
  const std::string text = std::string(5000, 'a') + " here " + std::string(5000, 'b');
  const SourceSet s = one(text);
  const std::string out = render_text(Diagnostic{Kind::chained_comparison, at(s, "here"), {}, {}, {}, {}, {}}, s);
  CHECK(out.size() < 500);
  const std::size_t line = out.find("| ...");
  REQUIRE(line != std::string::npos);
  const std::size_t column = out.find("here") - line;
  const std::size_t underline = out.find("| ", out.find("here"));
  CHECK(out.find("^^^^") - underline == column);
}

TEST_CASE("JSON: one line, every field") {
  const SourceSet s = one("let F = \"x\" +\nmoment\n");
  Diagnostic d{Kind::expected_value, {0, 12, 20}, {"after `+`", "\"\xff\n"}, {}, {}, {}, 1.5};
  d.label(at(s, "moment"), "this").note("n1").hint("h");
  const std::string text = to_json(to_info(d, s));
  CHECK(text.find('\n') == std::string::npos);
  const auto j = nlohmann::json::parse(text);
  CHECK(j["file"] == "arm.mbd");
  CHECK(j["line"] == 1);
  CHECK(j["column"] == 13);
  CHECK(j["end_line"] == 2);
  CHECK(j["end_column"] == 7);
  CHECK(j["severity"] == "error");
  CHECK(j["code"] == "E0130");
  CHECK(j["kind"] == "expected_value");
  CHECK(j["message"].get<std::string>().starts_with("expected a value after `+`"));
  CHECK(j["labels"].size() == 1);
  CHECK(j["labels"][0]["line"] == 2);
  CHECK(j["labels"][0]["text"] == "this");
  CHECK(j["notes"][0] == "n1");
  CHECK(j["help"] == "h");
  CHECK(j["time"] == 1.5);
  const auto bare = nlohmann::json::parse(to_json(to_info(Diagnostic{Kind::empty_file, {}, {}, {}, {}, {}, {}}, s)));
  CHECK_FALSE(bare.contains("file"));
  CHECK_FALSE(bare.contains("time"));
  CHECK(bare["labels"].is_array());
}

TEST_CASE("colour only when asked") {
  const SourceSet s = one("let a = 1\n");
  const Diagnostic d{Kind::chained_comparison, at(s, "a"), {}, {}, {}, {}, {}};
  CHECK(render_text(d, s).find('\x1b') == std::string::npos);
  CHECK(render_text(d, s, {.colour = true}).find("\x1b[1;31merror[E0137]:\x1b[0m") != std::string::npos);
}

TEST_CASE("the whole sink says how many were left out") {
  const SourceSet s = one("abcdef\n");
  Sink sink(2);
  for (std::uint32_t i = 0; i < 5; ++i) sink.report(Kind::unclosed_string, {0, i, i + 1});
  const std::string out = render_text(sink, s);
  CHECK(out.ends_with("2 errors shown, 3 more\n"));
  CHECK(out.find("arm.mbd:1:1: ") < out.find("arm.mbd:1:2: "));
}

TEST_CASE("printable escapes and cuts at code points") {
  CHECK(printable("a\tb\nc\x1b") == "a b\\nc\\x1b");
  CHECK(printable("\xff") == "\uFFFD");
  CHECK(printable("\u202Eabc") == "\uFFFDabc");
  CHECK(printable("φφφ", 5) == "φφ...");
  CHECK(printable("abc", 3) == "abc");
  CHECK(printable("\x85\x01") == "\uFFFD\\x01");
}

TEST_CASE("the nearest name") {
  const std::vector<std::string> names = {"constraint", "coord", "particle", "l0", "x"};
  CHECK(nearest("constrain", names) == "constraint");
  CHECK(nearest("partcile", names) == "particle");
  CHECK(nearest("Coord", names) == "coord");
  CHECK(nearest("y", names).empty());
  CHECK(nearest("X", names) == "x");
  CHECK(nearest("lO", names) == "l0");
  CHECK(nearest("entirely", names).empty());
  CHECK(nearest("", names).empty());
}

TEST_CASE("every kind has a code of its own") {
  std::set<std::string_view> codes;
  std::set<std::string_view> names;
  for (const KindInfo& k : all_kinds()) {
    CAPTURE(k.name);
    CHECK(k.code.size() == 5);
    CHECK(codes.insert(k.code).second);
    CHECK(names.insert(k.name).second);
    CHECK_FALSE(k.explanation.empty());
  }
  CHECK(info(Kind::empty_file).code == "E0105");
}

TEST_CASE("syntax messages keep to the wording: lower case, no full stop") {
  for (const KindInfo& k : all_kinds()) {
    if (!k.code.starts_with("E01")) continue;
    CAPTURE(k.code);
    CHECK_FALSE(std::isupper(static_cast<unsigned char>(k.message.front())));
    CHECK_FALSE(k.message.ends_with("."));
    CHECK(k.explanation.ends_with("."));
    CHECK(k.explanation.size() > 100);
    for (const std::string_view word : {"invalid", "illegal", "not allowed"}) {
      CHECK(k.message.find(word) == std::string_view::npos);
    }
  }
}

}  // namespace
}  // namespace mbc
