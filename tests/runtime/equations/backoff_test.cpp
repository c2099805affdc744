// SPDX-License-Identifier: Apache-2.0
// Tests how many calls are skipped after refusals of a shortcut.
#include "runtime/equations/backoff.h"

#include <doctest/doctest.h>

using mbc::runtime::Backoff;

namespace {

// Returns the number of calls that are skipped until one may be tried again.
int left_out(Backoff& pause) {
  int count = 0;
  while (!pause.over()) ++count;
  return count;
}

}  // namespace

TEST_CASE("a refusal leaves out one call, the next ones twice as many, up to 1024") {
  Backoff pause;
  CHECK(pause.idle());
  CHECK(left_out(pause) == 0);
  for (int expected = 1; expected <= 1024; expected *= 2) {
    pause.refused();
    CHECK_FALSE(pause.idle());
    CHECK(left_out(pause) == expected);
    CHECK(pause.idle());
  }
  pause.refused();
  CHECK(left_out(pause) == 1024);
}

TEST_CASE("success starts from one again; a restart leaves nothing out") {
  Backoff pause;
  for (int k = 0; k < 3; ++k) pause.refused();
  CHECK(left_out(pause) == 4);
  pause.succeeded();
  pause.refused();
  CHECK(left_out(pause) == 1);
  pause.refused();
  pause.restart();
  CHECK(left_out(pause) == 0);
  pause.refused();
  CHECK(left_out(pause) == 1);
}
