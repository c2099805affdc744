// SPDX-License-Identifier: Apache-2.0
// Limits the lengths of the functions of the program. Rules of design (design_test.cpp) apply to classes and folders
// instead of counts.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/house/cpp_scan.h"
#include "tests/house/sources.h"

using namespace mbc::house;

namespace {

constexpr int kLongest = 80;  // lines of a function
constexpr int kLong = 50;     // at most kMostLong functions are longer
constexpr int kMostLong = 15;
constexpr int kNinetieth = 22;  // lines that nine out of ten functions do not exceed

struct Sizes {
  struct Function {
    std::string place;  // "api/simulation/run.cpp:12 simulate"
    int lines;
  };
  std::vector<Function> functions;  // longest first
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
