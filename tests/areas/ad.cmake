# SPDX-License-Identifier: Apache-2.0
# Compares compiler/ad with independent references: nested duals in long double and the complex step.
# MBC_RANDOM_EXPRESSIONS=n sets the number of random cases (100000) and prints the measured errors.
mbc_add_doctest(mbc_unit_derivatives
  compiler/ad/builtins_test.cpp compiler/ad/random_expressions_test.cpp
  compiler/ad/identities_test.cpp compiler/ad/row_structure_test.cpp
  compiler/ad/random_motion_test.cpp compiler/ad/turning_test.cpp
  LIBS mbc_test_expressions)

# This library makes and evaluates random expressions. areas/graph.cmake also uses the evaluation.
add_library(mbc_test_expressions STATIC
  ${PROJECT_SOURCE_DIR}/tests/compiler/ad/tree.cpp ${PROJECT_SOURCE_DIR}/tests/compiler/ad/generator.cpp
  ${PROJECT_SOURCE_DIR}/tests/compiler/ad/motion_oracle.cpp)
target_link_libraries(mbc_test_expressions PUBLIC mbc_flags mbc_compiler mbc_support)
