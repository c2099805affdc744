# SPDX-License-Identifier: Apache-2.0
# How a test program is made: one function, so that every one has the same flags, the same main and the same ctest entry.
#
#   mbc_add_doctest(mbc_unit_graph compiler/graph/graph_test.cpp compiler/graph/simplify_test.cpp LIBS mbc_compiler)
#
# Sources are relative to tests/. `ctest -R mbc_unit_graph` runs it, as does build/<preset>/bin/mbc_unit_graph itself.
# MBC_SOURCE_DIR and MBC_TEST_DATA_DIR (absolute paths of the repository and of tests/) are defined for its sources.
# MBC_TEST_LAUNCHER is what starts the programs; nothing but under sanitizers.
# MBC_SLOW_BUILD is defined where what is tested is slow by itself: tests of random cases take fewer there.
include_guard(GLOBAL)

find_package(doctest REQUIRED)

# main() of every doctest program, compiled once.
add_library(mbc_test_main STATIC ${PROJECT_SOURCE_DIR}/tests/support/main.cpp)
target_link_libraries(mbc_test_main PUBLIC mbc_flags doctest::doctest)

function(mbc_add_doctest name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "LIBS")
  set(sources)
  foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
    if(NOT IS_ABSOLUTE "${source}")
      set(source "${PROJECT_SOURCE_DIR}/tests/${source}")
    endif()
    list(APPEND sources "${source}")
  endforeach()
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE mbc_flags mbc_test_main ${arg_LIBS})
  # Compiling a test takes longer than running it: what only says what it expects of a library is not optimised. Programs
  # that reckon themselves, or include Eigen, are, but not under sanitizers, where their code grows most.
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize" OR NOT "${arg_LIBS}" MATCHES "Eigen3|mbc_numerics|mbc_runtime|mbc_kernel")
    target_compile_options(${name} PRIVATE -O0)
  endif()
  target_compile_definitions(${name} PRIVATE
    MBC_SOURCE_DIR="${PROJECT_SOURCE_DIR}" MBC_TEST_DATA_DIR="${PROJECT_SOURCE_DIR}/tests")
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize" OR CMAKE_BUILD_TYPE STREQUAL "Debug")  # the library is slow, not the test alone
    target_compile_definitions(${name} PRIVATE MBC_SLOW_BUILD)
  endif()
  add_test(NAME ${name} COMMAND ${MBC_TEST_LAUNCHER} $<TARGET_FILE:${name}>)
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)
  endif()
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")  # where all takes about ten times as long
    math(EXPR arg_TIMEOUT "3 * ${arg_TIMEOUT}")
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS doctest)
endfunction()
