#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# count.sh LOG: adds up the counts of the test programs in ctest's LastTest.log and prints one line `N passed, N
# failed`. The exit code is 0 if something passed and nothing failed.
#
# The last summary of each program counts: doctest's `test cases: 3 | 3 passed | 0 failed` or a line `NAME: 3 passed, 0
# failed`. A program without a summary counts as one test. A program that failed in ctest (a crash, a timeout) counts as
# at least one failure.
set -euo pipefail
log=${1:?usage: count.sh LOG}
if [[ ! -f $log ]]; then
  echo "0 passed, 1 failed"
  exit 1
fi
awk '
  function number(text) { gsub(/[^0-9]/, "", text); return text + 0 }
  # A program is logged as `2/7 Test: NAME` ... `Test Passed.` or `Test Failed.`
  /^[0-9]+\/[0-9]+ Test: / { found = 0; ok = 0; bad = 0 }
  /^\[doctest\] test cases:/ { split($0, part, "|"); found = 1; ok = number(part[2]); bad = number(part[3]) }
  /^[a-z_]+: [0-9]+ passed, [0-9]+ failed$/ { found = 1; ok = $2 + 0; bad = $4 + 0 }
  /^Test Passed\.$/ { passed += found ? ok : 1; failed += bad; bad = 0; found = 0 }
  /^Test (Failed|Timeout|Not Run)/ { passed += ok; failed += bad > 0 ? bad : 1; ok = 0; bad = 0; found = 0 }
  END {
    printf "%d passed, %d failed\n", passed, failed
    exit !(passed > 0 && failed == 0)
  }' "$log"
