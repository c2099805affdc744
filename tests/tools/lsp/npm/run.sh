#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh PROGRAM client|textmate|vim|emacs: tests the language server with the libraries of Visual Studio Code, or
# compares its colours with those of the file for an editor. MBC_LSP_EDITS sets the number of edits of the client. The
# exit code is 77 (skipped) if node or the editor is missing, or if `./dev packages editors` has not installed the
# libraries.
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
