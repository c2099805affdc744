// SPDX-License-Identifier: Apache-2.0
// Tests that the files named in documents, in backticks and in links, exist.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/house/sources.h"

using namespace mbc::house;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestLine = 140;  // for architecture.md, which is read beside the code

// Returns the texts between single backticks on a line outside of fenced samples.
std::vector<std::string> quoted_on(std::string_view line) {
  std::vector<std::string> found;
  for (std::size_t begin = line.find('`'); begin != std::string_view::npos; begin = line.find('`', begin)) {
    const std::size_t end = line.find('`', begin + 1);
    if (end == std::string_view::npos) break;
    found.emplace_back(line.substr(begin + 1, end - begin - 1));
    begin = end + 1;
  }
  return found;
}

// Returns the targets of the links "](target)" to files, without the part after `#`.
std::vector<std::string> links_on(std::string_view line) {
  std::vector<std::string> found;
  for (std::size_t begin = line.find("]("); begin != std::string_view::npos; begin = line.find("](", begin + 2)) {
    const std::string_view rest = line.substr(begin + 2);
    const std::string target(rest.substr(0, std::min(rest.find(')'), rest.find('#'))));
    if (!target.empty() && target.find(':') == std::string::npos) found.push_back(target);
  }
  return found;
}

// Returns the names of all folders, including "rows" of runtime/rows. A path in a document may begin with any of them.
const std::set<std::string>& folder_names() {
  static const std::set<std::string> folders = [] {
    std::set<std::string> all;
    for (const SourceText& file : all_files())
      for (const fs::path& part : fs::path(file.path).parent_path()) all.insert(part.string());
    return all;
  }();
  return folders;
}

// Returns whether a text names a file or folder of the repository. Patterns of names ("runtime/*", "tests/<phase>") do
// not.
bool is_path(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '/' || c == '_' || c == '.' || c == '-';
  });
  if (!plain) return false;
  if (folder_names().contains(text.substr(0, text.find('/'))) && text.find('/') != std::string::npos) return true;
  return text.ends_with(".cpp") || text.ends_with(".h") || text.ends_with(".def");
}

// Accepts paths from the root and paths from an inner folder, which documents use for brevity: `lanes/partition.cpp`,
// `solve/pattern`.
bool is_there(const std::string& path) {
  if (path.starts_with("build/")) return true;
  const std::string inner = "/" + path;
  return std::any_of(all_files().begin(), all_files().end(), [&](const SourceText& file) {
    const std::string whole = "/" + file.path;
    for (const std::string ending : {"", ".h", ".cpp"})
      if (whole.ends_with(inner + ending)) return true;
    return whole.find(path.ends_with('/') ? inner : inner + "/") != std::string::npos;
  });
}

std::vector<const SourceText*> documents() {
  std::vector<const SourceText*> found;
  for (const SourceText& file : all_files())
    if (file.ends_with(".md")) found.push_back(&file);
  return found;
}

template <class Look>
void for_each_line(const SourceText& document, Look look) {
  bool sample = false;
  std::size_t number = 0;
  for (std::string_view line : lines_of(document.text)) {
    ++number;
    if (line.starts_with("```")) sample = !sample;
    if (!sample) look(line, document.path + ":" + std::to_string(number));
  }
}

}  // namespace

TEST_CASE("the files that documents name are there") {
  std::vector<std::string> offenders;
  for (const SourceText* document : documents())
    for_each_line(*document, [&](std::string_view line, const std::string& place) {
      for (const std::string& text : quoted_on(line))
        if (is_path(text) && !is_there(text)) offenders.push_back(place + " `" + text + "`");
    });
  CHECK_MESSAGE(offenders.empty(), listed(offenders));
}

TEST_CASE("the links of documents lead to files") {
  std::vector<std::string> offenders;
  for (const SourceText* document : documents())
    for_each_line(*document, [&](std::string_view line, const std::string& place) {
      for (const std::string& target : links_on(line))
        if (!fs::exists(fs::path(MBC_SOURCE_DIR) / document->folder() / target))
          offenders.push_back(place + " " + target);
    });
  CHECK_MESSAGE(offenders.empty(), listed(offenders));
}

// The steps of one method are named in the table of settings, in its own file, and where all methods are listed.
TEST_CASE("adding_a_feature.md names the places of an integrator, which are six at most") {
  const auto guide = std::find_if(all_files().begin(), all_files().end(),
                                  [](const SourceText& file) { return file.path == "docs/adding_a_feature.md"; });
  REQUIRE(guide != all_files().end());
  const std::size_t begin = guide->text.find("\n## An integrator\n"), end = guide->text.find("\n## A formulation\n");
  REQUIRE((begin < end && end != std::string::npos));
  const std::string_view section = std::string_view(guide->text).substr(begin, end - begin);
  const auto names = [](const SourceText& file, std::string_view word) {
    const auto is_of_name = [&](std::size_t at) {
      return at < file.text.size() && (std::isalnum(static_cast<unsigned char>(file.text[at])) || file.text[at] == '_');
    };
    for (std::size_t at = file.text.find(word); at != std::string::npos; at = file.text.find(word, at + 1))
      if (!is_of_name(at - 1) && !is_of_name(at + word.size())) return true;
    return false;
  };
  std::vector<std::string> offenders;
  std::size_t places = 0;
  for (const SourceText* file : product_files()) {
    if (!names(*file, "ab4") && !names(*file, "Ab4")) continue;
    ++places;
    const bool its_own = file->path == "runtime/integrators/ab4.h";
    if (!its_own && section.find("`" + file->path + "`") == std::string_view::npos) offenders.push_back(file->path);
  }
  CHECK_MESSAGE(offenders.empty(), listed(offenders));
  CHECK(places >= 4);
  CHECK(places <= 6);
}

TEST_CASE("architecture.md has a row for every folder of the program, and short lines") {
  const auto found = std::find_if(all_files().begin(), all_files().end(),
                                  [](const SourceText& file) { return file.path == "docs/architecture.md"; });
  REQUIRE(found != all_files().end());
  std::vector<std::string> offenders;
  std::set<std::string> folders;
  for (const SourceText* file : product_files()) folders.insert(file->folder());
  for (const std::string& folder : folders)
    if (found->text.find("`" + folder + "/`") == std::string::npos &&
        found->text.find("`" + folder + "`") == std::string::npos)
      offenders.push_back("no row for " + folder);
  std::size_t number = 0;
  for (std::string_view line : lines_of(found->text)) {
    ++number;
    if (line.size() > kLongestLine) offenders.push_back("line " + std::to_string(number) + " is too long");
  }
  CHECK_MESSAGE(offenders.empty(), listed(offenders));
}
