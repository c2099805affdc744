#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh LIBRARY: tests the Python package with the Python of the system and prints counts for tests/count.sh. The exit
# code is 77 (skipped) if this Python has no pytest.
cd "$(dirname "$0")/../../.." || exit 1
export MBC_LIBRARY="$1" PYTHONPATH=api/python PYTHONDONTWRITEBYTECODE=1
if ! /usr/bin/python3 -c 'import pytest' 2>/dev/null; then
  echo "python: left out: /usr/bin/python3 has no pytest (packages.txt, group hosts)"
  exit 77
fi
log=$(/usr/bin/python3 -m pytest -q -p no:cacheprovider -rs tests/api/python 2>&1)
code=$?
echo "$log"
number() { echo "$log" | tail -n 1 | grep -o "[0-9]* $1" | grep -o '[0-9]*' || echo 0; }
echo "python: $(number passed) passed, $(($(number failed) + $(number error))) failed"
exit $code
