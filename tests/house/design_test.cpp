// SPDX-License-Identifier: Apache-2.0
// Tests the rules of design for every switch, enum and class of the program. allowed.h lists the exceptions.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tests/house/allowed.h"
#include "tests/house/cpp_enums.h"
#include "tests/house/cpp_scan.h"
#include "tests/house/sources.h"

using namespace mbc::house;

namespace {

std::vector<const SourceText*> sources() {
  std::vector<const SourceText*> chosen;
  for (const SourceText* file : product_files())
    if (!file->ends_with(".def")) chosen.push_back(file);
  return chosen;
}

std::string place(const SourceText& file, int line) { return file.path + ":" + std::to_string(line); }

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : " ") + word;
  return all;
}

std::string last_part(const std::string& name) {
  const std::size_t colon = name.rfind(':');
  return colon == std::string::npos ? name : name.substr(colon + 1);
}

// Enums indexes the enums of the program by the part of a label that identifies them: the word before the last `::`, or
// the enumerator alone.
struct Enums {
  std::set<std::string> names, scoped, unscoped;

  Enums() {
    for (const SourceText* file : sources())
      for (const EnumFound& e : enums_of(file->text)) {
        if (!e.name.empty()) names.insert(e.name);
        (e.scoped ? scoped : unscoped).insert(e.enumerators.begin(), e.enumerators.end());
      }
  }

  // Returns whether the label belongs to an enum: `kernel::Op::neg`, `T::comma` with T as another name of an enum, or
  // `kItemClass`.
  [[nodiscard]] bool has(const std::string& label) const {
    const std::size_t colons = label.rfind("::");
    if (colons == std::string::npos) return unscoped.contains(label);
    return names.contains(last_part(label.substr(0, colons))) || scoped.contains(label.substr(colons + 2));
  }
};

using Places = std::map<std::string, std::vector<std::string>>;  // the places of each counted item

// Returns the items that are not allowed or whose number differs from the list.
std::vector<std::string> against(std::span<const Allowed> list, const Places& found) {
  std::vector<std::string> offenders;
  for (const auto& [what, places] : found) {
    const std::string& name = what;  // clang 14 cannot capture a structured binding.
    const auto entry = std::find_if(list.begin(), list.end(), [&](const Allowed& a) { return a.what == name; });
    const int allowed = entry == list.end() ? 0 : entry->count;
    if (static_cast<int>(places.size()) > allowed)
      offenders.push_back(what + ": " + std::to_string(places.size()) + " of " + std::to_string(allowed) +
                          " allowed, " + joined(places));
  }
  for (const Allowed& a : list) {
    const auto at = found.find(std::string(a.what));
    const int count = at == found.end() ? 0 : static_cast<int>(at->second.size());
    if (count < a.count)
      offenders.push_back(std::string(a.what) + ": " + std::to_string(count) + " are left, the list says " +
                          std::to_string(a.count));
  }
  return offenders;
}

struct Class {
  const SourceText* file;
  ClassSize size;
};

std::vector<Class> classes() {
  std::vector<Class> all;
  for (const SourceText* file : sources())
    for (ClassSize& c : scan_cpp(file->text).classes) all.push_back({file, std::move(c)});
  return all;
}

}  // namespace

// With a default, a new enumerator would silently take the case of the others. Tokens of ANTLR, states of CVODE and
// other foreign enums are excluded, because they change without us.
TEST_CASE("no switch over an enum of the program has a default") {
  const Enums enums;
  REQUIRE(enums.names.contains("Op"));
  int seen = 0;
  std::vector<std::string> offenders;
  for (const SourceText* file : sources())
    for (const SwitchFound& s : switches_of(file->text)) {
      if (std::none_of(s.labels.begin(), s.labels.end(), [&](const std::string& l) { return enums.has(l); })) continue;
      ++seen;
      if (s.has_default) offenders.push_back(place(*file, s.line) + " " + s.labels.front());
    }
  CHECK(seen > 80);
  CHECK_MESSAGE(offenders.empty(), listed(offenders));
}

TEST_CASE("an enum is spelled once") {
  Places found;
  for (const SourceText* file : sources())
    for (const EnumFound& e : enums_of(file->text))
      if (e.enumerators.size() > 1) found[joined(e.enumerators)].push_back(place(*file, e.line));
  std::erase_if(found, [](const auto& list) { return list.second.size() < 2; });
  const std::vector<std::string> offenders = against(kEnums, found);
  CHECK_MESSAGE(offenders.empty(), listed(offenders));
}

// An interface has pure virtual methods and no data.
TEST_CASE("classes are made of interfaces alone") {
  const std::vector<Class> all = classes();
  std::set<std::string> interfaces;
  for (const Class& c : all)
    if (c.size.members == 0 && c.size.pure > 0) interfaces.insert(c.size.name);
  Places found;
  for (const Class& c : all)
    for (const std::string& base : c.size.bases)
      if (!interfaces.contains(last_part(base))) found[base].push_back(place(*c.file, c.size.line));
  const std::vector<std::string> offenders = against(kBases, found);
  CHECK_MESSAGE(offenders.empty(), listed(offenders));
}

TEST_CASE("no class has friends") {
  Places found;
  for (const Class& c : classes())
    for (std::size_t k = 0; k < c.size.friends.size(); ++k) found[c.size.name].push_back(place(*c.file, c.size.line));
  const std::vector<std::string> offenders = against(kFriends, found);
  CHECK_MESSAGE(offenders.empty(), listed(offenders));
}

// Public mutable data cannot keep an invariant. A `struct` promises none.
TEST_CASE("a class keeps its data to itself") {
  Places found;
  for (const Class& c : classes())
    for (int k = 0; c.size.has_invariants && k < c.size.open_members; ++k)
      found[c.size.name].push_back(place(*c.file, c.size.line));
  const std::vector<std::string> offenders = against(kOpenData, found);
  CHECK_MESSAGE(offenders.empty(), listed(offenders));
}

TEST_CASE("what is allowed has a reason, and stands once") {
  const std::span<const Allowed> lists[] = {kBases, kFriends, kEnums, kOpenData};
  for (const std::span<const Allowed> list : lists)
    for (std::size_t k = 0; k < list.size(); ++k) {
      CAPTURE(list[k].what);
      CHECK(list[k].count > 0);
      CHECK_FALSE(list[k].why.empty());
      CHECK(std::none_of(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(k),
                         [&](const Allowed& a) { return a.what == list[k].what; }));
    }
}
