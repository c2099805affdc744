# compiler/ad against oracles that share nothing with it: nested duals in long double and the complex step.
# MBC_RANDOM_EXPRESSIONS=n sets the number of random cases (100000) and prints the measured errors.
mbc_add_doctest(mbc_unit_derivatives
  derivatives/builtins_test.cpp derivatives/random_expressions_test.cpp
  derivatives/identities_test.cpp derivatives/row_structure_test.cpp
  derivatives/random_motion_test.cpp derivatives/turning_test.cpp
  LIBS mbc_test_expressions)

# Random expressions and their evaluation; unit/graph.cmake uses the evaluation too.
add_library(mbc_test_expressions STATIC
  ${PROJECT_SOURCE_DIR}/tests/derivatives/tree.cpp ${PROJECT_SOURCE_DIR}/tests/derivatives/generator.cpp
  ${PROJECT_SOURCE_DIR}/tests/derivatives/motion_oracle.cpp)
target_link_libraries(mbc_test_expressions PUBLIC mbc_flags mbc_compiler mbc_support)
