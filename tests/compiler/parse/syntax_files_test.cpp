// SPDX-License-Identifier: Apache-2.0
// Tests that the files of tests/compiler/parse/syntax are accepted, and that those of tests/diagnostics/syntax are
// refused with exactly the diagnostics written in them (forms: tests/README.md). Every syntax diagnostic occurs in at
// least one file. Mutants of the accepted files never crash the parser.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/compiler/parse/parse_support.h"

namespace mbc::test {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  const std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<fs::path> models(const std::string& folder) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(fs::path(MBC_TEST_DATA_DIR) / folder)) {
    if (entry.path().extension() == ".mbd") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

// For `// error[E0105] 14: text` at the end of line 3 the result is "3:14 E0105 text".
std::vector<std::string> expected_in(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream lines(text);
  std::string line;
  const std::string mark = "// error[";
  for (int number = 1; std::getline(lines, line); ++number) {
    for (std::size_t at = line.find(mark); at != std::string::npos;) {
      const std::size_t next = line.find(mark, at + 1);
      std::string body = line.substr(at + mark.size(), next == std::string::npos ? next : next - at - mark.size() - 1);
      const std::string code = body.substr(0, 5);
      body = body.substr(7);
      const std::size_t colon = body.find(": ");
      out.push_back(std::to_string(number) + ":" + body.substr(0, colon) + " " + code + " " + body.substr(colon + 2));
      at = next;
    }
  }
  return out;
}

std::vector<std::string> expectations(const fs::path& model, const std::string& text) {
  const fs::path beside = model.string() + ".expect";
  if (!fs::exists(beside)) return expected_in(text);
  std::vector<std::string> out;
  std::istringstream lines(read(beside));
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.find(": ") != line.find(':')) out.push_back(line);
  }
  return out;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

TEST_CASE("accepted texts") {
  const auto files = models("compiler/parse/syntax");
  CHECK(files.size() >= 10);
  for (const fs::path& path : files) {
    const Parsed p(read(path));
    CHECK_MESSAGE(p.errors().empty(), path.filename().string() << "\n" << render_text(p.sink, p.sources));
    CHECK(ast::print(p.file).size() > 20);
  }
}

TEST_CASE("refused texts, each with its message at its place") {
  const auto files = models("diagnostics/syntax");
  CHECK(files.size() >= 100);
  for (const fs::path& path : files) {
    const std::string text = read(path);
    CAPTURE(path.filename().string());
    const std::vector<std::string> expected = expectations(path, text);
    CHECK_FALSE(expected.empty());
    CHECK(joined(Parsed(text).errors()) == joined(expected));
  }
}

TEST_CASE("every syntax diagnostic is triggered by a file, or is a limit tested in parse_limits_test.cpp") {
  std::set<std::string> seen = {"E0101", "E0109"};
  for (const fs::path& path : models("diagnostics/syntax")) {
    for (const Diagnostic& d : Parsed(read(path)).sink.sorted()) seen.insert(std::string(info(d.kind).code));
  }
  for (const KindInfo& k : all_kinds()) {
    if (k.code.starts_with("E01")) CHECK_MESSAGE(seen.count(std::string(k.code)) == 1, k.code << " " << k.name);
  }
}

// ---- mutants

std::vector<std::string> rough_tokens(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    const auto word = [&](std::size_t k) {
      return std::isalnum(static_cast<unsigned char>(text[k])) != 0 || text[k] == '_';
    };
    if (word(i)) {
      while (end < text.size() && word(end)) ++end;
    }
    out.push_back(text.substr(i, end - i));
    i = end;
  }
  return out;
}

std::string mutant(const std::vector<std::string>& good, std::mt19937& random) {
  std::vector<std::string> tokens = good;
  const auto pick = [&random](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  const std::size_t changes = 1 + pick(3);
  for (std::size_t k = 0; k < changes && tokens.size() > 2; ++k) {
    const std::size_t a = pick(tokens.size());
    const std::size_t b = pick(tokens.size());
    switch (pick(5)) {
      case 0:
        tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(a));
        break;
      case 1:
        tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(a), tokens[a]);
        break;
      case 2:
        std::swap(tokens[a], tokens[b]);
        break;
      case 3:
        tokens[a] = tokens[b];
        break;
      default:
        tokens.resize(std::max<std::size_t>(a, 1));
        break;
    }
  }
  std::string out;
  for (const std::string& t : tokens) out += t;
  return out;
}

TEST_CASE("mutants of accepted texts are answered") {
  std::mt19937 random(20'240'229);
  std::size_t refused = 0;
  std::size_t runs = 0;
  for (const fs::path& path : models("compiler/parse/syntax")) {
    const std::vector<std::string> good = rough_tokens(read(path));
    for (int i = 0; i < 400; ++i, ++runs) {
      const std::string text = mutant(good, random);
      const Parsed p(text, i % 4 == 3 ? ParseMode::repl : ParseMode::file);
      refused += p.sink.has_errors() ? 1 : 0;
      const std::string shown = render_text(p.sink, p.sources);
      const bool internal = shown.find("E0900") != std::string::npos;
      if (internal) FAIL_CHECK("internal error on:\n" << text);
      for (const Diagnostic& d : p.sink.sorted()) {
        const bool placed = d.span.known() && d.span.end <= text.size() && d.span.begin <= d.span.end;
        if (!placed) FAIL_CHECK("no place for " << d.message() << " in:\n" << text);
      }
      if (wants_more(text) && p.sink.full()) ++runs;
    }
  }
  CHECK(runs >= 4000);
  CHECK(refused * 2 > runs);
}

}  // namespace
}  // namespace mbc::test
