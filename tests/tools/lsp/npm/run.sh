#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh PROGRAM: the language server asked by the libraries of Visual Studio Code. MBC_LSP_EDITS says how many edits.
# Ends with 77, skipped, where there is no node, or `npm ci` was not run here.
cd "$(dirname "$0")" || exit 1
if ! command -v node >/dev/null; then
  echo "lsp_client: left out: there is no node"
  exit 77
fi
if [ ! -d node_modules/vscode-languageserver-protocol ]; then
  echo "lsp_client: left out: \`npm ci\` in tests/tools/lsp/npm gets what it needs"
  exit 77
fi
exec node client.mjs "$1" ../../../.. "${MBC_LSP_EDITS:-60}"
