#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# search_again.sh PROGRAM...: runs a test program under LeakSanitizer, and once more where the sanitizer's search at the
# end fell over by itself ("Tracer caught signal 11 ... LeakSanitizer has encountered a fatal error": GCC 12 reads a range
# of memory that is none, about once in a thousand programs, on some machines again and again). That says nothing of the
# program: where the second search falls over too, its tests and its memory have passed, and what was not searched is
# said. Whatever else fails, leaks among it, fails at once.
set -uo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT

run() {
  "$@" 2>&1 | tee "$log"
  return "${PIPESTATUS[0]}"
}

search_fell_over() {
  grep -q "LeakSanitizer has encountered a fatal error" "$log" && ! grep -q "ERROR: \|runtime error: " "$log" &&
    grep -q '^\[doctest\] Status: SUCCESS!$' "$log"
}

run "$@"
code=$?
if ((code != 0)) && search_fell_over; then
  echo "the search for leaks failed by itself; once more:"
  run "$@"
  code=$?
  if ((code != 0)) && search_fell_over; then
    echo "the search for leaks failed by itself again: everything else passed, leaks were not searched for"
    code=0
  fi
fi
exit "$code"
