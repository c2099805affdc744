# SPDX-License-Identifier: Apache-2.0
# Tests examples/embed/host.cpp with the static library by its output. tests/api/install_test.cpp builds all hosts of
# this folder outside of the tree.
add_executable(mbc_example_embed_host ${PROJECT_SOURCE_DIR}/examples/embed/host.cpp)
target_link_libraries(mbc_example_embed_host PRIVATE mbc_flags mbc)
add_test(NAME mbc_example_embed_host COMMAND mbc_example_embed_host ${PROJECT_SOURCE_DIR}/examples/spherical_pendulum.mbd)
set_tests_properties(mbc_example_embed_host PROPERTIES TIMEOUT 60 PASS_REGULAR_EXPRESSION
  "^bob.z'' = -0[.]3316\nbob.z = -0[.]80805948 at t = 5\nlowest: -0[.]8185\n$")
