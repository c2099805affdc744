// SPDX-License-Identifier: Apache-2.0
// How large functions, classes and folders of the program may be.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/house/cpp_scan.h"
#include "tests/house/sources.h"

using namespace mbc::house;

namespace {

constexpr int kLongest = 80;  // lines of a function
constexpr int kLong = 50;     // at most kMostLong functions have more
constexpr int kMostLong = 15;
constexpr int kNinetieth = 22;    // lines that nine functions of ten do not exceed
constexpr int kMostMethods = 40;  // of a class with invariants
constexpr int kMostMembers = 25;
constexpr std::size_t kMostFiles = 40;  // of a folder

struct Sizes {
  struct Function {
    std::string place;  // "api/run.cpp:12 simulate"
    int lines;
  };
  struct Class {
    std::string place;
    ClassSize size;
  };
  std::vector<Function> functions;  // longest first
  std::vector<Class> classes;
};

const Sizes& sizes() {
  static const Sizes all = [] {
    Sizes s;
    for (const SourceText* file : product_files()) {
      if (file->ends_with(".def")) continue;
      const CppSizes found = scan_cpp(file->text);
      const auto place = [&](const auto& what) {
        return file->path + ":" + std::to_string(what.line) + " " + what.name;
      };
      for (const FunctionSize& f : found.functions) s.functions.push_back({place(f), f.lines});
      for (const ClassSize& c : found.classes) s.classes.push_back({place(c), c});
    }
    std::stable_sort(s.functions.begin(), s.functions.end(), [](auto& a, auto& b) { return a.lines > b.lines; });
    return s;
  }();
  return all;
}

std::vector<std::string> longer_than(int lines) {
  std::vector<std::string> found;
  for (const Sizes::Function& f : sizes().functions)
    if (f.lines > lines) found.push_back(f.place + ": " + std::to_string(f.lines) + " lines");
  return found;
}

}  // namespace

TEST_CASE("no function is longer than a screen or two") {
  const std::vector<std::string> offenders = longer_than(kLongest);
  CHECK_MESSAGE(offenders.empty(), listed(offenders));
}

TEST_CASE("few functions are long") {
  const std::vector<std::string> offenders = longer_than(kLong);
  CHECK_MESSAGE(static_cast<int>(offenders.size()) <= kMostLong, offenders.size(), " of ", kMostLong,
                listed(offenders));
}

TEST_CASE("nine functions of ten are short") {
  const auto& functions = sizes().functions;
  REQUIRE(functions.size() > 1000);
  CHECK(functions[functions.size() / 10].lines <= kNinetieth);
}

TEST_CASE("a class that keeps invariants is small enough to be read as a whole") {
  std::vector<std::string> offenders;
  for (const Sizes::Class& c : sizes().classes)
    if (c.size.has_invariants && (c.size.methods > kMostMethods || c.size.members > kMostMembers))
      offenders.push_back(c.place + ": " + std::to_string(c.size.methods) + " methods, " +
                          std::to_string(c.size.members) + " members");
  CHECK_MESSAGE(offenders.empty(), listed(offenders));
}

TEST_CASE("a folder fits on a screen") {
  std::map<std::string, std::size_t> files;
  for (const SourceText* file : product_files()) ++files[file->folder()];
  std::vector<std::string> offenders;
  for (const auto& [folder, count] : files)
    if (count > kMostFiles) offenders.push_back(folder + ": " + std::to_string(count) + " files");
  CHECK_MESSAGE(offenders.empty(), listed(offenders));
}
