#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run_test.sh FOLDER: tests tests/run.sh with programs that sleep: its parts, the tests that a deadline leaves out and
# the next run starts with, and the sum.
set -euo pipefail
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd) folder=${1:?usage: run_test.sh FOLDER}
unset MBC_PART MBC_DEADLINE
rm -rf "$folder" && mkdir -p "$folder/build" && cd "$folder"
cp "$tests/run.sh" "$tests/count.sh" .
programs=$(printf 'add_test(%s sh -c "echo %s: 3 passed, 0 failed")\n' a a b b mbc_random_long long mbc_random_short short)
printf 'cmake_minimum_required(VERSION 3.25)\nproject(mock NONE)\nenable_testing()\n%s\nadd_test(wrong false)\n' "$programs" >CMakeLists.txt
cmake -S . -B build >/dev/null
passed=0 failed=0

expect() { # PATTERN: text that the last run must have printed or, with a leading dash, must not have printed.
  local wanted=yes what=$1
  [[ $what != -* ]] || wanted=no what=${1:1}
  if [[ $wanted == yes && $printed == *$what* || $wanted == no && $printed != *$what* ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'expected `%s` of\n%s\n' "$1" "$printed"
  fi
}

run() { # The arguments are [VARIABLE=VALUE]...
  local code=0
  printed=$(env "$@" ./run.sh build . 2 2>&1) || code=$?
  printed+=$'\n'"code $code"
}

in_seconds() { echo "MBC_DEADLINE=$(($(date +%s) + $1))"; }

printf 'mbc_random_long 1000\n' >costs.txt
run
rm build/costs.txt
expect $'12 passed, 1 failed\ncode 1'; expect "the tests that took longest"; expect "processor seconds"; expect "-incomplete"
run MBC_PART=fixed
expect $'6 passed, 1 failed\ncode 1'; expect "-mbc_random"
run MBC_PART=random
expect $'6 passed, 0 failed\ncode 0'; expect "-wrong"
run MBC_PART=random "$(in_seconds 500)"
expect $'incomplete: left out for lack of time: mbc_random_long\n'; expect $'3 passed, 0 failed\ncode 0'
run MBC_PART=random "$(in_seconds -1)"
expect "incomplete: left out for lack of time: mbc_random_long mbc_random_short"; expect $'0 passed, 0 failed\ncode 0'
for first in short long; do
  echo mbc_random_$first >build/left_out
  printf 'mbc_random_long 400\nmbc_random_short 400\n' >costs.txt
  run MBC_PART=random "$(in_seconds 500)"
  expect $'6 passed, 0 failed\ncode 0'; expect "Test project*mbc_random_$first *Test project*mbc_random_"
done
run "$(in_seconds 9000)"
expect $'12 passed, 1 failed\ncode 1'; expect "-incomplete"
printed=$(ls build)
expect -left_out
echo "run_test: $passed passed, $failed failed"
((failed == 0))
