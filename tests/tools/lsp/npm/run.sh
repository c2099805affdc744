#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh PROGRAM client|textmate|vim|emacs: the language server asked by the libraries of Visual Studio Code; its colours
# against those of an editor's file. MBC_LSP_EDITS says how many edits the client makes.
# Ends with 77, skipped, where there is no node or no such editor, or `./dev packages editors` did not bring the libraries.
cd "$(dirname "$0")" || exit 1
left_out() {
  echo "lsp_client: left out: $1"
  exit 77
}
command -v node >/dev/null || left_out "there is no node"
[ -d node_modules/vscode-languageserver-protocol ] || left_out "\`./dev packages editors\` gets its libraries by npm"
case $2 in
  vim | emacs) command -v "$2" >/dev/null || left_out "there is no $2 (packages.txt, group editors)" ;;
esac
[ "$2" = client ] || exec node highlight.mjs "$1" ../../../.. "$2"
exec node client.mjs "$1" ../../../.. "${MBC_LSP_EDITS:-60}"
