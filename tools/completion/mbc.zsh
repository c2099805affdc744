#compdef mbc
# SPDX-License-Identifier: Apache-2.0
# Completion of mbc in zsh. The words are those its --help lists, so that they are those of the program at hand.
local -a words_of
local program=${words[1]} verb=
local word
for word in ${words[2,CURRENT-1]}; do
  [[ $word == -* ]] || { verb=$word; break }
done
if [[ -z $verb && $PREFIX != -* ]]; then
  words_of=(${(f)"$($program --help 2>/dev/null |
    awk '/^Subcommands:/ { on = 1; next } /^$/ { on = 0 } on { name = $1; $1 = ""; print name ":" substr($0, 2) }')"})
  _describe 'command' words_of
elif [[ $PREFIX == -* ]]; then
  words_of=(${(f)"$($program $verb --help 2>/dev/null | awk '/^  -/ { print $1 }' | tr ',' '\n' | sed 's/:.*//')"})
  compadd -- $words_of
elif [[ $verb == examples ]]; then
  words_of=(${(f)"$($program examples 2>/dev/null | awk '{ print $1 }')"})
  compadd -- $words_of
else
  _files -g '*.(mbd|csv|check)'
fi
