# SPDX-License-Identifier: Apache-2.0
# Models that come with the program as C++: one raw string for every file of the folder, so that no files are needed
# beside it, and the data that some of them read, under their full names. Makes generated/<file> from cmake/<file>.in, which says what the rows are.
function(mbc_ship folder file)
  file(GLOB models CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.mbd ${PROJECT_SOURCE_DIR}/${folder}/*.csv)
  set(shipped_rows "")
  foreach(model ${models})
    get_filename_component(name ${model} NAME)
    string(REGEX REPLACE "\\.mbd$" "" name ${name})
    file(READ ${model} text)
    string(APPEND shipped_rows "    {\"${name}\", R\"__mbd__(${text})__mbd__\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${model})
  endforeach()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${file}.in ${PROJECT_BINARY_DIR}/generated/${file} @ONLY)
endfunction()
mbc_ship(stdlib stdlib.cpp)
mbc_ship(examples examples.cpp)

# The grammar, whose rules have examples above them: what `mbc doc` shows of a statement.
file(READ ${PROJECT_SOURCE_DIR}/grammar/MbcParser.g4 grammar_text)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/grammar/MbcParser.g4)
configure_file(${PROJECT_SOURCE_DIR}/cmake/grammar.cpp.in ${PROJECT_BINARY_DIR}/generated/grammar_text.cpp @ONLY)
