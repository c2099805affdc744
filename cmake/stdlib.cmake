# SPDX-License-Identifier: Apache-2.0
# The standard library as C++: one raw string for every stdlib/*.mbd, so that the program needs no files beside it.
file(GLOB stdlib_modules CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/stdlib/*.mbd)
set(stdlib_rows "")
foreach(module ${stdlib_modules})
  get_filename_component(name ${module} NAME_WE)
  file(READ ${module} text)
  string(APPEND stdlib_rows "    {\"${name}\", R\"__mbd__(${text})__mbd__\"},\n")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${module})
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/cmake/stdlib.cpp.in ${PROJECT_BINARY_DIR}/generated/mbc_stdlib.cpp @ONLY)
