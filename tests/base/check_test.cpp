// SPDX-License-Identifier: Apache-2.0
// Tests CHECK: the exception of a failed check and the cost of a passed one. doctest's macros have their long names
// here.
#define DOCTEST_CONFIG_NO_SHORT_MACRO_NAMES
#include "base/check.h"

#include <doctest/doctest.h>

using namespace mbc;

DOCTEST_TEST_CASE("a failed check names its place, what should hold and the condition") {
  std::string said;
  const int line = __LINE__ + 2;
  try {
    CHECK(1 + 1 == 3, std::string("numbers ") + "add up");
  } catch (const InternalError& error) {
    said = error.what();
  }
  // The file name contains the path from the build folder if files are compiled together.
  const std::string wanted = "tests/base/check_test.cpp:" + std::to_string(line) + ": numbers add up (1 + 1 == 3)";
  DOCTEST_REQUIRE(said.size() >= wanted.size());
  DOCTEST_CHECK(said.substr(said.size() - wanted.size()) == wanted);
}

DOCTEST_TEST_CASE("a failed check is a std::logic_error") {
  DOCTEST_CHECK_THROWS_AS(CHECK(false, "never"), std::logic_error);
}

DOCTEST_TEST_CASE("a check that holds evaluates its condition once and its text never") {
  int looked = 0, told = 0;
  const auto text = [&] {
    ++told;
    return "once";
  };
  CHECK(++looked == 1, text());
  DOCTEST_CHECK(looked == 1);
  DOCTEST_CHECK(told == 0);
}
