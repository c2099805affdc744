# SPDX-License-Identifier: Apache-2.0
# Writes the manual page of the program out of what it says itself: cmake -DPROGRAM=mbc -DVERSION=0.2.0 -DOUT=mbc.1 -P.
# Texts of --help are kept as they are laid out.
function(help_of out)
  execute_process(COMMAND ${PROGRAM} --colour never ${ARGN} --help OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\\" "\\e" text "${text}")
  string(REPLACE "-" "\\-" text "${text}")
  string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" text "${text}")
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

execute_process(COMMAND ${PROGRAM} --help OUTPUT_VARIABLE overview COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "Subcommands:\n(  [^\n]*\n)+" verbs "${overview}")
string(REGEX MATCHALL "\n  [a-z]+" verbs "${verbs}")
if(NOT verbs)
  message(FATAL_ERROR "the help of ${PROGRAM} names no commands")
endif()

help_of(text)
set(page ".TH MBC 1 \"\" \"mbc ${VERSION}\" \"User Commands\"\n.SH NAME\n")
string(APPEND page "mbc \\- compiles and runs models of constrained mechanics\n.SH SYNOPSIS\n.B mbc\n[\\fIoptions\\fR] [\\fIcommand\\fR]\n")
string(APPEND page ".SH OVERVIEW\n.nf\n${text}.fi\n")
foreach(verb IN LISTS verbs)
  string(STRIP "${verb}" verb)
  help_of(text ${verb})
  string(APPEND page ".SH \"mbc ${verb}\"\n.nf\n${text}.fi\n")
endforeach()
string(APPEND page ".SH SEE ALSO\n.BR pkg\\-config (1)\nfor programs that use the library: mbc.\n")
file(WRITE ${OUT} "${page}")
