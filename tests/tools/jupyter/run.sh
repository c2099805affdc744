#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh PROGRAM: tests the kernel for notebooks with Jupyter's client library and prints counts for tests/count.sh. The
# exit code is 77 (skipped) if the Python of the system does not have this library.
cd "$(dirname "$0")/../../.." || exit 1
export MBC_TESTED="$1" PYTHONDONTWRITEBYTECODE=1
if ! /usr/bin/python3 -c 'import jupyter_client, ipykernel' 2>/dev/null; then
  echo "jupyter: left out: /usr/bin/python3 has no jupyter_client and ipykernel (packages.txt, group hosts)"
  exit 77
fi
exec /usr/bin/python3 tests/tools/jupyter/kernel_test.py
