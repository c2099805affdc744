#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Counts the instructions per call of the native kernels with callgrind. It takes the difference of two runs, so that
# only the calls remain.
#   bench/instructions.sh PROGRAM [NAME]     PROGRAM: mbc_bench_counts; NAME: a part of the models' names
set -eu
program=$1
few=1000 many=3000
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
count() { # The arguments are model, function and calls.
  valgrind --tool=callgrind --callgrind-out-file="$folder/out" "$program" "$1" "$2" "$3" 2>&1 |
    sed -n 's/.*Collected : //p'
}
printf '| model | function | instructions a call |\n|---|---|---|\n'
"$program" "${2:-}" | sed -n 's/^| \([a-z_0-9]*\) | \(rhs\|fast_rhs\) |.*/\1 \2/p' | while read -r model function; do
  less=$(count "$model" "$function" $few) more=$(count "$model" "$function" $many)
  printf '| %s | %s | %s |\n' "$model" "$function" $(((more - less) / (many - few)))
done
