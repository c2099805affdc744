#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records the results of a program for all examples, so that two programs can be compared: a digest of the rows and the
# summary (with times masked) of every block, under every formulation, by the interpreter and by native code.
#   tests/snapshot.sh PROGRAM FOLDER [NAME]     writes FOLDER/*.txt; NAME: a part of the examples' names
#   diff -r before after                        prints nothing if no motion and no word of a summary has changed
set -euo pipefail
program=$(readlink -f "$1")
folder=$2
name=${3:-}
examples=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../examples")
mkdir -p "$folder"
folder=$(readlink -f "$folder")
export program folder examples
export formulations="udwadia_kalaba augmented lagrange maggi projection kane volterra efficient_volterra routh boltzmann_hamel"

one() { # The arguments are example, block, formulation and engine.
  local rows
  rows=$(mktemp --suffix=.csv)
  echo "== $1 $2 $3 $4"
  (cd "$examples" && timeout 300 "$program" run "$1" ${2:+"$2"} --formulation "$3" "--$4" --no-cache -o "$rows" 2>&1) |
    sed -E 's/ in [0-9.e+-]+ (us|ms|s)\b/ in TIME/; s/^wrote .*\(.*/wrote/' || true
  sha256sum <"$rows"
  rm -f "$rows" "$rows.json"
}
example() { # Writes one file for every example.
  local blocks block formulation engine out=$folder/${1//\//_}.txt
  blocks=$(sed -nE 's/^[[:space:]]*simulate[[:space:]]+([A-Za-z_0-9]*).*\{.*/\1/p' "$examples/$1" | sort -u)
  for block in ${blocks:-""}; do
    for formulation in $formulations; do
      for engine in interpret native; do one "$1" "$block" "$formulation" "$engine"; done
    done
  done >"$out"
}
export -f one example
(cd "$examples" && find . -name '*.mbd' -not -path '*/parts/*' | sed 's|^\./||' | sort | grep -F -e "$name") |
  xargs -P "${JOBS:-$(nproc)}" -I{} bash -c 'example {}'
