// SPDX-License-Identifier: Apache-2.0
// Tests that the documents describe the program. Every ```mbd block of docs/*.md and README.md is a complete model that
// compiles and, if it has a `simulate` block, runs. The table in docs/diagnostics.md lists exactly the existing
// diagnostics. The first table of tolerances in docs/numerics.md is that of runtime/tolerances.def; the others have the
// listed values in the listed files. MBC_UPDATE_DOCS=1 rewrites the tables of diagnostics and of tolerances.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "mbc/mbc.h"
#include "tests/support/scratch.h"
#include "tests/support/tolerances.h"

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = MBC_SOURCE_DIR;
constexpr const char* kTableBegin = "<!-- diagnostics: begin -->\n";
constexpr const char* kTableEnd = "<!-- diagnostics: end -->\n";
constexpr const char* kTolerancesBegin = "<!-- tolerances: begin -->\n";
constexpr const char* kTolerancesEnd = "<!-- tolerances: end -->\n";

std::string read(const fs::path& path) {
  const std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::vector<fs::path> documents() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(kRoot / "docs"))
    if (entry.path().extension() == ".md") out.push_back(entry.path());
  if (fs::exists(kRoot / "README.md")) out.push_back(kRoot / "README.md");
  std::sort(out.begin(), out.end());
  return out;
}

struct Sample {
  std::string name;  // for example "language.md:120", the line of its fence
  std::string text;
};

// A mark "<!-- beside: mast.csv -->" before a fence makes the text a file in the folder of the document's samples.
void write_files_beside(const fs::path& document, const mbc::test::Folder& folder) {
  std::string name;
  std::ofstream out;
  bool inside = false;
  for (const std::string& line : lines(read(document))) {
    if (line.starts_with("<!-- beside: ")) name = line.substr(13, line.size() - 17);
    if (!name.empty() && line.starts_with("```")) {
      if (inside) {
        out.close();
        name.clear();
      } else {
        out.open(folder / name);
      }
      inside = !inside;
    } else if (inside) {
      out << line << '\n';
    }
  }
}

std::vector<Sample> samples(const fs::path& document) {
  std::vector<Sample> out;
  bool inside = false;
  std::size_t number = 0;
  for (const std::string& line : lines(read(document))) {
    ++number;
    if (!inside && line == "```mbd") {
      inside = true;
      out.push_back({document.filename().string() + ":" + std::to_string(number), ""});
    } else if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      out.back().text += line + "\n";
    }
  }
  CHECK_FALSE_MESSAGE(inside, "a sample without an end in ", document.string());
  return out;
}

// Splits "| `a` | b |" into its cells without the surrounding blanks and backticks. The result is empty for any other
// line.
std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out;
  if (!line.starts_with("| ")) return out;
  std::istringstream in(line.substr(1));
  for (std::string cell; std::getline(in, cell, '|');) {
    const std::size_t begin = cell.find_first_not_of(" ");
    if (begin == std::string::npos) continue;
    cell = cell.substr(begin, cell.find_last_not_of(" ") - begin + 1);
    if (cell.size() > 2 && cell.front() == '`' && cell.find('`', 1) == cell.size() - 1)
      cell = cell.substr(1, cell.size() - 2);
    out.push_back(cell);
  }
  return out;
}

std::string table_of_tolerances() {
  std::string out = "| constant | value | relative to | derivation | shown by |\n|---|---|---|---|---|\n";
  for (const mbc::test::ListedTolerance& t : mbc::test::kListedTolerances) {
    out += "| `" + std::string(t.name) + "` |";
    for (const std::string_view cell : {t.value, t.unit, t.derivation, t.proof}) out += " " + std::string(cell) + " |";
    out += "\n";
  }
  return out;
}

std::string table_of_codes() {
  std::vector<mbc::CodeInfo> codes = mbc::all_codes();
  std::sort(codes.begin(), codes.end(),
            [](const auto& a, const auto& b) { return a.code.substr(1) < b.code.substr(1); });
  std::string out = "| code | name | severity | message |\n|---|---|---|---|\n";
  for (const mbc::CodeInfo& c : codes)
    out += "| " + c.code + " | " + c.name + " | " + to_text(c.severity) + " | " + c.message + " |\n";
  return out;
}

}  // namespace

TEST_CASE("the samples of the documents compile and run") {
  std::size_t compiled = 0, run = 0, tested = 0;
  for (const fs::path& document : documents()) {
    const mbc::test::Folder folder;
    write_files_beside(document, folder);
    for (const Sample& sample : samples(document)) {
      CAPTURE(sample.name);
      CHECK(sample.text.starts_with("mbd 1\n"));
      mbc::CompileOptions options;
      options.interpret = true;
      options.folder = folder.path();
      mbc::Simulation program =
          mbc::Simulation::create(mbc::Model::from_string(sample.text, sample.name, options)).value();
      CHECK_MESSAGE(program.model().ok(), program.model().render_diagnostics());
      if (!program.model().ok()) continue;
      ++compiled;
      for (const std::string& simulation : program.model().simulations()) {
        mbc::RunOptions how;
        how.simulation = simulation;
        const mbc::RunResult result = program.run(how, [](const mbc::Row&) { return true; });
        CHECK_MESSAGE(result.status == mbc::Status::complete, result.rendered);
        CHECK(result.rows > 1);
        ++run;
      }
      for (std::size_t k = 0; k < program.model().tests().size(); ++k) {
        const mbc::TestResult result = program.run_test(k).value();
        CHECK_MESSAGE(result.passed, result.rendered);
        ++tested;
      }
    }
  }
  CHECK(compiled >= 15);
  CHECK(run >= 12);
  CHECK(tested >= 2);
}

