// SPDX-License-Identifier: Apache-2.0
// Tests `mbc fmt`: the formatted text of every available model has the same meaning and the same comments, and a second
// pass does not change it. Single rules are also tested.
#include "compiler/format/format.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/ast/print_ast.h"
#include "compiler/parse/parse.h"
#include "tests/random/model_text.h"

namespace mbc::test {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  const std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::optional<std::string> formatted(const std::string& text) {
  SourceSet sources;
  Sink sink;
  return format::format(text, "m.mbd", sources, sink);
}

std::string meaning(const std::string& text) {
  SourceSet sources;
  Sink sink;
  const ast::File file = parse(sources, sources.add("m.mbd", text), ParseMode::file, sink);
  return sink.has_errors() ? "" : ast::print(file);
}

// Returns the comments in their order without trailing blanks.
std::vector<std::string> comments(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    bool quoted = false;
    for (std::size_t k = 0; k + 1 < line.size(); ++k) {
      if (line[k] == '"') quoted = !quoted;
      if (quoted || line[k] != '/' || line[k + 1] != '/') continue;
      line.erase(line.find_last_not_of(" \t\r\f") + 1);
      out.push_back(line.substr(k));
      break;
    }
  }
  return out;
}

// Returns whether the text can be formatted. In that case all promised properties are checked.
bool check_text(const std::string& name, const std::string& text) {
  const std::string before = meaning(text);
  if (before.empty()) return false;
  CAPTURE(name);
  const std::optional<std::string> once = formatted(text);
  REQUIRE_MESSAGE(once, text);
  CHECK_MESSAGE(meaning(*once) == before, *once);
  CHECK(comments(*once) == comments(text));
  const std::optional<std::string> twice = formatted(*once);
  REQUIRE(twice);
  CHECK_MESSAGE(*twice == *once, text);
  CHECK(once->ends_with("\n"));
  for (const char* never : {" \n", "\n\n\n", "\t", "\r", "{\n\n", "\n\n}"})
    CHECK_MESSAGE(once->find(never) == std::string::npos, *once);
  return true;
}

std::vector<std::pair<std::string, std::string>> all_texts() {
  std::vector<std::pair<std::string, std::string>> out;
  for (const char* folder : {"examples", "tests"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(MBC_SOURCE_DIR) / folder))
      if (entry.path().extension() == ".mbd") out.emplace_back(entry.path().string(), read(entry.path()));
  std::vector<fs::path> documents{fs::path(MBC_SOURCE_DIR) / "README.md"};
  for (const auto& entry : fs::directory_iterator(fs::path(MBC_SOURCE_DIR) / "docs"))
    if (entry.path().extension() == ".md") documents.push_back(entry.path());
  for (const fs::path& path : documents) {
    const std::string text = read(path);
    const std::string mark = "```mbd\n";
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
      const std::size_t begin = at + mark.size();
      out.emplace_back(path.string() + " at byte " + std::to_string(at),
                       text.substr(begin, text.find("```", begin) - begin));
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Returns the same statements with other blanks, empty lines and comments at places where they change nothing.
std::string disturbed(const std::string& text, std::mt19937& random) {
  const auto chance = [&](unsigned percent) { return random() % 100 < percent; };
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool header = line.starts_with("mbd");
    bool quoted = false, comment = false;
    for (std::size_t k = 0; k < line.size(); ++k) {
      if (line[k] == '"') quoted = !quoted;
      comment |= !quoted && line.compare(k, 2, "//") == 0;
      if (line[k] == ' ' && !quoted && !comment) {
        out.append(1 + (chance(30) ? random() % 6 : 0), ' ');
        if (chance(5)) out += '\t';
      } else {
        if (!quoted && !comment && std::string("+-*/=<>,").find(line[k]) != std::string::npos && chance(10) && k > 0 &&
            std::string("+-*/=<>!").find(line[k - 1]) == std::string::npos && line[k - 1] != 'e' && line[k - 1] != 'E')
          out += ' ';
        out += line[k];
      }
    }
    if (!comment && chance(10)) out += " // c" + std::to_string(random() % 10);
    if (chance(10)) out += "   ";
    out += chance(5) ? "\r\n" : "\n";
    if (!header && chance(10)) out += std::string(random() % 4, '\n');
    if (!header && chance(5)) out += "// on its own\n";
  }
  return out;
}

TEST_CASE("every text of the repository") {
  std::size_t count = 0;
  for (const auto& [name, text] : all_texts()) count += check_text(name, text);
  CHECK(count > 100);
}

TEST_CASE("the same texts with disturbed blanks") {
  std::mt19937 random(7);
  std::size_t count = 0;
  for (const auto& [name, text] : all_texts())
    for (int k = 0; k < 2; ++k) count += check_text(name, disturbed(text, random));
  CHECK(count > 200);
}

TEST_CASE("random models, straight and disturbed") {
  std::mt19937 random(11);
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const std::string text = random_model(seed).text;
    CHECK(check_text("seed " + std::to_string(seed), text));
    CHECK(check_text("seed " + std::to_string(seed) + " disturbed", disturbed(text, random)));
  }
}

