#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh PROGRAM: tests pages of the program in a browser without a window. The exit code is 77 (skipped) if node or
# Chromium is missing, or if `./dev packages browser` has not installed the library.
cd "$(dirname "$0")" || exit 1
left_out() {
  echo "pages: left out: $1"
  exit 77
}
command -v node >/dev/null || left_out "there is no node"
browser=$(command -v chromium) || left_out "there is no chromium (packages.txt, group browser)"
[ -d node_modules/playwright-core ] || left_out "\`./dev packages browser\` gets playwright-core by npm"
exec node pages.mjs "$1" "$(cd ../../../.. && pwd)" "$browser"