// A mark "<!-- file: examples/embed/host.c -->" before a fence means that the shown text is this file without its
// licence line.
TEST_CASE("the files that docs/embedding.md shows are the tested ones") {
  const fs::path path = kRoot / "docs" / "embedding.md";
  constexpr const char* kMark = "<!-- file: ";
  std::string made;
  std::size_t shown = 0;
  bool skipping = false;
  const std::vector<std::string> all = lines(read(path));
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (skipping && all[k] == "```") skipping = false;
    if (!skipping) made += all[k] + "\n";
    if (!all[k].starts_with(kMark)) continue;
    const std::string file = all[k].substr(std::string(kMark).size(), all[k].find(" -->") - std::string(kMark).size());
    const std::string text = read(kRoot / file);
    CHECK_MESSAGE(!text.empty(), file, " is not there");
    REQUIRE(k + 1 < all.size());
    made += all[++k] + "\n" + text.substr(text.find('\n') + 1);
    skipping = true;
    ++shown;
  }
  CHECK(shown >= 6);
  if (std::getenv("MBC_UPDATE_DOCS") != nullptr) std::ofstream(path, std::ios::binary) << made;
  CHECK_MESSAGE(read(path) == made, "MBC_UPDATE_DOCS=1 writes the files into docs/embedding.md anew");
}

TEST_CASE("docs/diagnostics.md lists every diagnostic, and no other") {
  const fs::path path = kRoot / "docs" / "diagnostics.md";
  const std::string text = read(path);
  const std::size_t begin = text.find(kTableBegin), end = text.find(kTableEnd);
  REQUIRE(begin != std::string::npos);
  REQUIRE(end != std::string::npos);
  const std::size_t table = begin + std::string(kTableBegin).size();
  if (std::getenv("MBC_UPDATE_DOCS") != nullptr) {
    std::ofstream(path, std::ios::binary) << text.substr(0, table) << table_of_codes() << text.substr(end);
    return;
  }
  std::map<std::string, std::vector<std::string>> rows;
  for (const std::string& line : lines(text.substr(table, end - table))) {
    const std::vector<std::string> row = cells(line);
    if (row.size() < 4 || row[0] == "code") continue;
    CHECK_MESSAGE(rows.emplace(row[0], row).second, row[0], " is listed twice");
  }
  for (const mbc::CodeInfo& c : mbc::all_codes()) {
    CAPTURE(c.code);
    const auto row = rows.find(c.code);
    CHECK_MESSAGE(row != rows.end(), "missing; MBC_UPDATE_DOCS=1 writes the table anew");
    if (row == rows.end()) continue;
    CHECK(row->second[1] == c.name);
    CHECK(row->second[2] == to_text(c.severity));
    CHECK_FALSE(mbc::explain(c.code).empty());
    rows.erase(row);
  }
  for (const auto& [code, row] : rows) FAIL_CHECK(code << " is listed and does not exist");
  CHECK_MESSAGE(text.substr(table, end - table) == table_of_codes(), "MBC_UPDATE_DOCS=1 writes the table anew");
}

TEST_CASE("docs/numerics.md has the table of tolerances") {
  const fs::path path = kRoot / "docs" / "numerics.md";
  const std::string text = read(path);
  const std::size_t begin = text.find(kTolerancesBegin), end = text.find(kTolerancesEnd);
  REQUIRE(begin != std::string::npos);
  REQUIRE(end != std::string::npos);
  const std::size_t table = begin + std::string(kTolerancesBegin).size();
  const std::string made = table_of_tolerances();
  if (std::getenv("MBC_UPDATE_DOCS") != nullptr)
    std::ofstream(path, std::ios::binary) << text.substr(0, table) << made << text.substr(end);
  else
    CHECK_MESSAGE(text.substr(table, end - table) == made, "MBC_UPDATE_DOCS=1 writes the table anew");
}

TEST_CASE("docs/numerics.md gives the other tolerances that stand in the sources") {
  std::size_t found = 0;
  for (const std::string& line : lines(read(kRoot / "docs" / "numerics.md"))) {
    const std::vector<std::string> row = cells(line);  // The columns are name, value, file and meaning.
    if (row.size() != 4 || !(row[2].ends_with(".h") || row[2].ends_with(".cpp"))) continue;
    CAPTURE(row[0]);
    CAPTURE(row[2]);
    const std::string source = read(kRoot / row[2]);
    CHECK_FALSE(source.empty());
    const std::string wanted = row[0] + " = " + row[1] + ";";
    CHECK_MESSAGE(source.find(wanted) != std::string::npos, "the file does not hold `", wanted, "`");
    ++found;
  }
  CHECK(found >= 20);
}
