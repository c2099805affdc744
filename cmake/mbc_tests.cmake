# SPDX-License-Identifier: Apache-2.0
# How a test program is made: one function, so that every one has the same flags, the same main and the same ctest entry.
#
#   mbc_add_doctest(mbc_unit_graph compiler/graph/graph_test.cpp compiler/graph/simplify_test.cpp LIBS mbc_compiler)
#
# Sources are relative to tests/. `ctest -R mbc_unit_graph` runs it, as does build/<preset>/bin/mbc_unit_graph itself.
# MBC_SOURCE_DIR and MBC_TEST_DATA_DIR (absolute paths of the repository and of tests/) are defined for its sources.
# MBC_TEST_LAUNCHER is what starts the programs; nothing but under sanitizers.
# MBC_SLOW_BUILD is defined where what is tested is slow by itself: tests of random cases take fewer there.
#
# Compiling the tests takes longer than running most of them, so that nothing is read or compiled more often than it must:
# they are not optimised, but where a program says OPTIMISED, because it reckons much by itself; they share precompiled
# headers; and a source that several programs have (mbc_share_source) is compiled once.
include_guard(GLOBAL)

find_package(doctest REQUIRED)

# main() of every doctest program, compiled once.
add_library(mbc_test_main STATIC ${PROJECT_SOURCE_DIR}/tests/support/main.cpp)
target_link_libraries(mbc_test_main PUBLIC mbc_flags doctest::doctest)

# Sources of tests alone: not optimised, and of the same code model as programs, which precompiled headers ask for.
function(mbc_test_objects target)
  target_link_libraries(${target} PUBLIC mbc_flags doctest::doctest)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -O0 -fPIE)
  mbc_test_definitions(${target})
endfunction()

function(mbc_test_definitions target)
  target_compile_definitions(${target} PRIVATE
    MBC_SOURCE_DIR="${PROJECT_SOURCE_DIR}" MBC_TEST_DATA_DIR="${PROJECT_SOURCE_DIR}/tests")
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize" OR CMAKE_BUILD_TYPE STREQUAL "Debug")  # the library is slow, not the test alone
    target_compile_definitions(${target} PRIVATE MBC_SLOW_BUILD)
  endif()
endfunction()

# The headers that most tests include, read once; and once more with those that take longest, for programs linked with them.
set(headers <doctest/doctest.h> <algorithm> <array> <cmath> <cstdint> <filesystem> <fstream> <functional> <map> <memory>
  <optional> <random> <set> <span> <sstream> <string> <string_view> <utility> <vector>)
foreach(with plain eigen json)
  add_library(mbc_test_headers_${with} STATIC ${PROJECT_SOURCE_DIR}/tests/support/headers.cpp)
  mbc_test_objects(mbc_test_headers_${with})
endforeach()
target_precompile_headers(mbc_test_headers_plain PRIVATE ${headers})
target_precompile_headers(mbc_test_headers_eigen PRIVATE ${headers} <Eigen/Dense>)
target_link_libraries(mbc_test_headers_eigen PRIVATE Eigen3::Eigen)
target_precompile_headers(mbc_test_headers_json PRIVATE ${headers} <nlohmann/json.hpp>)
target_link_libraries(mbc_test_headers_json PRIVATE nlohmann_json::nlohmann_json)

function(mbc_test_precompiled target libs)
  set(with plain)
  if("${libs}" MATCHES "nlohmann|mbc_lsp")
    set(with json)
  elseif("${libs}" MATCHES "Eigen3|mbc_numerics|mbc_runtime")
    set(with eigen)
  endif()
  target_precompile_headers(${target} REUSE_FROM mbc_test_headers_${with})
endfunction()

# mbc_share_source(physics/run.cpp LIBS mbc): a source that several programs have is compiled once.
function(mbc_share_source source)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBS")
  string(MAKE_C_IDENTIFIER "mbc_test_${source}" target)
  add_library(${target} OBJECT ${PROJECT_SOURCE_DIR}/tests/${source})
  mbc_test_objects(${target})
  target_link_libraries(${target} PUBLIC ${arg_LIBS})
  mbc_test_precompiled(${target} "${arg_LIBS}")
endfunction()

function(mbc_add_doctest name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OPTIMISED" "TIMEOUT" "LIBS")
  set(sources)
  set(shared)
  foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
    string(MAKE_C_IDENTIFIER "mbc_test_${source}" target)
    if(TARGET ${target})
      list(APPEND shared ${target})
      continue()
    endif()
    if(NOT IS_ABSOLUTE "${source}")
      set(source "${PROJECT_SOURCE_DIR}/tests/${source}")
    endif()
    list(APPEND sources "${source}")
  endforeach()
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE mbc_flags mbc_test_main ${shared} ${arg_LIBS})
  # Under sanitizers the code of what reckons itself grows most.
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize" OR NOT arg_OPTIMISED)
    target_compile_options(${name} PRIVATE -O0 -fPIE)
    mbc_test_precompiled(${name} "${arg_LIBS}")
  endif()
  mbc_test_definitions(${name})
  add_test(NAME ${name} COMMAND ${MBC_TEST_LAUNCHER} $<TARGET_FILE:${name}>)
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)
  endif()
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")  # where all takes about ten times as long
    math(EXPR arg_TIMEOUT "3 * ${arg_TIMEOUT}")
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS doctest)
endfunction()
