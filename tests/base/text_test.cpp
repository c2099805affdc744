// SPDX-License-Identifier: Apache-2.0
// Counts, quotes, trimmed texts.
#include "base/text.h"

#include <doctest/doctest.h>

#include <iomanip>  // std::quoted is in sight, as it is in many files

using namespace mbc;

TEST_CASE("counts agree with their nouns") {
  CHECK(counted(0, "row") == "0 rows");
  CHECK(counted(1, "row") == "1 row");
  CHECK(counted(2, "constraint row") == "2 constraint rows");
  CHECK(counted(1, "body") == "1 body");
  CHECK(counted(3, "rigid body") == "3 rigid bodies");
  CHECK(counted(1, "index", "indices") == "1 index");
  CHECK(counted(2, "index", "indices") == "2 indices");
  CHECK(counted_or_no(0, "argument") == "no arguments");
  CHECK(counted_or_no(1, "argument") == "1 argument");
}

TEST_CASE("what stands around a text is trimmed") {
  CHECK(trimmed(" \t a b \r\n") == "a b");
  CHECK(trimmed("a") == "a");
  CHECK(trimmed(" \n").empty());
  CHECK(trimmed("").empty());
}

TEST_CASE("quoted texts are safe to print, whatever they come as") {
  CHECK(quoted("p.x") == "`p.x`");
  CHECK(quoted(std::string("a\nb")) == "`a\\nb`");
  CHECK(quoted(std::string_view("\x1b[2J")) == "`\\x1b[2J`");
  CHECK(quoted(Name(Name("p"), ".vx")) == "`p.vx`");
  CHECK(quoted("abcdef", 3) == "`abc...`");
}
