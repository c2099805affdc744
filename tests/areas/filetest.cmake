# SPDX-License-Identifier: Apache-2.0
# Builds the runner of the golden files and its test, in which a script replaces the program.
find_package(Threads REQUIRED)
add_executable(mbc_filetest ${PROJECT_SOURCE_DIR}/tests/filetest/filetest.cpp
  ${PROJECT_SOURCE_DIR}/tests/filetest/case.cpp ${PROJECT_SOURCE_DIR}/tests/filetest/expectation.cpp
  ${PROJECT_SOURCE_DIR}/tests/filetest/process.cpp ${PROJECT_SOURCE_DIR}/tests/filetest/values.cpp)
target_link_libraries(mbc_filetest PRIVATE mbc_flags nlohmann_json::nlohmann_json Threads::Threads)

mbc_add_doctest(mbc_unit_filetest filetest/filetest_test.cpp)
target_compile_definitions(mbc_unit_filetest PRIVATE MBC_FILETEST="$<TARGET_FILE:mbc_filetest>")
add_dependencies(mbc_unit_filetest mbc_filetest)

if(TARGET mbc_program)
  add_test(NAME filetest COMMAND mbc_filetest $<TARGET_FILE:mbc_program> ${PROJECT_SOURCE_DIR}/tests)
  set_tests_properties(filetest PROPERTIES TIMEOUT 1200)
endif()
# This test covers tests/run.sh, with which `./dev test` runs all tests.
add_test(NAME mbc_run_tests COMMAND ${PROJECT_SOURCE_DIR}/tests/support/run_test.sh ${CMAKE_CURRENT_BINARY_DIR}/run_test)
set_tests_properties(mbc_run_tests PROPERTIES TIMEOUT 120)
