# SPDX-License-Identifier: Apache-2.0
# What keeps the build short without changing a bit of any result: how hard the compiler works, and what it reads once.
#
# A release build has -O2; code that runs in every step has -O3, text -O1, which saves a third of the time. Contraction
# is off everywhere and no level reorders floating-point operations, so results do not depend on the level. Where
# CMAKE_CXX_FLAGS_RELEASE is set by hand, it holds for everything.
#
#   mbc_hot(mbc_kernel)                    a library that runs in every step
#   mbc_text(mbc_syntax)                   a library that reads or writes text
#   mbc_precompile(mbc_compiler [EIGEN] [JSON]) the headers that most files of a library include, read once
#   mbc_precompile(mbc_syntax TEXT)        the same for all libraries of mbc_text() together
#   mbc_together(mbc_compiler [4])         files of a library are compiled some at a time, 16 or as many as it says, which
#                                          halves what is read; one changed file then takes its neighbours along:
#                                          MBC_TOGETHER=OFF while working on the sources
include_guard(GLOBAL)

if(CMAKE_CXX_FLAGS_RELEASE STREQUAL "-O3 -DNDEBUG")  # CMake's own
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
  set(MBC_HOT $<$<CONFIG:Release>:-O3>)
  set(MBC_TEXT $<$<CONFIG:Release>:-O1>)
endif()

function(mbc_hot target)
  target_compile_options(${target} PRIVATE ${MBC_HOT})
endfunction()

function(mbc_text target)
  target_compile_options(${target} PRIVATE ${MBC_TEXT})
endfunction()

option(MBC_TOGETHER "compile several files of a library at a time" OFF)
function(mbc_together target)
  set(at_once ${ARGN} 16)
  list(GET at_once 0 at_once)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${MBC_TOGETHER} UNITY_BUILD_BATCH_SIZE ${at_once})
endfunction()

# Every file still includes what it uses: the preset of clang-tidy does without precompiled headers.
# With them GCC 12 and 13 lose that a warning comes from the standard library, and see overflows in moved strings.
function(mbc_precompile target)
  set(headers <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory> <optional> <set> <span> <string>
    <string_view> <utility> <vector>)
  if("EIGEN" IN_LIST ARGN)
    list(APPEND headers <Eigen/Core>)
  endif()
  if("JSON" IN_LIST ARGN)
    list(APPEND headers <nlohmann/json.hpp>)
  endif()
  target_compile_options(${target} PRIVATE
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,14>>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>)
  if("TEXT" IN_LIST ARGN)
    target_precompile_headers(${target} REUSE_FROM mbc_text_headers)
  else()
    target_precompile_headers(${target} PRIVATE ${headers})
  endif()
endfunction()

# What has these headers compiled for the libraries of mbc_text(). It is no part of any program.
function(mbc_make_text_headers)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/generated/nothing.cpp CONTENT "")
  add_library(mbc_text_headers STATIC ${PROJECT_BINARY_DIR}/generated/nothing.cpp)
  target_link_libraries(mbc_text_headers PRIVATE mbc_flags Eigen3::Eigen nlohmann_json::nlohmann_json)
  mbc_text(mbc_text_headers)
  mbc_precompile(mbc_text_headers EIGEN JSON)
endfunction()
