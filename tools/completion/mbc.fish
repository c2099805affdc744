# SPDX-License-Identifier: Apache-2.0
# Completion of mbc in fish. The words are those its --help lists, so that they are those of the program at hand.
function __mbc_verbs
  mbc --help 2>/dev/null | awk '/^Subcommands:/ { on = 1; next } /^$/ { on = 0 } on { name = $1; $1 = ""; print name "\t" substr($0, 2) }'
end
function __mbc_options
  set -l verb (commandline -opc)[2]
  string match -q -- '-*' "$verb"; and set verb
  mbc $verb --help 2>/dev/null | awk '/^  -/ { print $1 }' | tr ',' '\n' | sed 's/:.*//'
end
complete -c mbc -n __fish_use_subcommand -f -a '(__mbc_verbs)'
complete -c mbc -n 'string match -q -- "-*" (commandline -ct)' -f -a '(__mbc_options)'
complete -c mbc -n '__fish_seen_subcommand_from examples' -f -a '(mbc examples 2>/dev/null | awk "{ print \$1 }")'
