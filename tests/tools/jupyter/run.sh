#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh PROGRAM: the kernel for notebooks, run by Jupyter's own client library; counts as tests/count.sh reads them.
# Ends with 77, skipped, where the Python of the system has it not.
cd "$(dirname "$0")/../../.." || exit 1
export MBC_TESTED="$1" PYTHONDONTWRITEBYTECODE=1
if ! /usr/bin/python3 -c 'import jupyter_client, ipykernel' 2>/dev/null; then
  echo "jupyter: left out: /usr/bin/python3 has no jupyter_client and ipykernel (packages.txt, group hosts)"
  exit 77
fi
exec /usr/bin/python3 tests/tools/jupyter/kernel_test.py
