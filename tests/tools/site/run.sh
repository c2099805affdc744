#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh PROGRAM FOLDER: rebuilds the site of the documents, tests it and prints counts for tests/count.sh. The exit
# code is 77 (skipped) if the Python of the system has no Markdown.
cd "$(dirname "$0")/../../.." || exit 1
export PYTHONDONTWRITEBYTECODE=1
if ! /usr/bin/python3 -c 'import markdown' 2>/dev/null; then
  echo "site: left out: /usr/bin/python3 has no markdown (packages.txt, group docs)"
  exit 77
fi
exec /usr/bin/python3 tests/tools/site/site_test.py "$1" "$2"
