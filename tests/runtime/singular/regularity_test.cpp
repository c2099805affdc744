// SPDX-License-Identifier: Apache-2.0
// Tests the regularity of a run that its states imply.
#include "runtime/singular/regularity.h"

#include <doctest/doctest.h>

#include <initializer_list>

using mbc::runtime::Regularity;

TEST_CASE("a run is regular while its rows are apart, and only where they were not near lately") {
  Regularity rows;
  CHECK_FALSE(rows.regular());  // No state has been seen yet.
  CHECK_FALSE(rows.near_singular());
  rows.saw_apart();
  CHECK(rows.regular());
  rows.saw_doubt();
  CHECK_FALSE(rows.apart());
  CHECK_FALSE(rows.regular());
  rows.saw(false);
  rows.saw_apart();
  CHECK(rows.regular());
}

TEST_CASE("ten states after one where rows were near, or lost their rank, the rows are regular again") {
  for (const bool rank_drop : {false, true}) {
    CAPTURE(rank_drop);
    Regularity rows;
    if (rank_drop)
      rows.saw_rank_drop();
    else
      rows.saw(true);
    for (int k = 0; k < 9; ++k) rows.saw_apart();
    CHECK(rows.apart());
    CHECK(rows.near_singular());
    CHECK_FALSE(rows.regular());
    rows.saw_apart();
    CHECK(rows.regular());
  }
}
