#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh PROGRAM client|textmate|vim: the language server asked by the libraries of Visual Studio Code; its colours
# against those of an editor's file. MBC_LSP_EDITS says how many edits the client makes.
# Ends with 77, skipped, where there is no node or vim, or `npm ci` was not run here.
cd "$(dirname "$0")" || exit 1
left_out() {
  echo "lsp_client: left out: $1"
  exit 77
}
command -v node >/dev/null || left_out "there is no node"
[ -d node_modules/vscode-languageserver-protocol ] || left_out "\`npm ci\` in tests/tools/lsp/npm gets what it needs"
[ "$2" != vim ] || command -v vim >/dev/null || left_out "there is no vim"
[ "$2" = client ] || exec node highlight.mjs "$1" ../../../.. "$2"
exec node client.mjs "$1" ../../../.. "${MBC_LSP_EDITS:-60}"
