# SPDX-License-Identifier: Apache-2.0
# Completion of mbc in bash. The words are those its --help lists, so that they are those of the program at hand.
_mbc() {
  local word=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]} verb= k
  COMPREPLY=()
  for ((k = 1; k < COMP_CWORD; ++k)); do
    [[ ${COMP_WORDS[k]} == -* ]] || { verb=${COMP_WORDS[k]} && break; }
  done
  if [[ -z $verb && $word != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$("$program" --help 2>/dev/null |
      awk '/^Subcommands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }')" -- "$word")
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$("$program" $verb --help 2>/dev/null |
      awk '/^  -/ { print $1 }' | tr ',' '\n' | sed 's/:.*//')" -- "$word")
  elif [[ $verb == examples && $COMP_CWORD -eq 2 ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$("$program" examples 2>/dev/null | awk '{ print $1 }')" -- "$word")
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -X '!*.@(mbd|csv|check)' -- "$word"; compgen -d -- "$word")
  fi
}
shopt -s extglob
complete -F _mbc mbc
