#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Adds three fictitious operations, one of each group, to a copy of kernel/ops.def. The compiler must stop at exactly
# the places that docs/adding_a_feature.md lists for these groups.
#
#   new_operation.sh listed SOURCE SCRATCH COMPILER INCLUDE...   the files of the list
#   new_operation.sh all SOURCE SCRATCH BUILD                    every file that BUILD compiles; files that are not
#   listed
#                                                                must not stop the compiler
#
# Nothing is compiled completely. SCRATCH is a folder of the test, which creates and empties it.
set -euo pipefail
export LC_ALL=C

mode=$1 source=$2 scratch=$3
shift 3
guide=docs/adding_a_feature.md
groups=(function arithmetic piecewise)

die() {
  echo "new_operation: $*" >&2
  exit 1
}

# This is the list of operations with three more entries; their properties do not matter.
rm -rf "$scratch"
mkdir -p "$scratch/kernel"
rest='1, "fictitious", ordered, none, steep, everywhere, nothing, rounded, number, smooth, 40)'
awk -v rest="$rest" '
  /^#undef MBC_OP$/ {
    print "MBC_LIBRARY(fictitious_function, " rest
    print "MBC_ARITHMETIC(fictitious_arithmetic, " rest
    print "MBC_PIECEWISE(fictitious_piecewise, " rest
  }
  { print }' "$source/kernel/ops.def" >"$scratch/kernel/ops.def"
[[ $(grep -c fictitious_ "$scratch/kernel/ops.def") == 3 ]] || die "kernel/ops.def does not end as it did"

# Collects "FILE GROUP" for each cross in the table of the guide: | `FILE` | function | arithmetic | piecewise | what it
# says |
listed=$(awk -F'|' -v names="${groups[*]}" '
  BEGIN { split(names, group, " ") }
  /^## / { inside = /^## An operation/ }
  inside && $2 ~ /`.*\.(h|cpp)`/ && NF == 7 {
    file = $2
    gsub(/[` ]/, "", file)
    for (k = 1; k <= 3; ++k) if ($(k + 2) ~ /x/) print file, group[k]
  }' "$source/$guide" | sort)
[[ -n $listed ]] || die "$guide lists no places of an operation"

# Prints "FILE GROUP" for each error. An error that names none of the three operations is an error of the test itself.
errors() {
  local other
  other=$(grep -E 'error:' "$scratch/log" | grep -v fictitious_ || true)
  [[ -z $other ]] || die "what is compiled has other errors:"$'\n'"$other"
  { grep -E 'error:.*fictitious_' "$scratch/log" || true; } |
    sed -E "s|^$source/||; s|^([^:]+):.*fictitious_([a-z]+).*|\1 \2|" | sort -u
}

case $mode in
  listed)
    compiler=$1
    shift
    flags=(-std=c++20 -fsyntax-only -Werror=switch -fmax-errors=0 "-I$scratch" "-I$source" "-I$source/include")
    for folder in "$@"; do flags+=(-isystem "$folder"); done
    for file in $(cut -d' ' -f1 <<<"$listed" | uniq); do
      [[ -f $source/$file ]] || die "$guide lists $file, which is not there"
      "$compiler" "${flags[@]}" -x c++ "$source/$file" 2>>"$scratch/log" || true
    done
    # Errors in included headers also appear with these files; they are the same places.
    ;;
  all)
    commands=$1/compile_commands.json
    [[ -f $commands ]] || die "no $commands"
    : >"$scratch/log"
    # CMake writes one command per line. Tests are excluded.
    sed -nE 's/^ *"command": "(.*)",?$/\1/p' "$commands" | sed -E 's/\\(["\\])/\1/g' | grep -v "/tests/" |
      grep -vE ' -o tests/|/grammar/generated/| -c [^ ]*/cmake_pch\.' |
      sed -E "s| -I| -I$scratch -I|; s| -o [^ ]+||" >"$scratch/commands"
    [[ -s $scratch/commands ]] || die "$commands is not as it was"
    while IFS= read -r command; do
      (cd "$1" && eval "$command -fsyntax-only -Werror=switch -fmax-errors=0") 2>>"$scratch/log" || true
    done <"$scratch/commands"
    ;;
  *) die "listed or all, not $mode" ;;
esac

found=$(errors)
missing=$(comm -23 <(echo "$listed") <(echo "$found")) more=$(comm -13 <(echo "$listed") <(echo "$found"))
[[ -z $missing ]] || echo "listed, and compiles without:"$'\n'"$missing"
[[ -z $more ]] || echo "stops the compiler, and is not listed:"$'\n'"$more"
rm -rf "$scratch"
[[ -z $missing$more ]] || exit 1
echo "$(wc -l <<<"$listed") places, $(cut -d' ' -f1 <<<"$listed" | uniq | wc -l) files"
