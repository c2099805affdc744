#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# search_again.sh PROGRAM...: runs a test program under LeakSanitizer, and once more where the sanitizer's search at the
# end fell over by itself ("Tracer caught signal 11 ... LeakSanitizer has encountered a fatal error", about once in a
# thousand programs with GCC 12): that says nothing of the program. Whatever else fails, leaks among it, fails at once.
set -uo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT

"$@" 2>&1 | tee "$log"
code=${PIPESTATUS[0]}
if ((code != 0)) && grep -q "LeakSanitizer has encountered a fatal error" "$log" && ! grep -q "ERROR: " "$log" &&
  grep -q '^\[doctest\] Status: SUCCESS!$' "$log"; then
  echo "the search for leaks failed by itself; once more:"
  "$@"
  code=$?
fi
exit "$code"
