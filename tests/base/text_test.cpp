// SPDX-License-Identifier: Apache-2.0
// Tests counts with nouns, quotes, and trimmed texts.
#include "base/text.h"

#include <doctest/doctest.h>

#include <iomanip>  // std::quoted is in sight, as it is in many files

#include "base/numbers.h"

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

TEST_CASE("times and sizes have a unit, and nothing else is one") {
  CHECK(text::seconds_in("60s") == 60);
  CHECK(text::seconds_in("1.5 h") == 5400);
  CHECK(text::seconds_in("5min") == 300);
  CHECK(text::seconds_in("0s") == 0);
  CHECK(text::bytes_in("2GiB") == 2147483648.0);
  CHECK(text::bytes_in("500 MB") == 5e8);
  for (const char* wrong : {"", "s", "5", "5 ", "-1s", "nan s", "inf s", "1e999s", "5sec", "5s ", "2GiB"})
    CHECK_FALSE(text::seconds_in(wrong));
  for (const char* wrong : {"", "2", "2G", "-2B", "2gib", "5s"}) CHECK_FALSE(text::bytes_in(wrong));
}

TEST_CASE("lists are joined by commas, empty entries too") {
  CHECK(joined({}).empty());
  CHECK(joined({"a"}) == "a");
  CHECK(joined({"a", "", "b"}) == "a, , b");
  CHECK(joined({"a", "b"}, " and ") == "a and b");
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