TEST_CASE("blanks in a line do not matter when nothing is lined up") {
  const std::string tight =
      "mbd 1\nlet a=-b+c-d*e/f^-2\nlet v=(1,2,3)[m]+p[i-1].pos'\nforce f on p from q:-k*x\n"
      "for i in 1..n{constraint link[i]:dist(p[i-1],p[i])==L/n}\nsimulate s{time=0..1 step 0.1;assemble}\n";
  const std::string wanted =
      "mbd 1\nlet a = -b + c - d*e/f^-2\nlet v = (1, 2, 3) [m] + p[i-1].pos'\nforce f on p from q: -k*x\n"
      "for i in 1..n { constraint link[i]: dist(p[i-1], p[i]) == L/n }\nsimulate s { time = 0 .. 1 step 0.1; assemble "
      "}\n";
  CHECK(formatted(tight) == wanted);
  CHECK(formatted("mbd   1\nlet a  =  - b+c -d * e / f ^ - 2\nlet v=( 1 ,2 , 3 ) [ m ]+p[ i - 1 ] . pos '\n"
                  "force  f on  p  from  q :-k * x\nfor  i in  1 .. n  {  constraint link[ i ] : dist( p[i - 1] ,p[i] "
                  ")==L / n }\n"
                  "simulate s {time = 0  ..  1  step  0.1 ;assemble ;}\n") == wanted);
}

TEST_CASE("blocks, statements and continued lines are indented by two") {
  CHECK(formatted("mbd 1\nsimulate s { time = 0 .. 1 step 1\nassemble }\n") ==
        "mbd 1\nsimulate s {\n  time = 0 .. 1 step 1\n  assemble\n}\n");
  CHECK(formatted("mbd 1\nif a > b {\nlet c = f(1,\n     (2 +\n 3),\n4\n)\n}\nelse {\n\n  let c = a\n+ b\n\n}\n") ==
        "mbd 1\nif a > b {\n  let c = f(1,\n    (2 +\n      3),\n    4\n  )\n} else {\n  let c = a\n    + b\n}\n");
  CHECK(formatted("mbd 1\nlet a = 1;;let b = 2;\n\n\n\nlet c = 3 ;  // three\n\n") ==
        "mbd 1\nlet a = 1; let b = 2\n\nlet c = 3  // three\n");
  CHECK(formatted("mbd 1\n  // above\n/// of a\n   let a = 1\ninit {  // behind\n// inside\n}\n// last") ==
        "mbd 1\n// above\n/// of a\nlet a = 1\ninit {  // behind\n  // inside\n}\n// last\n");
}

TEST_CASE("columns that are lined up stay so, with the fewest blanks") {
  CHECK(
      formatted("mbd 1\nsimulate s {\n  time      = 0 .. 1 step 1   // a\n  save      = \"x\"             // b\n}\n") ==
      "mbd 1\nsimulate s {\n  time = 0 .. 1 step 1  // a\n  save = \"x\"            // b\n}\n");
  CHECK(formatted("mbd 1\nlet ab = 1\nlet c  = 2+2  // x\n\nlet d  = 3\n") ==
        "mbd 1\nlet ab = 1\nlet c  = 2 + 2  // x\n\nlet d = 3\n");
  CHECK(formatted("mbd 1\nlet Größe = 1\nlet b     = 2\n") == "mbd 1\nlet Größe = 1\nlet b     = 2\n");
}

TEST_CASE("a text with syntax errors is not laid out, and says why") {
  SourceSet sources;
  Sink sink;
  CHECK_FALSE(format::format("mbd 1\nlet a = = 2\n", "m.mbd", sources, sink));
  CHECK(sink.has_errors());
}

TEST_CASE("long lines and many columns") {
  std::string text = "mbd 1\nlet a = 1";
  for (int k = 0; k < 30000; ++k) text += "  + b" + std::to_string(k);
  text += "\n";
  for (int k = 0; k < 5000; ++k) text += "let c" + std::to_string(k) + std::string(1 + k % 90, ' ') + "= 2\n";
  const std::optional<std::string> once = formatted(text);
  REQUIRE(once);
  CHECK(formatted(*once) == once);
}

}  // namespace
}  // namespace mbc::test
