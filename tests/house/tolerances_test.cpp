// SPDX-License-Identifier: Apache-2.0
// Tests the table of tolerances (runtime/tolerances.def): every entry is complete, used and unique, the tests it names
// exist, and fewer constants stand outside of it. `./dev long tolerances` runs the named tests with changed values.
#include "tests/support/tolerances.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/house/allowed.h"
#include "tests/house/cpp_tokens.h"
#include "tests/house/sources.h"

using namespace mbc::house;
using mbc::test::kListedTolerances;

namespace {

// Returns "runtime/rows" for "runtime/rows/cone/newton.cpp".
std::string folder_of(const std::string& path) {
  const std::size_t first = path.find('/');
  return path.substr(0, path.find('/', first + 1));
}

// Returns the program and the case of "fails: PROGRAM: CASE", or two empty texts.
std::pair<std::string, std::string> named_test(std::string_view proof) {
  constexpr std::string_view kFails = "fails: ";
  const std::size_t end = proof.find(": ", kFails.size());
  if (!proof.starts_with(kFails) || end == std::string_view::npos) return {};
  return {std::string(proof.substr(kFails.size(), end - kFails.size())), std::string(proof.substr(end + 2))};
}

bool is_range(std::string_view proof) {
  return proof.starts_with("any value from ") && proof.find(" to ") != std::string_view::npos;
}

std::vector<std::string> against(std::span<const Allowed> list, const std::map<std::string, int>& found) {
  std::map<std::string, int> allowed;
  for (const Allowed& a : list) allowed[std::string(a.what)] = a.count;
  for (const auto& [what, count] : found) allowed.emplace(what, 0);
  std::vector<std::string> offenders;
  for (const auto& [what, count] : allowed)
    if (const auto at = found.find(what); (at == found.end() ? 0 : at->second) != count)
      offenders.push_back(what + ": " + std::to_string(at == found.end() ? 0 : at->second) + ", the list says " +
                          std::to_string(count));
  return offenders;
}

}  // namespace

TEST_CASE("every tolerance is complete and stands once") {
  std::set<std::string_view> names;
  std::map<std::string, int> open;
  for (const auto& t : kListedTolerances) {
    CAPTURE(t.name);
    CHECK(names.insert(t.name).second);
    CHECK_FALSE(t.value.empty());
    CHECK_FALSE(t.unit.empty());
    CHECK(t.derivation.ends_with('.'));
    const bool is_open = t.proof == "open";
    CHECK_MESSAGE((is_open || is_range(t.proof) || !named_test(t.proof).first.empty()), t.proof);
    if (is_open) ++open["open"];
  }
  const std::vector<std::string> offenders = against(kTolerancesWithoutProof, open);
  CHECK_MESSAGE(offenders.empty(), listed(offenders));
}

TEST_CASE("every tolerance is used") {
  std::set<std::string> used;
  for (const SourceText* file : product_files())
    if (!file->ends_with(".def"))
      for (const Token& token : tokens_of(file->text)) used.insert(std::string(token.text));
  std::vector<std::string> idle;
  for (const auto& t : kListedTolerances)
    if (!used.contains(std::string(t.name))) idle.emplace_back(t.name);
  CHECK_MESSAGE(idle.empty(), listed(idle));
}

TEST_CASE("the tests that tolerances name exist") {
  std::string areas, tests;
  for (const SourceText& file : all_files()) {
    if (inside(file.path, "tests/areas")) areas += file.text;
    if (inside(file.path, "tests") && file.ends_with("_test.cpp")) tests += file.text;
  }
  std::vector<std::string> missing;
  for (const auto& t : kListedTolerances) {
    const auto [program, name] = named_test(t.proof);
    if (program.empty()) continue;
    const std::size_t at = areas.find("mbc_add_doctest(" + program);
    const bool defined = at != std::string::npos &&
                         std::string_view(" \n").find(areas[at + 16 + program.size()]) != std::string_view::npos;
    if (!defined || tests.find("TEST_CASE(\"" + name + "\")") == std::string::npos)
      missing.push_back(std::string(t.name) + ": " + std::string(t.proof));
  }
  CHECK_MESSAGE(missing.empty(), listed(missing));
}

TEST_CASE("constants outside of the table of tolerances become fewer") {
  std::map<std::string, int> found;
  for (const SourceText* file : product_files()) {
    if (!inside(file->path, "runtime")) continue;
    constexpr std::string_view kConstant = "constexpr double k";
    for (std::size_t at = file->text.find(kConstant); at != std::string::npos; at = file->text.find(kConstant, at + 1))
      ++found[folder_of(file->path)];
  }
  const std::vector<std::string> offenders = against(kConstantsLeft, found);
  CHECK_MESSAGE(offenders.empty(), listed(offenders));
}
