#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh FOLDER FILTER JOBS: runs the tests of a build folder whose names match. It prints one line for each test and
# the output of failed tests, then the twenty longest tests, the processor seconds of all tests, and the sum of their
# counts.
#
# MBC_PART=fixed excludes the random programs, and MBC_PART=random runs only these. MBC_DEADLINE=SECONDS (since 1970, as
# `date +%s`): a test does not start if it would end after the deadline. The estimate uses tests/costs.txt and the speed
# of this machine in the earlier tests. Tests that are left out are listed as `incomplete` and stored in
# FOLDER/left_out, and the next run starts with them. If this file is missing, as on a fresh clone, the order of the
# tests helps: it starts at a place that moves by a golden section with every commit, so that tests that one run leaves
# out are early in the next run.
set -euo pipefail
folder=${1:?usage: run.sh FOLDER FILTER JOBS} filter=${2:-.} processors=${3:-1}
here=$(dirname "${BASH_SOURCE[0]}")
own=$folder/Testing/Temporary/LastTest.log all=$folder/tests.log left=$folder/left_out
batch_seconds=300 # This is processor time by costs.txt for the tests that ctest gets at once.

names() { # Prints the names of the requested tests.
  ctest --test-dir "$folder" -N -R "$filter" | sed -n 's/^ *Test *#[0-9]*: //p' | case ${MBC_PART:-all} in
    fixed) grep -v '^mbc_random_' ;;
    random) grep '^mbc_random_' ;;
    *) cat ;;
  esac || true
}

# Prints the tests that were left out before, and then all others from a place that depends on the number of commits.
in_order() {
  local commits
  commits=$(git rev-list --count HEAD 2>/dev/null || echo 0)
  awk -v commits="$commits" -v left="$left" '
    BEGIN { while ((getline one < left) > 0) first[one] = 1 }
    { name[NR] = $1 }
    END {
      turn = commits * 0.6180339887
      start = int((turn - int(turn)) * NR)
      for (pass = 1; pass >= 0; pass--)
        for (k = 0; k < NR; k++) {
          n = name[(start + k) % NR + 1]
          if ((n in first) == pass) print n
        }
    }'
}

# Prints the cost in seconds: from this folder if all tests ran here without a deadline, otherwise from costs.txt.
cost() {
  local from=$here/costs.txt
  [[ ! -f $folder/costs.txt ]] || from=$folder/costs.txt
  awk -v name="$1" '$1 == name { found = $2 } END { print found ? found : 3 }' "$from"
}

run() { # NAME...: runs these tests at once.
  local pattern
  pattern=$(printf '|%s' "$@")
  rm -f "$own"
  ctest --test-dir "$folder" -R "^(${pattern:1})\$" -j "$processors" --output-on-failure --no-tests=error || true
  [[ ! -f $own ]] || cat "$own" >>"$all"
}

# Runs batch after batch while there is time. The expected time of a batch is the larger one of its total cost and its
# longest test, times the ratio of real and expected time of the earlier batches.
run_until() {
  local deadline=$1 slow=100 name seconds start
  local -a waiting=() batch=() out=()
  mapfile -t waiting < <(names | in_order)
  while ((${#waiting[@]} > 0)); do
    local sum=0 longest=0 expected
    batch=()
    while ((${#waiting[@]} > 0 && sum < batch_seconds)); do
      name=${waiting[0]} seconds=$(cost "${waiting[0]}")
      waiting=("${waiting[@]:1}")
      expected=$(((sum + seconds) / processors))
      ((expected > seconds)) || expected=$seconds
      if (($(date +%s) + expected * slow / 100 > deadline)); then
        out+=("$name")
        continue
      fi
      batch+=("$name")
      sum=$((sum + seconds))
      ((seconds <= longest)) || longest=$seconds
    done
    ((${#batch[@]} > 0)) || break
    start=$(date +%s)
    run "${batch[@]}"
    expected=$((sum / processors > longest ? sum / processors : longest))
    ((expected < 30)) || slow=$((100 * ($(date +%s) - start) / expected))
  done
  rm -f "$left"
  if ((${#out[@]} > 0)); then
    printf '%s\n' "${out[@]}" >"$left"
    echo "incomplete: left out for lack of time: ${out[*]}"
  fi
}

seconds() { # Prints NAME SECONDS lines, the longest first.
  awk '
    /^[0-9]+\/[0-9]+ Test: / { name = $3 }
    /^Test time = / { print name, $4 }' "$all" | sort -k2,2 -rn
}

# This is the time of all processes that this script has waited for; in a subshell, `times` would print that of the
# subshell.
processor_seconds() {
  awk 'END { for (k = 1; k <= 2; k++) { split($k, part, "[ms]"); sum += 60 * part[1] + part[2] } printf "%d", sum }' "$folder/times"
}

rm -f "$all"
if [[ -n ${MBC_DEADLINE:-} ]]; then
  run_until "$MBC_DEADLINE"
elif [[ ${MBC_PART:-all} == all ]]; then
  rm -f "$own"
  ctest --test-dir "$folder" -R "$filter" -j "$processors" --output-on-failure --no-tests=error || true
  [[ ! -f $own ]] || cp "$own" "$all"
  [[ ! -f $all || $filter != . ]] || seconds | awk '$2 > 3 { printf "%s %.0f\n", $1, $2 }' >"$folder/costs.txt"
else
  mapfile -t asked < <(names)
  ((${#asked[@]} == 0)) || run "${asked[@]}"
fi
times >"$folder/times"
if [[ -f $all ]]; then
  echo "the tests that took longest:"
  seconds | head -n 20 | awk '{ printf "%9.1f s  %s\n", $2, $1 }'
  echo "the tests took $(processor_seconds) processor seconds"
elif [[ -f $left ]]; then
  echo "0 passed, 0 failed" # All requested tests are on the list.
  exit 0
fi
"$here/count.sh" "$all"
