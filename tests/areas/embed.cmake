# SPDX-License-Identifier: Apache-2.0
# examples/embed_host.cpp, built as its reader would, and what it prints.
add_executable(mbc_example_embed_host ${PROJECT_SOURCE_DIR}/examples/embed_host.cpp)
target_link_libraries(mbc_example_embed_host PRIVATE mbc_flags mbc)
add_test(NAME mbc_example_embed_host COMMAND mbc_example_embed_host)
set_tests_properties(mbc_example_embed_host PROPERTIES TIMEOUT 60 PASS_REGULAR_EXPRESSION
  "^released: az = -9[.]81\n1000 steps to z = -0[.]1650; fastest 4[.]429, sqrt[(]2 g L[)] = 4[.]429\n$")
