#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh FOLDER: tests the functions for GNU Octave in this folder with octave-cli. The exit code is 77 if octave-cli is
# missing or the functions were not built.
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v octave-cli >/dev/null; then echo "left out: GNU Octave is not here (./dev packages octave)"; exit 77; fi
if [ ! -f "$1/__mbc__.oct" ]; then echo "left out: built without octave-dev"; exit 77; fi
export MBC_CACHE=off LC_ALL=C HOME=/nonexistent
octave-cli --no-init-file --no-history --path "$1" "$here/test_mbc.m" "$here/../../../examples" || exit 1
octave-cli --no-init-file --no-history --path "$1" "$here/../../../examples/embed/host.m" \
  "$here/../../../examples/spherical_pendulum.mbd" 2>/dev/null | diff - "$here/host.txt"
