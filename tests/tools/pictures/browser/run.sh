#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh PROGRAM: pages of the program in a browser without a window.
# Ends with 77, skipped, where there is no node or no Chromium, or `./dev packages browser` did not bring the library.
cd "$(dirname "$0")" || exit 1
left_out() {
  echo "pages: left out: $1"
  exit 77
}
command -v node >/dev/null || left_out "there is no node"
browser=$(command -v chromium) || left_out "there is no chromium (packages.txt, group browser)"
[ -d node_modules/playwright-core ] || left_out "\`./dev packages browser\` gets playwright-core by npm"
exec node pages.mjs "$1" "$(cd ../../../.. && pwd)" "$browser"
