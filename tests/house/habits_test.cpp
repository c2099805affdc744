// SPDX-License-Identifier: Apache-2.0
// Tests the habits of every file: a licence line, a first sentence that says what the file is, no open work, no traces
// of the machine it was written on, and tests in the folders of the code that they test.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/house/sources.h"

using namespace mbc::house;

namespace {

namespace fs = std::filesystem;

// These folders hold tests that go through all stages. The other folders of tests/ mirror those of the program.
constexpr std::string_view kCrossCutting[] = {"physics", "random",  "language", "diagnostics", "filetest",
                                              "support", "oracles", "house",    "areas"};

bool is_cross_cutting(std::string_view path) {
  return std::any_of(std::begin(kCrossCutting), std::end(kCrossCutting),
                     [&](std::string_view folder) { return inside(path, "tests/" + std::string(folder)); });
}

// Files that are compiled, configured or executed have a licence line. Models, documents and expectations have none.
bool has_licence_line(const SourceText& file) {
  const std::string name = fs::path(file.path).filename().string();
  constexpr std::string_view endings[] = {".h", ".cpp", ".c", ".def", ".g4", ".cmake", ".sh", ".in"};
  constexpr std::string_view names[] = {"CMakeLists.txt", "packages.txt", "dev", "run", ".clang-format", ".clang-tidy"};
  return std::any_of(std::begin(endings), std::end(endings), [&](auto ending) { return name.ends_with(ending); }) ||
         std::find(std::begin(names), std::end(names), name) != std::end(names);
}

std::string place(const SourceText& file, std::size_t line) { return file.path + ":" + std::to_string(line + 1); }

// Returns "rank" for "tests/runtime/rows/rank_test.cpp", and "" for a file of another kind.
std::string tested_name(const SourceText& file) {
  constexpr std::string_view ending = "_test.cpp";
  const std::string name = fs::path(file.path).filename().string();
  return name.ends_with(ending) ? name.substr(0, name.size() - ending.size()) : "";
}

}  // namespace

TEST_CASE("every source names its licence in its first lines") {
  std::vector<std::string> offenders;
  for (const SourceText& file : all_files()) {
    if (!has_licence_line(file)) continue;
    const std::vector<std::string_view> lines = lines_of(file.text);
    const auto end = lines.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(lines.size(), 2));
    const bool found = std::any_of(lines.begin(), end, [](std::string_view line) {
      return line.find("SPDX-License-Identifier: Apache-2.0") != std::string_view::npos;
    });
    if (!found) offenders.push_back(file.path);
  }
  CHECK_MESSAGE(offenders.empty(), listed(offenders));
}

TEST_CASE("every header, list and file without a header says first what it is") {
  std::set<std::string> headers;
  for (const SourceText* file : code_files())
    if (file->ends_with(".h")) headers.insert(file->path);
  std::vector<std::string> offenders;
  for (const SourceText* file : code_files()) {
    const std::string header = fs::path(file->path).replace_extension(".h").generic_string();
    if (file->ends_with(".cpp") && headers.contains(header)) continue;  // The header contains the sentence.
    const std::vector<std::string_view> lines = lines_of(file->text);
    if (lines.size() < 2 || !(lines[1].starts_with("//") || lines[1].starts_with("/*")))
      offenders.push_back(file->path);
  }
  CHECK_MESSAGE(offenders.empty(), listed(offenders));
}

// The list also contains citations of papers that are not part of the repository.
TEST_CASE("nothing is left to do, and no file knows the machine it was written on") {
  // The words are concatenated here, so that this file does not contain them.
  const std::vector<std::string> words = {std::string("TO") + "DO",    std::string("FIX") + "ME",
                                          std::string("/ro") + "ot/",  std::string("/wo") + "rk/",
                                          std::string("(DES") + "IGN", std::string("ERR") + "ATA"};
  std::vector<std::string> offenders;
  for (const SourceText& file : all_files()) {
    const std::vector<std::string_view> lines = lines_of(file.text);
    for (std::size_t k = 0; k < lines.size(); ++k)
      for (const std::string& word : words)
        if (lines[k].find(word) != std::string_view::npos) offenders.push_back(place(file, k) + " " + word);
  }
  CHECK_MESSAGE(offenders.empty(), listed(offenders));
}

TEST_CASE("texts have no tabs, no blanks at the ends of lines, and end with a line") {
  std::vector<std::string> offenders;
  for (const SourceText* file : code_files()) {
    const std::vector<std::string_view> lines = lines_of(file->text);
    for (std::size_t k = 0; k < lines.size(); ++k)
      if (lines[k].ends_with(' ') || lines[k].find('\t') != std::string_view::npos)
        offenders.push_back(place(*file, k));
    if (!file->text.empty() && !file->text.ends_with('\n')) offenders.push_back(file->path);
  }
  CHECK_MESSAGE(offenders.empty(), listed(offenders));
}

TEST_CASE("a test lies in the folder of what it tests") {
  std::vector<std::string> offenders;
  for (const SourceText* file : code_files()) {
    const std::string name = tested_name(*file);
    if (name.empty() || !inside(file->path, "tests") || is_cross_cutting(file->path)) continue;
    const std::string mirrored = file->folder().substr(std::string("tests/").size());
    if (!fs::is_directory(fs::path(MBC_SOURCE_DIR) / mirrored)) {
      offenders.push_back(file->path + ": there is no folder " + mirrored);
      continue;
    }
    // A test named like a source file of the same part of the program lies in the matching folder. Other names cover a
    // whole folder.
    const std::string part = mirrored.substr(0, mirrored.find('/'));
    std::vector<std::string> folders;
    for (const SourceText* source : product_files())
      if (inside(source->path, part) && fs::path(source->path).stem() == name) folders.push_back(source->folder());
    const bool beside = std::any_of(folders.begin(), folders.end(),
                                    [&](const std::string& folder) { return inside(folder, mirrored); });
    if (!folders.empty() && !beside) offenders.push_back(file->path + ": " + name + " lies in " + folders.front());
  }
  CHECK_MESSAGE(offenders.empty(), listed(offenders));
}
