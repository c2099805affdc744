# SPDX-License-Identifier: Apache-2.0
# Tests the rules of the repository: which folders include which, sizes, and the habits of every file. The program reads
# the sources when it runs and links nothing of mbc.
mbc_add_doctest(mbc_house
  house/include_test.cpp house/metrics_test.cpp house/habits_test.cpp house/docs_paths_test.cpp house/cpp_scan_test.cpp
  house/design_test.cpp house/tolerances_test.cpp house/words_test.cpp house/cpp_scan.cpp house/cpp_tokens.cpp house/cpp_enums.cpp house/sources.cpp)
set_tests_properties(mbc_house PROPERTIES LABELS house)

# A fictitious operation must stop the compiler at the places that the guide lists. `./dev long 1 new_operation` tests
# this for the whole program.
get_target_property(mbc_eigen Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
get_target_property(mbc_llvm mbc_jit INCLUDE_DIRECTORIES)
list(FILTER mbc_llvm EXCLUDE REGEX "^(${PROJECT_SOURCE_DIR}|${PROJECT_BINARY_DIR})")
add_test(NAME mbc_new_operation COMMAND ${PROJECT_SOURCE_DIR}/tests/house/new_operation.sh listed ${PROJECT_SOURCE_DIR}
  ${CMAKE_CURRENT_BINARY_DIR}/new_operation ${CMAKE_CXX_COMPILER} ${mbc_eigen} ${mbc_llvm})
set_tests_properties(mbc_new_operation PROPERTIES LABELS house TIMEOUT 300)
