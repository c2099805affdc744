// SPDX-License-Identifier: Apache-2.0
// Tests the words of the program: names that the field does not use are gone from its identifiers, and a comment begins
// with its subject as far as a simple rule can tell.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/house/allowed.h"
#include "tests/house/cpp_tokens.h"
#include "tests/house/sources.h"

using namespace mbc::house;

namespace {

std::string place(const SourceText& file, std::size_t line) { return file.path + ":" + std::to_string(line); }

std::string room(const SourceText& file) { return file.path.substr(0, file.path.find('/')); }

// Returns the words of an identifier in small letters: "kink_branches" and "KinkBranches" give "kink" and "branches".
std::vector<std::string> words_of(std::string_view identifier) {
  std::vector<std::string> words(1);
  for (std::size_t k = 0; k < identifier.size(); ++k) {
    const auto c = static_cast<unsigned char>(identifier[k]);
    const bool begins = c == '_' || (std::isupper(c) != 0 && k > 0 && std::islower(identifier[k - 1]) != 0);
    if (begins) words.emplace_back();
    if (c != '_') words.back() += static_cast<char>(std::tolower(c));
  }
  return words;
}

// Returns whether a comment is a fragment: a clause without the thing it speaks of.
bool lacks_subject(std::string_view comment) {
  constexpr std::array<std::string_view, 11> openings{"Of ",   "Whether ", "What ",  "And ",   "But ",  "Nor ",
                                                      "That ", "Such ",    "Those ", "Which ", "Where "};
  return std::any_of(openings.begin(), openings.end(), [&](auto opening) { return comment.starts_with(opening); });
}

std::string_view trimmed(std::string_view line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first == std::string_view::npos ? std::string_view() : line.substr(first);
}

using Places = std::map<std::string, std::vector<std::string>>;

// Returns what the list does not say: more or fewer places than it allows.
std::vector<std::string> against(std::span<const Allowed> list, const Places& found) {
  std::vector<std::string> offenders;
  for (const Allowed& a : list)
    if (!found.contains(std::string(a.what)))
      offenders.push_back(std::string(a.what) + ": none is left, the list says " + std::to_string(a.count));
  for (const auto& [what, places] : found) {
    const std::string& name = what;  // clang 14 captures no structured binding
    const auto entry = std::find_if(list.begin(), list.end(), [&](const Allowed& a) { return a.what == name; });
    const int allowed = entry == list.end() ? 0 : entry->count;
    if (static_cast<int>(places.size()) == allowed) continue;
    std::string text = what + ": " + std::to_string(places.size()) + ", the list says " + std::to_string(allowed);
    for (std::size_t k = 0; k < std::min<std::size_t>(places.size(), 12); ++k) text += "\n    " + places[k];
    offenders.push_back(text);
  }
  return offenders;
}

}  // namespace

TEST_CASE("words that the field does not use are gone from identifiers") {
  Places found;
  for (const SourceText* file : product_files())
    for (const Token& token : tokens_of(file->text)) {
      if (!is_word(token.text)) continue;
      for (const std::string& word : words_of(token.text))
        if (std::find(std::begin(kWordsNotUsed), std::end(kWordsNotUsed), word) != std::end(kWordsNotUsed))
          found[word].push_back(place(*file, static_cast<std::size_t>(token.line)));
    }
  const std::vector<std::string> offenders = against(kWordsLeft, found);
  CHECK_MESSAGE(offenders.empty(), listed(offenders));
}

TEST_CASE("a comment begins with its subject") {
  Places found;
  std::size_t seen = 0;
  for (const SourceText* file : product_files()) {
    const std::vector<std::string_view> lines = lines_of(file->text);
    bool goes_on = false;
    for (std::size_t k = 0; k < lines.size(); ++k) {
      const std::string_view line = trimmed(lines[k]);
      const bool comment = line.starts_with("// ");
      if (comment && !goes_on) {
        ++seen;
        if (lacks_subject(line.substr(3))) found[room(*file)].push_back(place(*file, k + 1));
      }
      goes_on = comment && line.find("SPDX") == std::string_view::npos;
    }
  }
  CHECK(seen > 3000);
  const std::vector<std::string> offenders = against(kFragmentsLeft, found);
  CHECK_MESSAGE(offenders.empty(), listed(offenders));
}
